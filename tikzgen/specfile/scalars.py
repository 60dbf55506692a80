"""What an unquoted scalar means (the core schema of YAML 1.2), and the escapes that eat TeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isinf

from tikzgen.base.errors import shortened
from tikzgen.specfile.source import NOT_TEXT

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MAX_DIGITS = 100

# An escaped dollar sign of ours (`\\$`, no maths), an escape with the letters after it, or a dollar sign.
_ESCAPE = re.compile(r"\\\\\$|\\(.)([A-Za-z]*)|\$", re.DOTALL)
_EATS_TEX = "0abefrtvNLP_"


def plain(text: str) -> str | int | float | bool | None:
    """The value of an unquoted scalar; `no`, `on` and `2024-01-01` are texts. `ValueError` for an impossible number."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _FLOAT.fullmatch(text):
        return number(text)
    if _BASED.fullmatch(text) and len(text) <= _MAX_DIGITS:
        return int(text, 0)
    if _ENDLESS.fullmatch(text):
        raise ValueError("a number must be finite")
    return text


def number(text: str) -> int | float:
    """The value of a decimal number. `ValueError` where it is too long or too large to mean anything."""
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"a number has at most {_MAX_DIGITS} digits")
    if _INTEGER.fullmatch(text):
        return int(text)
    value = float(text)
    if isinf(value):
        raise ValueError(f"{shortened(text)} is too large for a number")
    return value


def check_escapes(raw: str, value: str, mark: tuple[int, int], refuse: Callable[..., object]) -> None:
    r"""Refuse TeX that a double-quoted text turns into something else, such as `"$\theta$"` with its tab.

    `raw` is the text as it stands in the file, quotes included, at `mark`; `value` is what it came to. A line feed
    (`\n`) is meant as one, except inside maths, where `"$\nabla$"` is the likelier wish.
    """
    in_maths, last_dollar = False, raw.rfind("$")
    for match in _ESCAPE.finditer(raw):
        escaped, word = match[1], match[2]
        if match[0] == "$":
            in_maths = not in_maths
        elif escaped is None:
            continue
        elif escaped in _EATS_TEX or (escaped == "n" and in_maths and match.end() <= last_dollar):
            what = "a line break" if escaped == "n" else "a control character or a special space"
            hint = f'for TeX write "\\\\{escaped}{word}"'
            refuse(f'"\\{escaped}" in double quotes is {what}', _moved(mark, raw[: match.start()]), hint=hint)
    if found := NOT_TEXT.search(value):
        refuse(f"an escape here gives U+{ord(found[0]):04X}, which is not allowed", mark)


def _moved(mark: tuple[int, int], by: str) -> tuple[int, int]:
    newlines = by.count("\n")
    return (mark[0] + newlines, len(by) - by.rfind("\n")) if newlines else (mark[0], mark[1] + len(by))
