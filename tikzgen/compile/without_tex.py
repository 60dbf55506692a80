"""What is made of a .tex without TeX: SVG and PDF of its drawing, with its title and description."""

from __future__ import annotations

from tikzgen.compile.figure_words import words_in
from tikzgen.drawing.draw_tex import draw
from tikzgen.drawing.write_pdf import to_pdf
from tikzgen.drawing.write_svg import to_svg

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
