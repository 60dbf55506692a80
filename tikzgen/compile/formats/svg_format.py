"""SVG: a drawing without TeX, or a converted PDF."""

from __future__ import annotations

from tikzgen.compile.formats.format_table import Conversion, Format
from tikzgen.compile.formats_without_tex import PartialPicture, draw_partly, drawn_slides, drawn_svg
from tikzgen.model.about import About


class SvgFormat(Format):
    """SVG with the title and the description of the figure as metadata."""

    signature = b"<svg"
    media_type = "image/svg+xml"
    is_drawn_first = True

    def draw(self, source: str, words: About, way: Conversion, slide: int = 0) -> bytes:
        """Return the drawing, or one slide of it."""
        return drawn_svg(source, words, transparent=way.transparent, slide=slide)

    def draw_partly(self, source: str, words: About, way: Conversion) -> PartialPicture:
        """Return the partial picture, with the source text of its gaps below it."""
        return draw_partly(source, words, transparent=way.transparent)

    def convert(self, pdf: bytes, words: About, way: Conversion) -> bytes:
        """Return the first page of a PDF."""
        from tikzgen.compile.convert import to_svg

        return to_svg(pdf, words, transparent=way.transparent, running=way.running, cell=way.cell)

    def slide_names(self, count: int) -> list[str]:
        """Return the slides, and `steps` for the file that has all of them."""
        return [*super().slide_names(count), "steps"]

    def draw_slides(self, source: str, words: About, way: Conversion, count: int) -> dict[str, bytes]:
        """Return each slide, all of one size, and `steps`, one SVG with all slides."""
        return drawn_slides(source, words, transparent=way.transparent)
