"""What stands on a PDF's pages, in the order of painting: paths and runs of text with the marks around them."""

from __future__ import annotations

from tikzgen.probe.pdf.pdf_data import Drawn, Run, Sheet
from tikzgen.probe.pdf.sheets import open_sheets

__all__ = ["Drawn", "Run", "Sheet", "open_sheets"]
