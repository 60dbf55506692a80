"""Sentences about a figure, with numbers as English says them."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.base import plain_words
from tikzgen.base.record import Record
from tikzgen.model.exact_fields import spell_time


def number(value: Fraction | int) -> str:
    """A number as it is: 33, 4.5, 14/3.

    >>> number(Fraction(9, 2)), number(Fraction(14, 3)), number(33)
    ('4.5', '14/3', '33')
    """
    return str(spell_time(Fraction(value)))


def percent(share: Fraction) -> str:
    """A share: `27.3 %`."""
    return f"{plain_words.percent(share)} %"


def duration(value: Fraction, unit: str) -> str:
    """A time with its unit: `33 time units`, `4.5 ms`."""
    return f"{number(value)} {unit or ('time unit' if value == 1 else 'time units')}"


class Sentence(Record):
    """What is said, without a full stop; `rank` 0 is said always, greater ones where there is room.

    `named` where it begins with a name, whose capital stays.
    """

    rank: int
    text: str
    named: bool = False

    @property
    def inside(self) -> str:
        """The same inside another sentence."""
        return self.text if self.named else self.text[:1].lower() + self.text[1:]


class Known(Record):
    """What is known of a panel: the `subject` of its figure, which tells who is there already; where its schedule was
    computed, its end, in time units, and the share of idle time."""

    end: Fraction | None = None
    idle: Fraction | None = None
    subject: str = ""
