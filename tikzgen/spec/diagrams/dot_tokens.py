"""Tokens of DOT: names, numbers, strings, HTML strings and punctuation, with their locations."""

from __future__ import annotations

import re

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.spec.diagrams.diagram_source import DiagramSource

_TOKEN = pattern_of(
    r"""(?P<blank>[ \t\n]+|//[^\n]*|^\#[^\n]*)
      | (?P<name>[^\W\d]\w*|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?))
      | (?P<sign>->|--|[][{}=;,:+])""",
    re.VERBOSE | re.MULTILINE,
)
_STRING = pattern_of(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_BRACKET = pattern_of(r"[<>]")


class DotToken(Record):
    """A token: its kind (`name`, `text`, `html`, `sign` or `end`), its text and its offset."""

    kind: str
    text: str
    offset: int


def split_dot(source: DiagramSource) -> list[DotToken]:
    """Return the tokens of a DOT file. Raise `SpecError` for a character or a string without end."""
    text, at, tokens = source.text, 0, []
    while at < len(text):
        if found := _TOKEN.match(text, at):
            if found.lastgroup != "blank":
                tokens.append(DotToken(str(found.lastgroup), found[0], at))
            at = found.end()
        elif text[at] == '"':
            end = _STRING.match(text, at)
            if end is None:
                source.refuse("the string is not closed", at, "end it with a quotation mark")
            tokens.append(DotToken("text", end[1].replace("\\\n", ""), at))
            at = end.end()
        elif text[at] == "<":
            end_at = _find_html_end(source.text, at)
            if not end_at:
                source.refuse("the HTML label is not closed", at, "balance the angle brackets")
            tokens.append(DotToken("html", text[at + 1 : end_at - 1], at))
            at = end_at
        elif text.startswith("/*", at):
            close = text.find("*/", at + 2)
            if close < 0:
                source.refuse("the comment is not closed", at, "end it with */")
            at = close + 2
        else:
            source.refuse(f"unexpected character {quote(text[at])}", at, "put names in double quotes")
    return [*tokens, DotToken("end", "", len(text))]


def _find_html_end(text: str, at: int) -> int:
    """Return the offset after an HTML string, whose angle brackets are balanced, or 0 if it has no end."""
    depth = 0
    for found in _BRACKET.finditer(text, at):
        depth += 1 if found[0] == "<" else -1
        if not depth:
            return found.end()
    return 0
