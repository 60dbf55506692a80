"""Numbers as they are spelt: 3, 2.8 or 14/5 as the fraction that each is, not its nearest binary neighbour."""

from fractions import Fraction

_LONGEST = 60  # characters
_LONGEST_EXPONENT = 2  # digits


def read_fraction(text: str) -> Fraction:
    """The number that a text spells; `ValueError` or `ZeroDivisionError` where it spells none.

    One whose exponent would fill the memory counts as none.
    """
    exponent = text.lower().partition("e")[2]
    if len(text) > _LONGEST or len(exponent.lstrip("+-0")) > _LONGEST_EXPONENT:
        raise ValueError(text)
    return Fraction(text)
