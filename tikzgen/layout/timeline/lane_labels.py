"""The lanes' labels and groups, the timeline's title, and the paper that lanes take."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.constants import INNER
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Caption, Item
from tikzgen.layout.length import ZERO, Length, param
from tikzgen.layout.number_words import wordy
from tikzgen.layout.timeline.directions import away, extent
from tikzgen.layout.timeline.lane_groups import group_parts
from tikzgen.layout.timeline.margin_needs import Stack
from tikzgen.layout.timeline.timeline_macros import stem

__all__ = ["lane_parts"]


def lane_parts(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item | Extent]:
    """A label for each lane and each strip, the groups of lanes, then the title; labels may be larger than lanes."""
    right = chart.part.direction == "right"
    anchor = {"right": "east", "up": "north", "down": "south"}[chart.part.direction]
    before = 0.0
    for macro, label, row in _labelled(plan, chart):
        yield Caption((macro,), ("slbl",), x=ZERO, y=Length(row), anchor=anchor)
        size = plan.measure(label)
        long, thick = size.width, size.height + size.depth
        if not right:
            long, thick = thick, long
        half, before = thick / 2 + INNER, max(before, long + 2 * INNER)
        yield extent(chart, ZERO, ZERO, away(row) - half, away(row) + half)
    groups, deep = group_parts(plan, chart, before)
    yield from groups
    top, end = away(-0.5) - stack.before, param("timeunit", float(chart.end))
    if chart.part.title:
        title, look = plan.labels.macro(chart.panel, "timelinetitle" + chart.mark), ("slbl", "strong")
        size = plan.measure(chart.part.title, bold=True)
        head, half = size.height + size.depth + 2 * INNER, size.width / 2 + INNER
        if right:
            yield Caption(
                (title,), look, x=Length(float(chart.end) / 2), y=Length(-0.5), anchor="south", shift=stack.before
            )
            yield extent(chart, end * 0.5 - half, end * 0.5 + half, top - head, top)
        else:
            row = (chart.rows - 1) / 2
            drop = -deep if chart.part.direction == "up" else deep
            yield Caption((title,), look, x=ZERO, y=Length(row), anchor=anchor, shift=drop)
            yield extent(chart, Length(-deep - head), ZERO, away(row) - half, away(row) + half)
    yield extent(chart, Length(-deep), end, top, away(chart.rows - 0.5) + stack.after)


def _labelled(plan: Plan, chart: Chart) -> Iterator[tuple[str, str, float]]:
    """The labels of lanes and strips, with their macros and their rows."""
    for lane in chart.part.lanes:
        if lane.label:
            macro = plan.labels.macro(chart.panel, f"{wordy(lane.id)}lanelabel{chart.mark}")
            yield macro, lane.label, chart.place[lane.id]
    for index, (strip, row) in enumerate(zip(chart.part.strips, chart.strips, strict=True)):
        if strip.label:
            yield plan.labels.macro(chart.panel, stem(chart, "strip", index)), strip.label, row
