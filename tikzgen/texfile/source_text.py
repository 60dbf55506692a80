"""The text of a file as it stands, to the byte: spans, places, its way in and out of bytes; and edits of it.

Edits are replacements of spans, checked against what stands there, applied once.
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
    """`new` in place of `old`, which must be what stands at `span`; an empty span inserts."""

    span: TextSpan
    old: str
    new: str

    @classmethod
    def at(cls, text: str, span: TextSpan, new: str) -> Replacement:
        """Replace whatever stands at a span of this text."""
        return cls(span, span.of(text), new)


class EditedText(Record):
    """The new source, and the replacements that were applied, in the order of the file."""

    text: str
    replacements: tuple[Replacement, ...]


def apply(text: str, replacements: Iterable[Replacement]) -> EditedText:
    """Apply all replacements or none; spans are those of `text`. Insertions at one place keep their order.

    Raises `EditRefused` where two overlap, where one lies outside the text, or where something else stands than `old`.
    """
    ordered = sorted(replacements, key=lambda each: each.span)
    pieces: list[str] = []
    at = 0
    for each in ordered:
        start, end = each.span
        if not 0 <= start <= end <= len(text):
            raise EditRefused("outside", f"an edit at offset {start} to {end} lies outside the source")
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

    def place_of(self, at: int, file: str = "") -> Place:
        """Return the line and column of an offset, both from 1; columns count characters."""
        line = self.line(at)
        return Place(file, line, max(at - self._starts[line - 1], 0) + 1)


def decode(data: bytes) -> str:
    """Any bytes as text, so that `encode` gives the same bytes: what is no UTF-8 stays as lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes that `decode` was given."""
    return text.encode("utf-8", "surrogateescape")


def as_in(before: bytes, text: str) -> bytes:
    """A text with plain line ends as bytes, with the line ends and the byte order mark that the file had."""
    if b"\r\n" in before:
        text = text.replace("\n", "\r\n")
    return encode(("\ufeff" if before.startswith(b"\xef\xbb\xbf") else "") + text)


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
        raise read_error(path, error) from None
