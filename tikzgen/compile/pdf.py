"""The little that we need to know about a PDF: its page's size."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from tikzgen.plane.units import PT_PER_BP

_OBJECT_STREAM = re.compile(rb"/Type\s{0,20}/ObjStm\b")
_STREAM = re.compile(rb"stream\r?\n")
_HEAD = 400  # bytes of an object stream's dictionary after that
_NUMBER = rb"(-?(?:\d+\.?\d*|\.\d+))"
_BOX = re.compile(rb"/MediaBox\s*\[\s*" + rb"\s+".join([_NUMBER] * 4) + rb"\s*\]")
_UNPACKED = 64 * 1024 * 1024  # bytes; the objects of a figure are far less, those of a bomb are without end


def page_size(pdf: bytes) -> tuple[float, float]:
    """Width and height of the first page in TeX's pt; `ValueError` where the PDF tells none.

    Made for the PDFs that the three engines write: one figure, one page, sizes written out.
    """
    box = _BOX.search(_objects(pdf))
    if box is None:
        raise ValueError("the PDF has no MediaBox")
    left, bottom, right, top = (float(number) for number in box.groups())
    return (right - left) * PT_PER_BP, (top - bottom) * PT_PER_BP


def object_streams(pdf: bytes) -> Iterator[bytes]:
    """The PDF's compressed objects, in the order of the file.

    A stranger's file is gone over once, whatever stands in it, and unpacked so far and no further.
    """
    left, end = _UNPACKED, 0
    for found in _OBJECT_STREAM.finditer(pdf):
        begin = _STREAM.search(pdf, found.end(), found.end() + _HEAD)
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


def _objects(pdf: bytes) -> bytes:
    """The PDF with its compressed objects written out."""
    return b"\n".join([pdf, *object_streams(pdf)])
