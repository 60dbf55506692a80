"""A figure to SVG without its PDF: TeX's DVI, drawn for SVG by pgf itself, through dvisvgm.

The way through the PDF loses letters to outlines, whatever the converter. Here dvisvgm can embed the glyphs that are
used; and it keeps hatching and shading, which it loses from PDF, and needs no Ghostscript.
"""

from __future__ import annotations

from pathlib import Path
from shutil import which
from typing import Literal

from tikzgen.base.errors import LatexError, LatexMissing
from tikzgen.base.record import replace
from tikzgen.compile.argv import JOB, Limits, engine_argv
from tikzgen.compile.confine import Cell, placed
from tikzgen.compile.engines import Engine, find_engine, first_line
from tikzgen.compile.install import package_line, this_system
from tikzgen.compile.process import Ended, Running, run
from tikzgen.compile.workplace import read_made, workplace

__all__ = ["dvi_converter", "dvi_svg", "has_dvisvgm"]

_DRAWING = "drawing.tex"
_LIMITS = Limits(folder_mib=256)
# Only what pgf's driver writes is drawn: no PostScript, no PDF, no foreign markup of other makes. The user's cache of
# fonts is left alone.
_DVISVGM = (
    f"--no-styles --bbox=papersize --cache=none --verbosity=3 --no-specials=em,html,pdf,ps,tpic -o {JOB}.svg {JOB}.dvi"
)
_LETTERS = {"text": "--font-format=ttf", "paths": "--no-fonts"}


def dvi_converter() -> str:
    """dvisvgm with its version; `LatexMissing` says how to get it."""
    return f"dvisvgm {first_line(_dvisvgm(), '--version')}"


def has_dvisvgm() -> bool:
    """Whether dvisvgm is on the PATH."""
    return which("dvisvgm") is not None


def dvi_svg(
    source: str,
    *,
    letters: Literal["text", "paths"] = "text",
    time_limit: float = _LIMITS.seconds,
    running: Running | None = None,
    cell: Cell | None = None,
) -> str:
    """The figure as dvisvgm writes it from pdfTeX's DVI, text with its fonts or paths; not cleaned yet.

    `LatexError` where it does not compile so. The same limits hold as for PDF, and a `cell` for both programs.
    """
    from tikzgen.tikz.environment import fill  # with the model

    installed, converter = find_engine(Engine.PDFLATEX), _dvisvgm()
    limits = replace(_LIMITS, seconds=time_limit)
    with workplace() as work:
        (work / _DRAWING).write_bytes(source.encode("utf-8", "surrogatepass"))
        (work / f"{JOB}.tex").write_text(fill("textsvg.tex.j2", drawing=_DRAWING), "ascii")
        program, *arguments = engine_argv(Engine.PDFLATEX, installed.path)
        argv = [program, "-output-format=dvi", *arguments]
        _run(argv, work, limits, running, cell, f"{JOB}.dvi")
        return _run(
            [converter, _LETTERS[letters], *_DVISVGM.split()], work, limits, running, cell, f"{JOB}.svg"
        ).decode("utf-8")


def _dvisvgm() -> str:
    if path := which("dvisvgm"):
        return path
    hint = f"install it: {package_line('dvisvgm', 'dvisvgm', this_system())}; or leave the text as paths"
    raise LatexMissing("SVG whose text is text needs dvisvgm", hint=hint)


def _run(argv: list[str], work: Path, limits: Limits, running: Running | None, cell: Cell | None, result: str) -> bytes:
    inside, env = placed(argv, work, cell)
    ended = run(inside, cwd=work, env=env, limits=limits, running=running)
    if ended.status == 0 and (made := read_made(work / result)):
        return made
    raise LatexError(_trouble(argv[0], ended, limits))


def _trouble(program: str, ended: Ended, limits: Limits) -> str:
    name = Path(program).name
    if ended.timed_out:
        return f"{name} was stopped after {limits.seconds:g} s"
    return f"SVG from DVI: {name} ended with {ended.last_words}"
