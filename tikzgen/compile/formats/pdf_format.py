"""PDF: the output of TeX, or a drawing without TeX."""

from __future__ import annotations

from tikzgen.compile.formats.format_table import Conversion, Format
from tikzgen.compile.formats_without_tex import drawn_pdf
from tikzgen.model.about import About


class PdfFormat(Format):
    """PDF, with a page for each slide."""

    signature = b"%PDF-"
    media_type = "application/pdf"
    has_pages = True

    def draw(self, source: str, words: About, way: Conversion, slide: int = 0) -> bytes:
        """Return the figure, all slides as pages, or one slide of it."""
        return drawn_pdf(source, words, slide or None)

    def convert(self, pdf: bytes, words: About, way: Conversion) -> bytes:
        """Return the PDF of TeX unchanged."""
        return pdf
