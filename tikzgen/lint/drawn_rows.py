"""Rows beside the spans that they draw. What was merged into one row begins where one of them does, and ends so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record
from tikzgen.layout.chart import Chart
from tikzgen.lint.drawn_bars import ROUNDED, Bar
from tikzgen.model.timeline_parts import Span

__all__ = ["Edges"]

Edge = tuple[float, float]


class Edges(Record):
    """Where the spans and the bubbles of a timeline begin and end, each as a lane and a place in time."""

    chart: Chart
    starts: frozenset[Edge]
    ends: frozenset[Edge]

    @classmethod
    def of(cls, chart: Chart) -> Edges:
        """The edges of a timeline."""
        periods = [(span.lanes, span.start, span.end) for span in chart.part.spans]
        periods += [((bubble.lane,), bubble.start, bubble.end) for bubble in chart.part.bubbles]
        at = [
            (chart.place[lane], chart.clock.at(start), chart.clock.at(end))
            for lanes, start, end in periods
            for lane in lanes
        ]
        starts, ends = [(lane, start) for lane, start, _ in at], [(lane, end) for lane, _, end in at]
        return cls(chart, *(frozenset(_edge(lane, float(moment)) for lane, moment in each) for each in (starts, ends)))

    def fit(self, bar: Bar) -> bool:
        """Whether a row is a span, or several in one, on every lane that it covers."""
        return all(_edge(lane, bar.start) in self.starts and _edge(lane, bar.end) in self.ends for lane in bar.covered)

    def undrawn(self, bars: Sequence[Bar]) -> Iterator[tuple[str, Span]]:
        """The spans that no row covers; not those that are shorter than any row: they may have been left out."""
        rows: dict[float, list[Bar]] = {}
        for bar in bars:
            for lane in bar.covered:
                rows.setdefault(round(lane, 2), []).append(bar)
        least = min(bar.duration for bar in bars)
        for name, span in zip(self.chart.names, self.chart.part.spans, strict=True):
            start, lasts = float(self.chart.clock.at(span.start)), self.chart.length(span)
            for place in [self.chart.place[lane] for lane in span.lanes] if lasts >= least else ():
                on = rows.get(round(place, 2), ())
                if not any(bar.start <= start + ROUNDED and start + lasts <= bar.end + ROUNDED for bar in on):
                    yield name, span
                    break


def _edge(lane: float, moment: float) -> Edge:
    return round(lane, 2), round(moment, 2)
