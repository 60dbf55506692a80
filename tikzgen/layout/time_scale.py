"""The scale of a timeline: where moments lie on paper, with the stretches that its axis leaves out."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.layout.length import number


class TimeScale(Record):
    """Where moments lie on paper, in lengths of `unit`: stretches that the axis leaves out shrink to `gap`.

    The unit is one time unit, unless numbers on paper would then be too large for TeX, or too small to be exact.
    """

    cuts: tuple[tuple[Fraction, Fraction], ...] = ()
    gap: Fraction = Fraction(0)
    unit: Fraction = Fraction(1)

    def at(self, moment: Fraction) -> Fraction:
        """The place of a moment; inside a break, the share of its gap."""
        if not self.cuts:
            return moment / self.unit if self.unit != 1 else moment
        left = Fraction(0)
        for start, end in self.cuts:
            if moment <= start:
                break
            left += (min(moment, end) - start) * (1 - self.gap / (end - start))
        return (moment - left) / self.unit

    def clear(self, start: Fraction, end: Fraction) -> tuple[Fraction, Fraction]:
        """Where, on paper, the longest stretch of a period begins and ends that no break tears."""
        edges = [start]
        for cut in self.cuts:
            if start < cut[1] and cut[0] < end:
                edges.extend(cut)
        edges.append(end)
        pieces = [(self.at(low), self.at(high)) for low, high in zip(edges[::2], edges[1::2], strict=True)]
        low, high = max(pieces, key=lambda piece: piece[1] - piece[0])
        # what lies within a break has nothing but its gap
        return (low, high) if low < high else (self.at(start), self.at(end))

    def spelt(self, moment: Fraction) -> str:
        """The place of a moment as TeX reads it; four digits are finer than any printer for figures under a metre."""
        return number(float(self.at(moment)), 4)
