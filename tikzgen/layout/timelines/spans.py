"""Spans as bars, on the frames behind them."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.chart import Chart
from tikzgen.layout.length import number
from tikzgen.layout.plan import Plan
from tikzgen.layout.scene import Bar, Item, Rectangle
from tikzgen.layout.timelines.room import fitted, is_level

__all__ = ["frames", "items"]


def frames(chart: Chart) -> Iterator[Item]:
    """The boxes behind the spans of a period."""
    for frame in chart.part.frames:
        middle, many = chart.middle(frame.lanes)
        low, high = number(middle - many / 2), number(middle + many / 2)
        yield Rectangle("frame", chart.clock.spelt(frame.start), low, chart.clock.spelt(frame.end), high)


def items(plan: Plan, chart: Chart) -> Iterator[Item]:
    """One bar a span, with the text that fits."""
    for span, name, stem in zip(chart.part.spans, chart.names, chart.stems, strict=True):
        middle, many = chart.middle(span.lanes)
        text, size = fitted(plan, chart, span, stem)
        yield Bar(
            name=plan.name(chart.panel, name),
            phase=span.phase,
            start=chart.clock.spelt(span.start),
            duration=number(float(chart.clock.at(span.end) - chart.clock.at(span.start)), 4),
            lane=middle,
            lanes=many,
            text=text,
            size=size,
            level=is_level(plan, chart.part, span),
        )
