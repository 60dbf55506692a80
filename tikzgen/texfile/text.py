"""The text of a file as it stands, to the byte: spans, places, and its way in and out of bytes."""

from __future__ import annotations

import re
from bisect import bisect_right
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from tikzgen.base.errors import FileRefused, Place, refusal
from tikzgen.base.files import MAX_BYTES, read_bounded
from tikzgen.base.record import Record

_LINE_END = re.compile(r"\r\n|\r|\n")


class Span(NamedTuple):
    """A stretch of the text: offsets in characters, the end not included."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """What stands there."""
        return text[self.start : self.end]


class Error(Record):
    """Something that TeX would stumble over, at an offset."""

    at: int
    message: str


class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        first = 1 if text.startswith("\ufeff") else 0  # a byte order mark is no column
        self._starts = [first, *(found.end() for found in _LINE_END.finditer(text))]

    def line(self, at: int) -> int:
        """The line of an offset, counted from 1."""
        return bisect_right(self._starts, at) or 1

    def place(self, at: int, file: str = "") -> Place:
        """The line and the column of an offset, both counted from 1; columns count characters."""
        line = self.line(at)
        return Place(file, line, max(at - self._starts[line - 1], 0) + 1)


def decode(data: bytes) -> str:
    """Any bytes as text, so that `encode` gives the same bytes: what is no UTF-8 stays as lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes that `decode` was given."""
    return text.encode("utf-8", "surrogateescape")


def digest(data: bytes) -> str:
    """What tells one content of a file from another: SHA-256, in hexadecimal."""
    return sha256(data).hexdigest()


def read_source(path: Path) -> bytes:
    """The bytes of a .tex file; `FileRefused` says why they cannot be had."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FileRefused(f"{path}: is larger than {MAX_BYTES // 1_000_000} MB, which no figure is")
        return read_bounded(path)
    except OSError as error:
        raise FileRefused(f"{path}: {refusal(error)}") from None
