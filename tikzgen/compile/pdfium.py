"""The first page of a PDF as PNG, by PDFium, with its resolution; and the title and the description written in.

`python -m tikzgen.compile.pdfium DPI [transparent]` does it for a stranger's file, as `tikzgen.compile.child` runs it.
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from threading import Lock

from tikzgen.compile.workplace import GIVEN, MADE
from tikzgen.describe import About

_METRE = 1 / 0.0254
_HEAD = 8 + 25  # bytes: the signature and IHDR
_RESOLUTION = 21  # bytes: pHYs

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


def png_bytes(rows: bytes, width: int, height: int, *, stride: int, dpi: float, alpha: bool = False) -> bytes:
    """`rows` of 8-bit RGB (RGBA with `alpha`), each `stride` bytes apart, as a PNG.

    The same pixels give the same bytes.
    """
    # each row begins with its filter: none
    row_bytes = (4 if alpha else 3) * width
    packed = b"".join(b"\0" + rows[row * stride : row * stride + row_bytes] for row in range(height))
    per_metre = round(dpi * _METRE)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6 if alpha else 2, 0, 0, 0)),
        (b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1)),
        (b"IDAT", zlib.compress(packed, 9)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def with_texts(png: bytes, words: About) -> bytes:
    """A PNG with the title and the description written in."""
    at = _HEAD + (_RESOLUTION if png[_HEAD + 4 : _HEAD + 8] == b"pHYs" else 0)
    return png[:at] + b"".join(_chunk(name, data) for name, data in _texts(words)) + png[at:]


def _texts(words: About) -> list[tuple[bytes, bytes]]:
    """PNG's keywords `Title` and `Description`: in Latin-1 where it is ASCII, in UTF-8 with its language otherwise."""
    told_in = words.told_in or words.language
    said = ((b"Title", words.title, words.language), (b"Description", words.description, told_in))
    return [
        (b"tEXt", key + b"\0" + text.encode())
        if text.isascii() and not language
        else (b"iTXt", key + b"\0\0\0" + language.encode("ascii", "replace") + b"\0\0" + text.encode())
        for key, text, language in said
        if text
    ]


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def main() -> None:
    """Draw the file in the current folder that `tikzgen.compile.child` put there."""
    made = drawn(Path(GIVEN).read_bytes(), float(sys.argv[1]), "transparent" in sys.argv[2:])
    Path(MADE).write_bytes(made)


if __name__ == "__main__":
    main()
