"""Numbers that know how a file spells them: where a text is wanted, `1.10` and `007` are just that."""

from __future__ import annotations

from fractions import Fraction

# Numbers as they are spelt: 3, 2.8 or 14/5 as the fraction that each is, not its nearest binary neighbour.

_NUMBER_CHARS = 60  # characters
_EXPONENT_DIGITS = 2  # digits of the exponent


def read_fraction(text: str) -> Fraction:
    """The number that a text spells; `ValueError` or `ZeroDivisionError` where it spells none.

    One whose exponent would fill the memory counts as none.
    """
    exponent = text.lower().partition("e")[2]
    if len(text) > _NUMBER_CHARS or len(exponent.lstrip("+-0")) > _EXPONENT_DIGITS:
        raise ValueError(text)
    return Fraction(text)


class SpeltInteger(int):
    """A whole number that is spelt otherwise than Python spells it."""

    spelling: str


class SpeltFloat(float):
    """A decimal number that is spelt otherwise than Python spells it."""

    spelling: str


def with_spelling(value: float, spelling: str) -> int | float:
    """Return a number that keeps its spelling if that is not the usual one."""
    if str(value) == spelling:
        return value
    made = SpeltInteger(value) if isinstance(value, int) else SpeltFloat(value)
    made.spelling = spelling
    return made


def spell_number(value: float) -> str:
    """Spell a number as it was written, or else as Python does."""
    return value.spelling if isinstance(value, SpeltInteger | SpeltFloat) else str(value)
