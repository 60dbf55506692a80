"""Figures through TeX with the probe, many in one run where their preambles are the same."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from tikzgen.base.errors import LatexError
from tikzgen.base.record import Record
from tikzgen.compile.argv import JOB, Limits, engine_argv
from tikzgen.compile.compile_tex import read_log, run_until_settled
from tikzgen.compile.confine import Cell, placed
from tikzgen.compile.engines import FAMILIAR, Engine, Installed, find_engine
from tikzgen.compile.failures import hole
from tikzgen.compile.process import Running
from tikzgen.compile.workplace import read_made, workplace
from tikzgen.probe.batching import Batch
from tikzgen.probe.sheet import is_fragment

_PROGRAM = re.compile(r"^%\s*!\s*te?x\s+(?:ts-)?program\s*=\s*(\w+)", re.MULTILINE | re.IGNORECASE)
_PACKAGE = r"^[^%\n]*\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\{[^}]*\b"
_FONTSPEC = re.compile(_PACKAGE + r"(?:fontspec|xeCJK|unicode-math)\b", re.MULTILINE)
_CTEX = re.compile(r"^[^%\n]*(?:\{ctex\}|\{ctex(?:art|rep|book)\}|\[[^\]]*UTF8[^\]]*\]\{ctex)", re.MULTILINE)
_LUA = re.compile(_PACKAGE + r"lua\w*\b", re.MULTILINE)


class Measured(Record):
    """What one run gave: the PDF and the probe's records. Of a run in a sandbox, both are a stranger's still."""

    pdf: bytes
    records: str


def engine_of(source: str) -> Engine:
    """The engine that a figure asks for in its first lines or by its packages; pdflatex where it asks for none."""
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
    cell: Cell | None = None,
    time_limit: float = 60.0,
    running: Running | None = None,
) -> Measured:
    """One run over some figures, a page each, in the sandbox of `cell`, if there is one.

    `time_limit` is in seconds for each four figures. Raises `LatexError` where it fails, or where no font has a
    character.
    """
    from tikzgen.tikz.environment import fill  # the program that reads PDFs in a sandbox has no Jinja there

    installed = find_engine(engine)
    with workplace() as work:
        (work / "tikzgen-probe.tex").write_bytes(files("tikzgen.probe").joinpath("probe.tex").read_bytes())
        bodies: list[str] = []
        if batch.head:
            _write(work / "preamble.tex", batch.head)
            for number, body in enumerate(batch.bodies):
                bodies.append(f"body{number}.tex")
                _write(work / bodies[-1], body)
        else:
            _write(work / "drawing.tex", batch.bodies[0])
        _write(work / f"{JOB}.tex", fill("probe.tex.j2", bodies=bodies))
        return _measured(installed, work, time_limit * max(1, len(batch.figures) / 4), cell, running)


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", "surrogatepass", newline="\n")


def _measured(installed: Installed, work: Path, seconds: float, cell: Cell | None, running: Running | None) -> Measured:
    argv, env = placed(engine_argv(installed.engine, installed.path), work, cell)
    limits = Limits(seconds=seconds, folder_mib=1024)
    ended = run_until_settled(argv, work, env, limits, running, confined=cell is not None)
    made = read_made(work / f"{JOB}.pdf") if ended.status == 0 else b""
    if not made:
        raise LatexError(f"{installed.engine} ended with status {ended.status}", log=read_log(work))
    if error := hole(read_log(work), engine=installed.engine):
        raise error
    return Measured(made, read_made(work / f"{JOB}.probe").decode("utf-8", "backslashreplace"))


_CJK = re.compile("[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]")


@lru_cache(maxsize=256)
def document_of(source: str) -> str:
    """The document itself, or a fragment as a document that loads what pictures use most; lines keep their numbers."""
    from tikzgen.tikz.environment import fill  # the program that reads PDFs in a sandbox has no Jinja there

    if not is_fragment(source):
        return source
    return fill("fragment.tex.j2", body=source.rstrip(), cjk=_CJK.search(source) is not None)
