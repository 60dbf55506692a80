"""Text of a file, byte-identical: spans, locations, conversion from and to bytes, and edits.

Edits replace spans. They are compared with the existing text, and applied together.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from tikzgen.base.errors import EditRefused, FileRefused, Place, quote, read_error
from tikzgen.base.read_files import MAX_BYTES, read_bounded
from tikzgen.base.record import Record


class Replacement(Record):
    """Replacement of `old`, the text at `span`, by `new`; an empty span inserts."""

    span: TextSpan
    old: str
    new: str

    @classmethod
    def make_for_span(cls, text: str, span: TextSpan, new: str) -> Replacement:
        """Replace the text at a span."""
        return cls(span, span.extract_from(text), new)


class EditedText(Record):
    """New source, and the applied replacements, in the order of the file."""

    text: str
    replacements: tuple[Replacement, ...]


def apply(text: str, replacements: Iterable[Replacement]) -> EditedText:
    """Apply all replacements or none; spans refer to `text`. Insertions at one offset keep their order.

    Raise `EditRefused` if two overlap, if one is outside of the text, or if the text there differs from `old`.
    """
    ordered = sorted(replacements, key=lambda each: each.span)
    pieces: list[str] = []
    at = 0
    for each in ordered:
        start, end = each.span
        if not 0 <= start <= end <= len(text):
            raise EditRefused("outside", f"an edit at offset {start} to {end} is outside the source")
        if start < at:
            raise EditRefused("overlap", f"{_spell_place(text, start)}: two edits overlap here")
        if text[start:end] != each.old:
            message = f"{_spell_place(text, start)}: {quote(each.old)} was expected here"
            raise EditRefused("other-source", message, nearest="read the file again")
        pieces += text[at:start], each.new
        at = end
    pieces.append(text[at:])
    return EditedText("".join(pieces), tuple(each for each in ordered if each.old != each.new))


def _spell_place(text: str, at: int) -> str:
    place = Lines(text).place_of(at)
    return f"line {place.line}, column {place.column}"


_LINE_END = re.compile(r"\r\n|\r|\n")


class TextSpan(NamedTuple):
    """Range of offsets in characters; the end is exclusive."""

    start: int
    end: int

    def extract_from(self, text: str) -> str:
        """Return the text of the span."""
        return text[self.start : self.end]


class Error(Record):
    """Error of TeX in the source, at an offset."""

    at: int
    message: str


class Lines:
    """Starts of the lines of a source."""

    def __init__(self, text: str) -> None:
        first = 1 if text.startswith("\ufeff") else 0  # a byte order mark is not a column
        self._starts = [first, *(found.end() for found in _LINE_END.finditer(text))]

    def find_line(self, at: int) -> int:
        """Return the line of an offset, counted from 1."""
        return bisect_right(self._starts, at) or 1

    def place_of(self, at: int, file: str = "") -> Place:
        """Return the line and column of an offset, both from 1; columns count characters."""
        line = self.find_line(at)
        return Place(file, line, max(at - self._starts[line - 1], 0) + 1)


def decode(data: bytes) -> str:
    """Decode any bytes, reversible by `encode`: invalid UTF-8 becomes lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes that `decode` was given."""
    return text.encode("utf-8", "surrogateescape")


def as_in(before: bytes, text: str) -> bytes:
    r"""Encode text with `\n` line ends, with the line ends and the byte order mark of the file `before`."""
    if b"\r\n" in before:
        text = text.replace("\n", "\r\n")
    return encode(("\ufeff" if before.startswith(b"\xef\xbb\xbf") else "") + text)


def compute_digest(data: bytes) -> str:
    """Return the SHA-256 of the contents of a file, in hexadecimal."""
    return sha256(data).hexdigest()


def read_source(path: Path) -> bytes:
    """Return the bytes of a .tex file. Raise `FileRefused` if it is unreadable or too large."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FileRefused(f"{path}: is larger than {MAX_BYTES // 1_000_000} MB, which no figure is")
        return read_bounded(path)
    except OSError as error:
        raise read_error(path, error) from None


def read_tex(path: Path) -> str:
    """Return the text of a .tex file as `decode` gives it. Raise `FileRefused` as `read_source` does."""
    return decode(read_source(path))
