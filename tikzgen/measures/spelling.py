"""Exact numbers for programs, for people and for TeX: the fraction as it is, and rounded beside it."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from tikzgen.measures.catalogue import Value

__all__ = ["exact", "percent", "rounded", "spelt"]


def exact(value: Fraction | int) -> int | str:
    """A number as JSON holds it without loss: 33, or `"3/11"`."""
    return int(value) if value == int(value) else str(value)


def spelt(value: Value) -> int | str | list[int | str]:
    """A measure as JSON holds it; a list where there is one number for each device."""
    return [exact(each) for each in value] if isinstance(value, tuple) else exact(value)


def rounded(value: Fraction | int, places: int = 3) -> str:
    """To so many decimals at most, halves to even: 3/8 is 0.375, 1/3 is 0.333, 2 is 2."""
    number = Context(prec=60).divide(Decimal(Fraction(value).numerator), Decimal(Fraction(value).denominator))
    text = f"{number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN, Context(prec=60)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(value: Fraction | int) -> str:
    """A share in percent, to one decimal, without the sign: 3/11 is 27.3."""
    return rounded(value * 100, 1)
