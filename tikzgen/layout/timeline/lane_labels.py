"""The lanes' labels and groups, the timeline's title, and the paper that lanes take."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import INNER, Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Caption, Item
from tikzgen.layout.length import ZERO, Length, param
from tikzgen.layout.mark_macros import stem
from tikzgen.layout.number_words import wordy
from tikzgen.layout.timeline import lane_groups as groups
from tikzgen.layout.timeline.directions import away, extent
from tikzgen.layout.timeline.margin_needs import Stack

__all__ = ["extents", "items"]


def items(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item]:
    """A label for each lane and each strip, the groups of lanes, then the title."""
    part = chart.part
    anchor = {"right": "east", "up": "north", "down": "south"}[part.direction]
    for lane in part.lanes:
        if lane.label:
            macro = plan.labels.macro(chart.panel, f"{wordy(lane.id)}lanelabel{chart.mark}")
            yield Caption((macro,), ("slbl",), x=ZERO, y=Length(chart.place[lane.id]), anchor=anchor)
    for index, row in enumerate(chart.strips):
        macro = plan.labels.macro(chart.panel, stem(chart, "strip", index))
        if macro:
            yield Caption((macro,), ("slbl",), x=ZERO, y=Length(row), anchor=anchor)
    before = _labels_depth(plan, chart)
    yield from groups.items(plan, chart, before)
    if part.title:
        title = plan.labels.macro(chart.panel, "timelinetitle" + chart.mark)
        if part.direction == "right":
            middle = Length(float(chart.end) / 2)
            lift = stack.before
            yield Caption((title,), ("slbl", "strong"), x=middle, y=Length(-0.5), anchor="south", shift=lift)
        else:
            under = groups.depth(plan, chart, before)
            drop = -under if part.direction == "up" else under
            middle = Length((chart.rows - 1) / 2)
            yield Caption((title,), ("slbl", "strong"), x=ZERO, y=middle, anchor=anchor, shift=drop)


def _labelled(chart: Chart) -> list[tuple[str, float]]:
    """The labels of lanes and strips, with their rows."""
    found = [(lane.label, chart.place[lane.id]) for lane in chart.part.lanes]
    found.extend((strip.label, row) for strip, row in zip(chart.part.strips, chart.strips, strict=True))
    return [(label, row) for label, row in found if label]


def _labels_depth(plan: Plan, chart: Chart) -> float:
    """How far before time 0 the labels of lanes reach, in cm."""
    sizes = [plan.measure(label) for label, _ in _labelled(chart)]
    if not sizes:
        return 0.0
    if chart.part.direction == "right":
        return max(size.width for size in sizes) + 2 * INNER
    return max(size.height + size.depth for size in sizes) + 2 * INNER


def extents(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Extent]:
    """What the lanes take, their labels, their groups and the title: labels may be larger than their lanes."""
    before = _labels_depth(plan, chart)
    for label, row in _labelled(chart):
        size = plan.measure(label)
        thick = size.height + size.depth if chart.part.direction == "right" else size.width
        half = thick / 2 + INNER
        yield extent(chart, ZERO, ZERO, away(row) - half, away(row) + half)
    yield from groups.extents(plan, chart, before)
    deep = groups.depth(plan, chart, before)
    top, bottom = away(-0.5) - stack.before, away(chart.rows - 0.5) + stack.after
    end = param("timeunit", float(chart.end))
    head = 0.0
    if chart.part.title:
        size = plan.measure(chart.part.title, bold=True)
        head, half = size.height + size.depth + 2 * INNER, size.width / 2 + INNER
        if chart.part.direction == "right":
            yield extent(chart, end * 0.5 - half, end * 0.5 + half, top - head, top)
        else:
            middle = away((chart.rows - 1) / 2)
            yield extent(chart, Length(-deep - head), ZERO, middle - half, middle + half)
    yield extent(chart, Length(-deep), end, top, bottom)
