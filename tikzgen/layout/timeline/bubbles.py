"""Bubbles: the idle time of a lane, drawn behind its spans."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.cell_texts import bubble_stems, bubbles, remark
from tikzgen.layout.chart import Chart
from tikzgen.layout.length import number
from tikzgen.layout.timeline.fit_labels import chosen, extent
from tikzgen.layout.timeline.timeline_items import Bar

__all__ = ["items"]

_BESIDE = 0.06  # cm between a bubble's label and its ends, on each side


def items(plan: Plan, chart: Chart) -> Iterator[Bar]:
    """One bar a bubble, with its label where that fits."""
    for (bubble, name), stem in zip(bubbles(chart.part), bubble_stems(chart.part, chart.mark), strict=True):
        length = chart.clock.at(bubble.end) - chart.clock.at(bubble.start)
        text = size = ""
        if bubble.label:
            across, along = extent(plan, 1, float(length))
            text, size = chosen(plan, chart, stem, bubble.label, "", (along - 2 * _BESIDE, across - _BESIDE))
        yield Bar(
            name=plan.name(chart.panel, name),
            phase="idle",
            start=chart.clock.spelt(bubble.start),
            duration=number(float(length), 4),
            lane=chart.place[bubble.lane],
            lanes=1,
            text=text,
            size=size,
            slide=bubble.slide or 0,
            idle=True,
            comment=remark(bubble.cause),
        )
