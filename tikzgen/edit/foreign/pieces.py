"""Pieces of a source: copied with changes, put behind another, taken out with their line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tikzgen.texfile import Facts, Span
from tikzgen.texfile.edits import Replacement

__all__ = ["copied", "inserted_after", "line_of", "taken_out", "with_blanks_before"]

_LINE_END = re.compile(r"\r\n|\r|\n")
_BLANKS = " \t"


def copied(text: str, span: Span, changes: Iterable[tuple[Span, str]]) -> str:
    """What stands at a span, with other words at some spans inside it."""
    pieces: list[str] = []
    at = span.start
    for inner, new in sorted(changes):
        pieces += text[at : inner.start], new
        at = inner.end
    return "".join([*pieces, text[at : span.end]])


def inserted_after(facts: Facts, span: Span, new: str) -> Replacement:
    """`new` on a line of its own behind the line of a piece; on the same line where more code follows there."""
    text = facts.text
    found = _LINE_END.search(text, span.end)
    end = found.start() if found else len(text)
    if facts.code.mask[span.end : end].strip():
        return Replacement.at(text, Span(span.end, span.end), f" {new}")
    start = _line_start(text, span.start)
    line = text[start : span.start].removeprefix("\ufeff")
    indent = line[: len(line) - len(line.lstrip(_BLANKS))]
    newline = found[0] if found else "\n"
    return Replacement.at(text, Span(end, end), f"{newline}{indent}{new}")


def taken_out(facts: Facts, span: Span) -> Replacement:
    """A piece with its line and the comment behind it; alone where other code stands on its lines."""
    text = facts.text
    start = _line_start(text, span.start)
    found = _LINE_END.search(text, span.end)
    end = found.start() if found else len(text)
    before, after = text[start : span.start], text[span.end : end].lstrip(_BLANKS)
    if before.strip(_BLANKS):
        return Replacement.at(text, with_blanks_before(text, span), "")
    if after and not after.startswith("%"):
        return Replacement.at(text, Span(span.start, end - len(after)), "")
    return Replacement.at(text, Span(start, found.end() if found else end), "")


def with_blanks_before(text: str, span: Span) -> Span:
    """The span with the blanks before it on its line."""
    start = span.start
    while start and text[start - 1] in _BLANKS:
        start -= 1
    return Span(start, span.end)


def line_of(facts: Facts, at: int) -> str:
    """`line 12`, for messages."""
    return f"line {facts.place(at).line}"


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
