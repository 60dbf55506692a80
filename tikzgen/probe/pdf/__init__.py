"""What stands on a PDF's pages, in the order of painting: paths and runs of text with the marks around them."""

from __future__ import annotations

from tikzgen.probe.pdf.pdf_data import Drawn, Run, Sheet

__all__ = ["Drawn", "Run", "Sheet"]
