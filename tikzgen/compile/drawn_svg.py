"""SVG where no engine of TeX is: what a file says is drawn here, if all of it is known."""

from __future__ import annotations

from tikzgen.base.errors import LatexMissing
from tikzgen.compile.figure_words import words_in
from tikzgen.drawing.draw_tex import draw
from tikzgen.drawing.refused import Unsupported
from tikzgen.drawing.write_svg import to_svg

__all__ = ["drawn_svg"]

_PAPER = "#ffffff"


def drawn_svg(source: str, missing: LatexMissing, transparent: bool) -> bytes:
    """The picture of a .tex; `LatexMissing` says what in it takes the engine that is missing."""
    try:
        drawing = draw(source)
    except Unsupported as error:
        raise LatexMissing(f"{error.message}, and {missing.message}", hint=missing.hint) from None
    words = words_in(source)
    background = "" if transparent else _PAPER
    return to_svg(drawing, title=words.title, description=words.description, background=background).encode()
