"""Numbers that keep the notation of the file, so that `1.10` and `007` stay unchanged as text."""

from __future__ import annotations

from fractions import Fraction

# Exact values: 3, 2.8 and 14/5 become fractions, not the nearest binary number.

_NUMBER_CHARS = 60  # characters
_EXPONENT_DIGITS = 2  # digits of the exponent


def read_fraction(text: str) -> Fraction:
    """Return the exact number that a string represents.

    Raise `ValueError` or `ZeroDivisionError` if it is not a number, or if its exponent would exhaust the memory.
    """
    exponent = text.lower().partition("e")[2]
    if len(text) > _NUMBER_CHARS or len(exponent.lstrip("+-0")) > _EXPONENT_DIGITS:
        raise ValueError(text)
    return Fraction(text)


class SpeltInteger(int):
    """Integer whose notation differs from the notation of Python."""

    spelling: str


class SpeltFloat(float):
    """Decimal number whose notation differs from the notation of Python."""

    spelling: str


def with_spelling(value: float, spelling: str) -> int | float:
    """Return a number that keeps its notation if Python would write it differently."""
    if str(value) == spelling:
        return value
    made = SpeltInteger(value) if isinstance(value, int) else SpeltFloat(value)
    made.spelling = spelling
    return made


def spell_number(value: float) -> str:
    """Format a number in the notation of its file, or else as Python does."""
    return value.spelling if isinstance(value, SpeltInteger | SpeltFloat) else str(value)
