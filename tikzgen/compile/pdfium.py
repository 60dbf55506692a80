"""The first page of a PDF as PNG, by PDFium.

`python -m tikzgen.compile.pdfium DPI [transparent]` does it for a stranger's file, as `tikzgen.compile.child` runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Lock

from tikzgen.compile.png import png_bytes
from tikzgen.compile.workplace import GIVEN, MADE

__all__ = ["ALONE", "PACKAGES", "drawn"]

PACKAGES = ("pypdfium2", "pypdfium2_raw", "pypdfium2_cfg")
"""What PDFium consists of, in one version or another."""

ALONE = Lock()
"""Held by whoever uses PDFium in this process: it keeps global state, and `tikzgen watch` has several threads."""


def drawn(pdf: bytes, dpi: float, transparent: bool) -> bytes:
    """The first page as PNG, on white or on nothing; no words are in it."""
    import pypdfium2  # type: ignore[import-untyped]

    with ALONE:
        document = pypdfium2.PdfDocument(pdf)
        try:
            ground = (255, 255, 255, 0 if transparent else 255)
            bitmap = document[0].render(scale=dpi / 72, rev_byteorder=True, fill_color=ground)
            rows, width, height, stride = bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride
        finally:
            document.close()
    return png_bytes(rows, width, height, stride=stride, dpi=dpi, alpha=transparent)


def main() -> None:
    """Draw the file in the current folder that `tikzgen.compile.child` put there."""
    made = drawn(Path(GIVEN).read_bytes(), float(sys.argv[1]), "transparent" in sys.argv[2:])
    Path(MADE).write_bytes(made)


if __name__ == "__main__":
    main()
