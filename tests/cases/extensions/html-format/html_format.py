"""A format of a third party: a web page that shows the figure."""

from tikzgen.compile.formats.format_table import FORMATS, Conversion, Format
from tikzgen.model.about import About


class HtmlFormat(Format):
    signature = b"<!DOCTYPE html>"
    media_type = "text/html"
    is_drawn_first = True

    def draw(self, source: str, words: About, way: Conversion, slide: int = 0) -> bytes:
        return self.signature + FORMATS["svg"].draw(source, words, way, slide)

    def convert(self, pdf: bytes, words: About, way: Conversion) -> bytes:
        return self.signature + FORMATS["svg"].convert(pdf, words, way)
