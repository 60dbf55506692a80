"""Figures through TeX with the probe, many in one run where their preambles are the same."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from tikzgen.errors import LatexError
from tikzgen.tex.argv import JOB, Limits, engine_argv, environment
from tikzgen.tex.confine import Cell, confined_environment, find_cell
from tikzgen.tex.engines import Engine, Installed, find_engine
from tikzgen.tex.process import run
from tikzgen.tex.results import read_made

__all__ = ["Measured", "batches", "engine_of", "measure", "probe_source"]

_BEGIN, _END = r"\begin{document}", r"\end{document}"
_CLASS = re.compile(r"^[ \t]*\\documentclass\s*(\[[^\]]*\])?\s*\{standalone\}", re.MULTILINE)
_PAGES = re.compile(r"\b(?:multi|varwidth|preview|beamer|class|crop\s*=\s*false)\b")
_PROGRAM = re.compile(r"^%\s*!\s*te?x\s+(?:ts-)?program\s*=\s*(\w+)", re.MULTILINE | re.IGNORECASE)
_PACKAGE = r"^[^%\n]*\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\{[^}]*\b"
_FONTSPEC = re.compile(_PACKAGE + r"(?:fontspec|xeCJK|unicode-math)\b", re.MULTILINE)
_CTEX = re.compile(r"^[^%\n]*(?:\{ctex\}|\{ctex(?:art|rep|book)\}|\[[^\]]*UTF8[^\]]*\]\{ctex)", re.MULTILINE)
_LUA = re.compile(_PACKAGE + r"lua\w*\b", re.MULTILINE)
_BATCH = 40


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run gave: the PDF and the probe's records."""

    pdf: bytes
    records: str


def probe_source() -> str:
    """The probe: TeX that is loaded before a figure."""
    return files("tikzgen.geometry").joinpath("probe.tex").read_text("utf-8")


def engine_of(source: str) -> Engine:
    """The engine that a figure asks for in its first lines or by its packages; pdflatex where it asks for none."""
    if (named := _PROGRAM.search(source)) and named[1].lower() in set(Engine):
        return Engine(named[1].lower())
    head = source.partition(_BEGIN)[0]
    if r"\ifPDFTeX" in head or r"\ifpdftex" in head.lower():
        return Engine.PDFLATEX
    if _FONTSPEC.search(head) or _CTEX.search(head):
        return Engine.XELATEX
    return Engine.LUALATEX if _LUA.search(head) else Engine.PDFLATEX


def batches(sources: Sequence[str]) -> list[list[int]]:
    """Which figures can share a run, by number: standalone ones whose preambles are the same."""
    groups: dict[object, list[int]] = {}
    for number, source in enumerate(sources):
        head = _common_head(source)
        groups.setdefault((number, "alone") if head is None else head, []).append(number)
    return [group[start : start + _BATCH] for group in groups.values() for start in range(0, len(group), _BATCH)]


def _common_head(source: str) -> str | None:
    head, begin, rest = source.partition(_BEGIN)
    found = _CLASS.search(head)
    if not begin or found is None or _END not in rest or _PAGES.search(found[1] or ""):
        return None
    return head


def measure(sources: Sequence[str], engine: Engine, *, time_limit: float = 60.0) -> Measured:
    """One run over figures that `batches` put together, a page each. `LatexError` where it fails."""
    from tikzgen.rendering.environment import fill
    from tikzgen.tex.foreign import is_foreign

    installed = find_engine(engine)
    with tempfile.TemporaryDirectory(prefix="tikzgen-", ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        (work / "tikzgen-probe.tex").write_text(probe_source(), "utf-8")
        bodies: list[str] = []
        if len(sources) > 1:
            head, _, _ = sources[0].partition(_BEGIN)
            _write(work / "preamble.tex", head)
            for number, source in enumerate(sources):
                bodies.append(f"body{number}.tex")
                _write(work / bodies[-1], _body(source))
        else:
            _write(work / "drawing.tex", sources[0])
        _write(work / f"{JOB}.tex", fill("probe.tex.j2", bodies=bodies))
        # a stranger's figure is looked at in the sandbox, where there is one
        cell = find_cell() if any(map(is_foreign, sources)) else None
        return _measured(installed, work, time_limit * max(1, len(sources) / 4), cell)


def _body(source: str) -> str:
    """What stands in the document, on the same lines as in the figure; a document drops the blanks at both ends."""
    head, _, rest = source.partition(_BEGIN)
    first, _, others = rest.partition(_END)[0].rstrip().partition("\n")
    return "%\n" * head.count("\n") + (first.strip() or "%") + f"\n{others}%\n"


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", "surrogatepass", newline="\n")


def _measured(installed: Installed, work: Path, seconds: float, cell: Cell | None) -> Measured:
    argv, env = engine_argv(installed.engine, installed.path), environment(os.environ)
    if cell:
        argv, env = cell.argv(argv, work), confined_environment(os.environ)
    before = None
    for _ in range(3):
        ended = run(argv, cwd=work, env=env, limits=Limits(seconds=seconds, folder_mib=1024))
        made = read_made(work / f"{JOB}.pdf") if ended.status == 0 else b""
        if not made:
            raise LatexError(f"{installed.engine} ended with status {ended.status}", log=_log(work))
        after = _aux(work)
        if after == before or b"\\pgfsyspdfmark" not in after:
            break
        before = after  # `remember picture` needs a second run
    return Measured(made, _read(work / f"{JOB}.probe"))


def _aux(work: Path) -> bytes:
    return _read(work / f"{JOB}.aux").encode("utf-8", "replace")


def _log(work: Path) -> str:
    return _read(work / f"{JOB}.log")


def _read(path: Path) -> str:
    return read_made(path).decode("utf-8", "replace")
