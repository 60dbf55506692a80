"""Write the pictures of docs/styles.md: every example in each built-in style, drawn without TeX.

Each style has one page.
"""

from __future__ import annotations

from pathlib import Path

import pypdfium2

from tikzgen import load
from tikzgen.compile.convert import to_png
from tikzgen.compile.formats_without_tex import drawn_pdf
from tikzgen.model.about import WORDLESS
from tikzgen.spec.settings.house_style import SHIPPED_STYLES

ROOT = Path(__file__).parent.parent
_WIDTH, _GAP, _SCALE = 1500.0, 18.0, 0.62  # pt of the page, between figures, and of a figure


def sheet(style: str) -> bytes:
    """Return the PDF with all examples in a style, in rows, the tallest first."""
    specs = sorted(ROOT.glob("examples/*.yaml"))
    found = [drawn_pdf(load(spec, settings=[f"style@{style}"]).tex(), WORDLESS) for spec in specs]
    documents = [pypdfium2.PdfDocument(each) for each in found]
    figures = sorted(documents, key=lambda each: -each[0].get_height())
    places, x, y, tall = [], _GAP, _GAP, 0.0
    for figure in figures:
        width, height = (length * _SCALE for length in figure[0].get_size())
        if x + width > _WIDTH:
            x, y, tall = _GAP, y + tall + _GAP, 0.0
        places.append((x, y + height))
        x, tall = x + width + _GAP, max(tall, height)
    paper = pypdfium2.PdfDocument.new()
    page = paper.new_page(_WIDTH, y + tall + _GAP)
    for figure, (left, bottom) in zip(figures, places, strict=True):
        picture = figure.page_as_xobject(0, paper).as_pageobject()
        picture.set_matrix(pypdfium2.PdfMatrix(_SCALE, 0, 0, _SCALE, left, page.get_height() - bottom))
        page.insert_obj(picture)
    page.gen_content()
    made = Path(ROOT / "docs/styles" / f"{style}.pdf")
    paper.save(made)
    data = made.read_bytes()
    made.unlink()
    return data


if __name__ == "__main__":
    for name in SHIPPED_STYLES:
        (ROOT / "docs/styles" / f"{name}.png").write_bytes(to_png(sheet(name), dpi=72))
