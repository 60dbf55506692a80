"""Numbers that know how a file spells them: where a text is wanted, `1.10` and `007` are just that."""

from __future__ import annotations


class SpeltInteger(int):
    """A whole number that is spelt otherwise than Python spells it."""

    spelling: str


class SpeltFloat(float):
    """A decimal number that is spelt otherwise than Python spells it."""

    spelling: str


def spelt(value: float, spelling: str) -> int | float:
    """The number, which knows its spelling where that is not the usual one."""
    if str(value) == spelling:
        return value
    made = SpeltInteger(value) if isinstance(value, int) else SpeltFloat(value)
    made.spelling = spelling
    return made


def spelling(value: float) -> str:
    """How the number was spelt, or else as Python spells it."""
    return value.spelling if isinstance(value, SpeltInteger | SpeltFloat) else str(value)
