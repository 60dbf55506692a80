"""PNG, rendered from a PDF."""

from __future__ import annotations

from tikzgen.base.record import replace
from tikzgen.compile.convert import png_converter, to_png
from tikzgen.compile.formats.format_table import Conversion, Format
from tikzgen.compile.formats_without_tex import drawn_fonts, drawn_pdf
from tikzgen.model.about import About


class PngFormat(Format):
    """PNG with the title and the description of the figure as metadata."""

    signature = b"\x89PNG\r\n\x1a\n"
    media_type = "image/png"

    def draw(self, source: str, words: About, way: Conversion, slide: int = 0) -> bytes:
        """Return the drawing in pixels, with the names of the fonts that it shows."""
        words = replace(words, fonts=drawn_fonts(source))
        return self.convert(drawn_pdf(source, words, slide), words, way)

    def convert(self, pdf: bytes, words: About, way: Conversion) -> bytes:
        """Return the first page of a PDF in pixels."""
        return to_png(pdf, words, dpi=way.dpi, transparent=way.transparent, running=way.running, cell=way.cell)

    def describe_converter(self) -> str:
        """Return the program that renders PDF; raise `LatexMissing` if no such program is installed."""
        return str(png_converter())
