"""Macro names: TeX allows letters only, so numbers are written in words."""

from __future__ import annotations

import re
from functools import lru_cache

from tikzgen.model.content import Content
from tikzgen.model.panel_parts import Panel

_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
"""
_UNITS = _WORDS.split()[:20]
_TENS = _WORDS.split()[20:]


def spell_cardinal(value: int) -> str:
    """Return a whole number in words without spaces: 64 is `sixtyfour`."""
    if value < 20:
        return _UNITS[value]
    if value < 100:
        tens, units = divmod(value, 10)
        return _TENS[tens - 2] + (_UNITS[units] if units else "")
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= size:
            many, rest = divmod(value, size)
            return spell_cardinal(many) + name + (spell_cardinal(rest) if rest else "")
    raise AssertionError(value)


@lru_cache(maxsize=4096)
def spell_identifier(identifier: str) -> str:
    """Return an identifier as letters: `gpu1-fetch2` is `gpuonefetchtwo`; `p00` and `p0` stay distinct."""
    words = re.sub(r"(0*)([0-9]+)", lambda digits: "zero" * len(digits[1]) + spell_cardinal(int(digits[2])), identifier)
    return re.sub(r"[^A-Za-z]", "", words)


_LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Letters for the digits of a color in the name of a macro, none of them hexadecimal."""


def icon_macro(icon: str, color: str | None) -> str:
    r"""Return the macro of an icon: `gpupic`, or `gpuotbluepic` if the node has its own color."""
    return "".join(part for part in icon if part.isalpha()) + (color or "").translate(_LETTERS) + "pic"


def part_mark(panel: Panel, part: Content) -> str:
    """Return the suffix of names in a panel's second and later part of one type (`two`); else empty."""
    alike = [content for content in panel.content if type(content) is type(part)]
    place = next(index for index, content in enumerate(alike) if content is part)
    return spell_cardinal(place + 1) if place else ""
