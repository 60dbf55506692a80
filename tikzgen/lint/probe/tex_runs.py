r"""TeX runs with the probe: figures that can share a run, their engine, and the results of runs.

Commands that load packages are moved to a common preamble. Definitions stay with their figure.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from tikzgen.base.defaults import TIME_LIMIT_SECONDS
from tikzgen.base.errors import LatexError
from tikzgen.base.record import Record
from tikzgen.compile.paper import PreambleCommand, read_commands, split_entries
from tikzgen.compile.sandbox import ProcessSandbox, sandbox_argv
from tikzgen.compile.tex import (
    FAMILIAR,
    JOB,
    Engine,
    Installed,
    Limits,
    Running,
    engine_argv,
    find_engine,
    find_hole,
    version_settings,
)
from tikzgen.compile.tex.compile_tex import read_log, run_until_settled
from tikzgen.compile.tex.workplace import make_workplace, read_made
from tikzgen.lint.probe.page_with_source import is_fragment
from tikzgen.texfile import Code

_BEGIN = r"\begin{document}"
_END = r"\end{document}"
_PAGES = re.compile(r"\b(?:multi|varwidth|preview|beamer|class|crop\s*=\s*false)\b|\btikz\b")
_BATCH_FILES = 40  # files per run of TeX

# Packages and libraries that do not affect a figure that does not use them.
_PACKAGES = {"tikz", "pgf", "xcolor", "graphicx", "iftex"}
_LIBRARIES = {
    *("arrows", "arrows.meta", "backgrounds", "calc", "chains", "fadings", "fit", "intersections", "matrix"),
    *("patterns", "patterns.meta", "plotmarks", "shadows", "shadings", "through"),
}
_FAMILIES = ("decorations", "shapes")
# Commands whose effect is local to a group.
_DEFINE = {"definecolor", "providecolor", "colorlet", "newcommand", "renewcommand", "providecommand", "def", "let"}
_DEFINE |= {"tikzset", "pgfdeclarelayer", "pgfsetlayers", "makeatletter", "makeatother"}


class Batch(Record):
    """A run: the indices of its figures, their common preamble, and the document body of each.

    If `head` is empty, the run has one figure, and its body is the whole file.
    """

    figures: tuple[int, ...]
    head: str
    bodies: tuple[str, ...]


class _Parts(Record):
    """Parts of a figure: the key of figures that may share its run, libraries, preamble and body."""

    alike: Hashable
    libraries: tuple[str, ...]
    head: str
    body: str


def make_batches(sources: Sequence[str]) -> list[Batch]:
    """Return runs for all figures, as few as is safe; a figure that shares no run keeps its file.

    Standalone figures share a run if they load the same packages and libraries, except for those known to be harmless.
    If a preamble contains other commands, only figures with the identical preamble share a run.
    """
    groups: dict[Hashable, list[tuple[int, _Parts]]] = {}
    found = []
    for number, source in enumerate(sources):
        parts = _split_source(source)
        if parts is None:
            found.append(Batch((number,), "", (source,)))
        else:
            groups.setdefault(parts.alike, []).append((number, parts))
    for group in groups.values():
        found += [
            _make_batch(group[start : start + _BATCH_FILES], sources) for start in range(0, len(group), _BATCH_FILES)
        ]
    return found


def _make_batch(group: Sequence[tuple[int, _Parts]], sources: Sequence[str]) -> Batch:
    if len(group) == 1:
        return Batch((group[0][0],), "", (sources[group[0][0]],))
    libraries = dict.fromkeys(name for _, parts in group for name in parts.libraries)
    loaded = f"\\usetikzlibrary{{{','.join(libraries)}}}\n" if libraries else ""
    return Batch(
        tuple(number for number, _ in group), group[0][1].head + loaded, tuple(parts.body for _, parts in group)
    )


def _split_source(source: str) -> _Parts | None:
    """Return the parts of a standalone figure of one page; None for other files."""
    head, begin, rest = source.partition(_BEGIN)
    found = list(read_commands(head))
    first = next((one for one in found if one.command == "documentclass"), None)
    if not begin or _END not in rest or first is None or first.required_arguments != ("standalone",):
        return None
    if _PAGES.search(first.options):
        return None
    inner = rest.partition(_END)[0]
    shared = _common_preamble(head, found)
    if shared is None:
        return _Parts(head, (), head, _place_after_lines(head.count("\n"), inner))
    packages, libraries, kept = shared
    loads = "".join(f"\\usepackage{options}{{{name}}}\n" for name, options in packages)
    alike = (
        tuple(sorted(split_entries(first.options))),
        packages,
        tuple(sorted(set(libraries) - _select_harmless(libraries))),
    )
    own = f"\\documentclass[{first.options}]{{standalone}}\n{loads}\\usepackage{{tikz}}\n"
    return _Parts(alike, libraries, own, _place_on_original_lines(kept, head, inner))


def _common_preamble(
    head: str, found: Sequence[PreambleCommand]
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...], list[PreambleCommand]] | None:
    """Return the packages, the libraries and the definitions of a preamble; None if it has anything else."""
    packages: dict[tuple[str, str], None] = {}
    libraries: list[str] = []
    kept = []
    mask, end = Code.read_source(head).mask, 0
    for one in found:
        if mask[end : one.span.start].strip():
            return None
        end = one.span.end
        if one.command == "usepackage" and one.required_arguments:
            options = f"[{one.options}]" if one.options else ""
            loaded = ((name, options) for name in split_entries(one.required_arguments[0]))
            packages.update((each, None) for each in loaded if options or each[0] not in _PACKAGES)
        elif one.command == "usetikzlibrary" and one.arguments:
            libraries += split_entries(one.arguments[0][1:-1])
        elif one.command in _DEFINE:
            kept.append(one)
        elif one.command != "documentclass":
            return None
    return (tuple(packages), tuple(libraries), kept) if not mask[end:].strip() else None


def _select_harmless(libraries: Sequence[str]) -> set[str]:
    return {name for name in libraries if name in _LIBRARIES or name.partition(".")[0] in _FAMILIES}


def _place_on_original_lines(kept: Sequence[PreambleCommand], head: str, inner: str) -> str:
    """Return the definitions and the drawing of a figure, each on its original line."""
    text = ""
    for one in kept:
        missing = one.line - 1 - text.count("\n")
        text += "%\n" * missing + head[one.span.start : one.span.end]
    return text + _place_after_lines(head.count("\n") - text.count("\n"), inner)


def _place_after_lines(before: int, inner: str) -> str:
    """Return the contents of a document after `before` lines, without whitespace at both ends."""
    first, _, others = inner.rstrip().partition("\n")
    return "%\n" * before + (first.strip() or "%") + f"\n{others}%\n"


_PROGRAM = re.compile(r"^%\s*!\s*te?x\s+(?:ts-)?program\s*=\s*(\w+)", re.MULTILINE | re.IGNORECASE)
_PACKAGE = r"^[^%\n]*\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\{[^}]*\b"
_FONTSPEC = re.compile(_PACKAGE + r"(?:fontspec|xeCJK|unicode-math)\b", re.MULTILINE)
_CTEX = re.compile(r"^[^%\n]*(?:\{ctex\}|\{ctex(?:art|rep|book)\}|\[[^\]]*UTF8[^\]]*\]\{ctex)", re.MULTILINE)
_LUA = re.compile(_PACKAGE + r"lua\w*\b", re.MULTILINE)


class ProbeRun(Record):
    """Result of one run: the PDF and the probe's records. After a run in a sandbox, both are untrusted."""

    pdf: bytes
    records: str


