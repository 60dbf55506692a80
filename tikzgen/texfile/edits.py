"""Edits of a source: replacements of spans, checked against what stands there, applied once."""

from __future__ import annotations

from collections.abc import Iterable

from tikzgen.base.errors import TikzgenError, quoted
from tikzgen.base.record import Record
from tikzgen.texfile.text import Lines, Span


class EditRefused(TikzgenError):
    """Replacements that do not fit the source or each other: none of them was applied."""


class Replacement(Record):
    """`new` in place of `old`, which must be what stands at `span`; an empty span inserts."""

    span: Span
    old: str
    new: str

    @classmethod
    def at(cls, text: str, span: Span, new: str) -> Replacement:
        """Replace whatever stands at a span of this text."""
        return cls(span, span.of(text), new)


class Edited(Record):
    """The new source, and the replacements that were applied, in the order of the file."""

    text: str
    replacements: tuple[Replacement, ...]


def apply(text: str, replacements: Iterable[Replacement]) -> Edited:
    """Apply all replacements or none; spans are those of `text`. Insertions at one place keep their order.

    Raises `EditRefused` where two overlap, where one lies outside the text, or where something else stands than `old`.
    """
    ordered = sorted(replacements, key=lambda each: each.span)
    pieces: list[str] = []
    at = 0
    for each in ordered:
        start, end = each.span
        if not 0 <= start <= end <= len(text):
            raise EditRefused(f"an edit at offset {start} to {end} lies outside the source")
        if start < at:
            raise EditRefused(f"{_place(text, start)}: two edits overlap here")
        if text[start:end] != each.old:
            raise EditRefused(
                f"{_place(text, start)}: {quoted(each.old)} was expected here", hint="read the file again"
            )
        pieces += text[at:start], each.new
        at = end
    pieces.append(text[at:])
    return Edited("".join(pieces), tuple(each for each in ordered if each.old != each.new))


def _place(text: str, at: int) -> str:
    place = Lines(text).place(at)
    return f"line {place.line}, column {place.column}"
