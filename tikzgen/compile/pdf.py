"""Pages of a PDF: their size, and a PNG by PDFium with resolution, title and description.

`python -m tikzgen.compile.pdf DPI [transparent]` draws an untrusted file; `sandbox.reader_process` runs it.
"""

from __future__ import annotations

import re
import struct
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from tikzgen.base.plane import PT_PER_BP
from tikzgen.compile.tex.workplace import INPUT_NAME, OUTPUT_NAME
from tikzgen.model.about import About

_INCHES_PER_M = 1 / 0.0254  # inches per meter
_HEAD = 8 + 25  # bytes: the signature and IHDR
_RESOLUTION_BYTES = 21  # bytes: pHYs

PACKAGES = ("pypdfium2", "pypdfium2_raw", "pypdfium2_cfg")
"""Packages of PDFium, depending on its version."""

PDF_LOCK = Lock()
"""Lock for every use of PDFium in this process: PDFium keeps global state, and `tikzgen watch` has several threads."""


def draw_page(pdf: bytes, dpi: float, transparent: bool) -> bytes:
    """Draw the first page as PNG, on white or transparent, without metadata."""
    import pypdfium2  # type: ignore[import-untyped]

    with PDF_LOCK:
        document = pypdfium2.PdfDocument(pdf)
        try:
            ground = (255, 255, 255, 0 if transparent else 255)
            bitmap = document[0].render(scale=dpi / 72, rev_byteorder=True, fill_color=ground)
            rows, width, height, stride = bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride
        finally:
            document.close()
    return png_bytes(rows, width, height, stride=stride, dpi=dpi, alpha=transparent)


def png_bytes(rows: bytes, width: int, height: int, *, stride: int, dpi: float, alpha: bool) -> bytes:
    """Return a PNG of `rows` of 8-bit RGB (RGBA with `alpha`), each `stride` bytes apart.

    The output depends on the pixels, the resolution and `alpha` alone.
    """
    # Each row begins with its filter, none. Compression level 9 takes five times as long for 6 % fewer bytes.
    row_bytes = (4 if alpha else 3) * width
    packed = b"".join(b"\0" + rows[row * stride : row * stride + row_bytes] for row in range(height))
    per_metre = round(dpi * _INCHES_PER_M)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6 if alpha else 2, 0, 0, 0)),
        (b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1)),
        (b"IDAT", zlib.compress(packed, 6)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_make_png_chunk(name, data) for name, data in chunks)


def with_texts(png: bytes, words: About) -> bytes:
    """Return a PNG with the title and the description as metadata."""
    at = _HEAD + (_RESOLUTION_BYTES if png[_HEAD + 4 : _HEAD + 8] == b"pHYs" else 0)
    return png[:at] + b"".join(_make_png_chunk(name, data) for name, data in _list_png_texts(words)) + png[at:]


def _list_png_texts(words: About) -> list[tuple[bytes, bytes]]:
    """Return PNG's keywords `Title`, `Description` and `Fonts` with their values.

    ASCII without a language is Latin-1, anything else UTF-8 with its language.
    """
    told_in = words.told_in or words.language
    said = (
        (b"Title", words.title, words.language),
        (b"Description", words.description, told_in),
        (b"Fonts", words.fonts, ""),
    )
    return [
        (b"tEXt", key + b"\0" + text.encode())
        if text.isascii() and not language
        else (b"iTXt", key + b"\0\0\0" + language.encode("ascii", "replace") + b"\0\0" + text.encode())
        for key, text, language in said
        if text
    ]


def _make_png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def main() -> None:
    """Draw the file in the current folder that `tikzgen.compile.sandbox.reader_process` put there."""
    made = draw_page(Path(INPUT_NAME).read_bytes(), float(sys.argv[1]), "transparent" in sys.argv[2:])
    Path(OUTPUT_NAME).write_bytes(made)


if __name__ == "__main__":
    main()


_OBJECT_STREAM = re.compile(rb"/Type\s{0,20}/ObjStm\b")
_STREAM = re.compile(rb"stream\r?\n")
_DICTIONARY_BYTES = 400  # bytes in which the dictionary of an object stream ends
_NUMBER = rb"(-?(?:\d+\.?\d*|\.\d+))"
_BOX = re.compile(rb"/MediaBox\s*\[\s*" + rb"\s+".join([_NUMBER] * 4) + rb"\s*\]")
_UNPACKED_BYTES = 64 * 1024 * 1024  # bytes: a figure needs far less, a decompression bomb has no limit


def page_size(pdf: bytes) -> tuple[float, float]:
    """Return width and height of the first page in TeX's pt; raise `ValueError` if there is no size.

    It reads the PDFs of the three engines: one figure, one page, sizes as direct numbers.
    """
    box = _BOX.search(b"\n".join([pdf, *object_streams(pdf)]))
    if box is None:
        raise ValueError("the PDF has no MediaBox")
    left, bottom, right, top = (float(number) for number in box.groups())
    return (right - left) * PT_PER_BP, (top - bottom) * PT_PER_BP


def object_streams(pdf: bytes) -> Iterator[bytes]:
    """Yield the decompressed object streams of a PDF, in the order of the file.

    The file may be untrusted: one scan unpacks at most `_UNPACKED_BYTES` in total.
    """
    left, end = _UNPACKED_BYTES, 0
    for found in _OBJECT_STREAM.finditer(pdf):
        begin = _STREAM.search(pdf, found.end(), found.end() + _DICTIONARY_BYTES)
        if left <= 0 or begin is None or found.start() < end:
            continue
        end = pdf.find(b"endstream", begin.end())
        end = len(pdf) if end < 0 else end
        try:
            objects = zlib.decompressobj().decompress(pdf[begin.end() : end], left)
        except zlib.error:
            continue
        left -= len(objects)
        yield objects
