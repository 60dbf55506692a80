"""What is made of a .tex without TeX: its title and description, and SVG and PDF of its drawing with these."""

from __future__ import annotations

from tikzgen.base.errors import TikzgenError
from tikzgen.describe import About, remembered
from tikzgen.drawing.draw_tex import draw
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
    drawing, words = draw(source), words_in(source)
    said = {"title": words.title, "description": words.description, "language": words.language}
    return to_svg(drawing, **said, told_in=words.told_in, background="" if transparent else _PAPER).encode()


def drawn_pdf(source: str) -> bytes:
    """The picture as PDF; `Unsupported` says what in it takes TeX."""
    drawing, words = draw(source), words_in(source)
    return to_pdf(drawing, title=words.title, description=words.description, language=words.language)
