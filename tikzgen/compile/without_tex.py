"""What is made of a .tex without TeX: its title and description, and SVG and PDF of its drawing with these."""

from __future__ import annotations

from tikzgen.base.errors import TikzgenError
from tikzgen.describe import About, remembered
from tikzgen.drawing.animate import animated_svg
from tikzgen.drawing.draw_tex import Drawing, draw
from tikzgen.drawing.write_pdf import to_pdf
from tikzgen.drawing.write_svg import to_svg


def words_in(source: str) -> About:
    """Title and description, with the texts that were changed by hand; empty where no spec is inside. Never raises."""
    if found := remembered(source):
        return found
    from tikzgen.describe.figures import about
    from tikzgen.edit.hand_parameters import folded
    from tikzgen.edit.own_figure import read_own

    try:
        return about(folded(read_own(source, "figure.tex", by_any_template=True)).said.drawn)
    except TikzgenError:
        return About()


_PAPER = "#ffffff"


def drawn_svg(source: str, *, transparent: bool = False) -> bytes:
    """The picture as SVG, on white or on nothing; `Unsupported` says what in it takes TeX."""
    return to_svg(draw(source), **_about(source, transparent)).encode()


def drawn_steps(source: str, *, transparent: bool = False) -> list[bytes]:
    """The same for each step that it has on slides; all of one size."""
    about = _about(source, transparent)
    return [to_svg(drawing, **about).encode() for drawing in _steps(source)]


def drawn_slides(source: str, *, transparent: bool = False) -> dict[str, bytes]:
    """Each step by its number, and as `steps` all of them in one SVG."""
    numbered = {str(number): svg for number, svg in enumerate(drawn_steps(source, transparent=transparent), 1)}
    return {**numbered, "steps": drawn_animation(source, transparent=transparent)}


def drawn_animation(source: str, *, transparent: bool = False) -> bytes:
    """All steps in one SVG, which keys and clicks lead through."""
    return animated_svg(_steps(source), **_about(source, transparent)).encode()


def _steps(source: str) -> list[Drawing]:
    return [draw(source, step) for step in range(1, draw(source).steps + 1)]


def _about(source: str, transparent: bool) -> dict[str, str]:
    words = words_in(source)
    said = {"title": words.title, "description": words.description, "language": words.language}
    return {**said, "told_in": words.told_in, "background": "" if transparent else _PAPER}


def drawn_pdf(source: str) -> bytes:
    """The picture as PDF; `Unsupported` says what in it takes TeX."""
    drawing, words = draw(source), words_in(source)
    return to_pdf(drawing, title=words.title, description=words.description, language=words.language)
