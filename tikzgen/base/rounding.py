"""Exact numbers for the eye: rounded to a few decimals, or as a percentage."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction


def rounded(value: Fraction | int, places: int = 3) -> str:
    """To so many decimals at most, halves to even: 3/8 is 0.375, 1/3 is 0.333, 2 is 2."""
    number = Context(prec=60).divide(Decimal(Fraction(value).numerator), Decimal(Fraction(value).denominator))
    text = f"{number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN, Context(prec=60)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(value: Fraction | int) -> str:
    """A share in percent, to one decimal, without the sign: 3/11 is 27.3."""
    return rounded(value * 100, 1)
