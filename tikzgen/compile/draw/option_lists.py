"""Pieces of TikZ source: matching brackets, and option lists."""

from __future__ import annotations

import re
from functools import lru_cache

from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.texfile import split_at_commas

Option = tuple[str, str | None]
"""A key, and its value if it has one."""

_MARKS = re.compile(r"\\.|[{}()\[\]]", re.DOTALL)
_PLAIN_GROUPS = {
    sign: re.compile(rf"\{sign}[^\\{{}}{re.escape(sign + end)}]*\{end}") for sign, end in ("{}", "()", "[]")
}
_CLOSES = {"{": "}", "(": ")", "[": "]"}
_BLANKS = re.compile(r"\s*")


def skip_blanks(text: str, at: int) -> int:
    """Return the position of the next character that is not a space."""
    if not text[at : at + 1].isspace():
        return at
    found = _BLANKS.match(text, at)
    assert found is not None  # the pattern also matches an empty string
    return found.end()


def is_escaped(text: str, at: int) -> bool:
    """Return whether a character belongs to the backslash before it."""
    count = 0
    while at > 0 and text[at - 1] == "\\":
        count += 1
        at -= 1
    return count % 2 == 1


def find_closing(text: str, at: int) -> int:
    """Find the position after the bracket that closes the one at `at`; braces hide other brackets."""
    opener = text[at : at + 1]
    closer = _CLOSES.get(opener)
    if closer is None:
        raise Unsupported(f"a missing bracket before {text[at : at + 20]!r}")
    if (plain := _PLAIN_GROUPS[opener].match(text, at)) is not None:
        return plain.end()
    depth = braces = 0
    for mark in _MARKS.finditer(text, at):
        sign = mark[0]
        if sign == opener and (opener == "{" or not braces):
            depth += 1
        elif sign == closer and (opener == "{" or not braces):
            depth -= 1
            if depth == 0:
                return mark.end()
        elif sign == "{":
            braces += 1
        elif sign == "}":
            braces -= 1
    raise Unsupported(f"{text[at : at + 20]!r}, which is never closed,")


def read_bracket(text: str, at: int) -> tuple[str, int]:
    """Return the text inside the bracket at `at`, and the position after the closing bracket."""
    end = find_closing(text, at)
    return text[at + 1 : end - 1], end


def without_braces(value: str) -> str:
    """Return a value without the braces around it."""
    value = value.strip()
    return value[1:-1] if value.startswith("{") and find_closing(value, 0) == len(value) else value


@lru_cache(maxsize=4096)
def parse_options(text: str) -> tuple[Option, ...]:
    """Return the keys of an option list, in order."""
    found: list[Option] = []
    for part in split_at_commas(text):
        if not part:
            continue
        key, sign, value = part.partition("=")
        found.append(
            (" ".join(key.split()), without_braces(value))
            if sign and "{" not in key
            else (" ".join(part.split()), None)
        )
    return tuple(found)
