"""Pictures of a spec in a page, for light and dark pages, with their alternative text."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from tikzgen.api import Figure, loads
from tikzgen.base.record import Record
from tikzgen.compile.formats_without_tex import drawn_pdf, drawn_svg
from tikzgen.edit.find_words import find_words


class FigureInPage(Record):
    """A figure in a page: its .tex, its SVG, and its alternative text."""

    tex: str
    svg: bytes
    alt: str

    @property
    def name(self) -> str:
        """File name without suffix, derived from the SVG and thus the same in every build."""
        return f"tikzgen-{sha256(self.svg).hexdigest()[:16]}"

    def draw_pdf(self) -> bytes:
        """Return the picture as PDF for a printed page; raise `Unsupported` if it needs TeX."""
        return drawn_pdf(self.tex, find_words(self.tex))


def make_figure_in_page(figure: Figure) -> FigureInPage:
    """Return a figure for a page; raise `TikzgenError` if it needs TeX."""
    source = figure.tex()
    return FigureInPage(source, drawn_svg(source, find_words(source)), figure.description)


def make_pictures(text: str, *, file: str, line: int, settings: Sequence[str] = (), dark: bool) -> list[FigureInPage]:
    """Make the picture of a spec for light pages, and for dark ones if requested.

    Locations in errors (`TikzgenError`) refer to the file, in which the spec begins at `line`.
    """
    moved = "\n" * (line - 1) + text
    wanted = [[], ["palette=dark"]] if dark else [[]]
    return [make_figure_in_page(loads(moved, name=file, settings=[*settings, *more])) for more in wanted]
