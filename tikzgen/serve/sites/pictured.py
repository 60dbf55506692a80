"""A spec that stands in a page, as pictures for light and dark pages, with the text for who does not see them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from tikzgen.api import Figure, loads
from tikzgen.base.record import Record
from tikzgen.compile.formats_without_tex import drawn_pdf, drawn_svg
from tikzgen.edit.find_words import find_words


class FigureInPage(Record):
    """One figure: its .tex, what it looks like as SVG, and what a reader hears."""

    tex: str
    svg: bytes
    alt: str

    @property
    def name(self) -> str:
        """A file name of its own, without suffix, the same in every build."""
        return f"tikzgen-{sha256(self.svg).hexdigest()[:16]}"

    def pdf(self) -> bytes:
        """The same picture for a printed page; `Unsupported` where that takes TeX."""
        return drawn_pdf(self.tex, find_words(self.tex))


def picture(figure: Figure) -> FigureInPage:
    """A figure as a page shows it; `TikzgenError` says what in it takes TeX."""
    source = figure.tex()
    return FigureInPage(source, drawn_svg(source, find_words(source)), figure.description)


def make_pictures(text: str, *, file: str, line: int, settings: Sequence[str] = (), dark: bool) -> list[FigureInPage]:
    """Make the picture of a spec for light pages, and for dark ones if requested.

    `TikzgenError` has the places in the file, in which the spec begins at that line.
    """
    moved = "\n" * (line - 1) + text
    wanted = [[], ["palette=dark"]] if dark else [[]]
    return [picture(loads(moved, name=file, settings=[*settings, *more])) for more in wanted]