def engine_of(source: str) -> Engine:
    """Return the engine that a figure requests in its first lines or by its packages; default pdflatex."""
    if (named := _PROGRAM.search(source)) and named[1].lower() in FAMILIAR:
        return Engine(named[1].lower())
    head = source.partition(r"\begin{document}")[0]
    if r"\ifPDFTeX" in head or r"\ifpdftex" in head.lower():
        return Engine.PDFLATEX
    if _FONTSPEC.search(head) or _CTEX.search(head):
        return Engine.XELATEX
    return Engine.LUALATEX if _LUA.search(head) else Engine.PDFLATEX


def measure(
    batch: Batch,
    engine: Engine,
    *,
    cell: ProcessSandbox | None = None,
    time_limit: float = TIME_LIMIT_SECONDS,
    running: Running | None = None,
) -> ProbeRun:
    """Run TeX on a batch of figures, a page each, in the sandbox of `cell`, if there is one.

    `time_limit` is in seconds for each four figures. Raise `LatexError` if the run fails, or if a character is in no
    font.
    """
    from tikzgen.emit.environment import fill  # the sandboxed PDF reader has no Jinja

    installed = find_engine(engine)
    with make_workplace() as work:
        (work / "tikzgen-probe.tex").write_bytes(files("tikzgen.lint.probe").joinpath("probe.tex").read_bytes())
        bodies: list[str] = []
        if batch.head:
            _write(work / "preamble.tex", batch.head)
            for number, body in enumerate(batch.bodies):
                bodies.append(f"body{number}.tex")
                _write(work / bodies[-1], body)
        else:
            _write(work / "drawing.tex", batch.bodies[0])
        _write(work / f"{JOB}.tex", fill("probe_job.tex.j2", bodies=bodies))
        return _run_probe(installed, work, time_limit * max(1, len(batch.figures) / 4), cell, running)


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", "surrogatepass", newline="\n")


def _run_probe(
    installed: Installed, work: Path, seconds: float, cell: ProcessSandbox | None, running: Running | None
) -> ProbeRun:
    argv, env = sandbox_argv(engine_argv(installed.engine, installed.path), work, cell)
    env |= version_settings(installed.engine, installed.version)
    limits = Limits(seconds=seconds, folder_mib=1024)
    ended = run_until_settled(argv, work, env, limits, running, confined=cell is not None)
    made = read_made(work / f"{JOB}.pdf") if ended.status == 0 else b""
    if not made:
        raise LatexError(f"{installed.engine} ended with status {ended.status}", log=read_log(work))
    if error := find_hole(read_log(work), engine=installed.engine):
        raise error
    return ProbeRun(made, read_made(work / f"{JOB}.probe").decode("utf-8", "backslashreplace"))


_CJK = re.compile("[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")


@lru_cache(maxsize=256)
def document_of(source: str) -> str:
    """Return a document: the source itself, or a fragment in a document with common packages.

    The lines keep their numbers.
    """
    from tikzgen.emit.environment import fill  # the sandboxed PDF reader has no Jinja

    if not is_fragment(source):
        return source
    return fill("fragment.tex.j2", body=source.rstrip(), cjk=_CJK.search(source) is not None)
