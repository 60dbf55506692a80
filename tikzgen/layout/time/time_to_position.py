"""Positions of times: breaks of the axis, numbers within TeX's limits, and the direction of time."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import number
from tikzgen.model.content import Content
from tikzgen.model.exact_fields import spell_time
from tikzgen.model.figure import FigureModel
from tikzgen.model.timeline import Span

_MOST_TIME_NUMBERS_LIMIT = 10_000  # largest number of a time that TeX accepts
_SHORTEST_UNIT = Fraction(1)
_FEWEST_UNITS_COUNT = 10


class TimeScale(Record):
    """Positions of times in lengths of `unit`: omitted periods (`cuts`) shrink to `gap`.

    The unit is one time unit, unless drawn numbers would be too large for TeX, or too small to be exact.
    """

    cuts: tuple[tuple[Fraction, Fraction], ...] = ()
    gap: Fraction = Fraction(0)
    unit: Fraction = Fraction(1)

    def locate_moment(self, moment: Fraction) -> Fraction:
        """Return the position of a time; inside a break, the share of its gap."""
        if not self.cuts:
            return moment / self.unit if self.unit != 1 else moment
        left = Fraction(0)
        for start, end in self.cuts:
            if moment <= start:
                break
            left += (min(moment, end) - start) * (1 - self.gap / (end - start))
        return (moment - left) / self.unit

    def measure_span(self, span: Span) -> float:
        """Return the drawn length of a span."""
        if not self.cuts:
            return float(span.duration) if self.unit == 1 else float(span.duration / self.unit)
        return float(self.locate_moment(span.end) - self.locate_moment(span.start))

    def clear(self, start: Fraction, end: Fraction) -> tuple[Fraction, Fraction]:
        """Return the drawn start and end of the longest part of a period that no break interrupts."""
        edges = [start]
        for cut in self.cuts:
            if start < cut[1] and cut[0] < end:
                edges.extend(cut)
        edges.append(end)
        pieces = [
            (self.locate_moment(low), self.locate_moment(high))
            for low, high in zip(edges[::2], edges[1::2], strict=True)
        ]
        low, high = max(pieces, key=lambda piece: piece[1] - piece[0])
        # A period within a break has only its share of the gap.
        return (low, high) if low < high else (self.locate_moment(start), self.locate_moment(end))

    def spell_moment(self, moment: Fraction) -> str:
        """Return the position of a time for TeX, with four digits."""
        return number(float(self.locate_moment(moment)), 4)


class _Part(Protocol):
    @property
    def direction(self) -> str: ...


class Directed:
    """A part whose time runs in a direction."""

    part: _Part

    @property
    def right(self) -> bool:
        """Whether time runs to the right; else it runs up or down."""
        return self.part.direction == "right"

    def swap_axes(self, wide: float, high: float) -> tuple[float, float]:
        """Convert a width and a height to sizes along time and across lanes, or back."""
        return (wide, high) if self.right else (high, wide)


def time_unit(figure: FigureModel) -> Fraction:
    """Return the power of ten in which all times are drawn.

    TeX numbers end at 16383 and have four digits.
    """
    end = max((part.end for _, _, part in figure.parts(Content)), default=Fraction(0))
    unit = Fraction(1)
    while end / unit > _MOST_TIME_NUMBERS_LIMIT:
        unit *= 10
    if 0 < end < _SHORTEST_UNIT:
        while end / unit < _FEWEST_UNITS_COUNT:
            unit /= 10
    return unit


def unit_meaning(unit: Fraction) -> str:
    """Return the description of the distance in which a file draws times."""
    return "length of one time unit" if unit == 1 else f"length of {spell_time(unit)} time units"
