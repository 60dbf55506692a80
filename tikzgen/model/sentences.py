"""Sentences that describe a figure, with numbers formatted for English."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.base import plain_words
from tikzgen.base.record import Record
from tikzgen.model.exact_fields import spell_time


def number(value: Fraction | int) -> str:
    """Return an exact number as text: 33, 4.5, 14/3.

    >>> number(Fraction(9, 2)), number(Fraction(14, 3)), number(33)
    ('4.5', '14/3', '33')
    """
    return str(spell_time(Fraction(value)))


def spell_percent(share: Fraction) -> str:
    """Return a share as a percentage: `27.3 %`."""
    return f"{plain_words.format_percent(share)} %"


def spell_duration(value: Fraction, unit: str) -> str:
    """Return a duration with its unit: `33 time units`, `4.5 ms`."""
    return f"{number(value)} {unit or ('time unit' if value == 1 else 'time units')}"


class Sentence(Record):
    """A sentence of a description, without a period.

    A sentence of `rank` 0 is always used, one of a greater rank only if there is space. `named` marks a sentence that
    begins with a name, whose capital stays.
    """

    rank: int
    text: str
    named: bool = False

    @property
    def inside(self) -> str:
        """Sentence for use inside another sentence: with a lower-case first letter, unless that is a name."""
        return self.text if self.named else self.text[:1].lower() + self.text[1:]


class Known(Record):
    """Known properties of a panel for its description.

    `subject` is the subject of its figure, which already names the nodes; empty if unknown. `end` (in time units) and
    `idle` (the share of idle time) come from a computed schedule, else they equal None.
    """

    end: Fraction | None = None
    idle: Fraction | None = None
    subject: str = ""
