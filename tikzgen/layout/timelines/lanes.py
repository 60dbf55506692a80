"""The lanes' labels, the timeline's title, and the paper that lanes take."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.chart import Chart
from tikzgen.layout.length import ZERO, Length, param
from tikzgen.layout.plan import INNER, Plan
from tikzgen.layout.scene import Caption, Extent, Item
from tikzgen.layout.timelines import axis
from tikzgen.layout.words import wordy

__all__ = ["body", "extents", "items"]


def items(plan: Plan, chart: Chart) -> Iterator[Item]:
    """A label for each lane, then the title."""
    part = chart.part
    anchor = {"right": "east", "up": "north", "down": "south"}[part.direction]
    for lane in part.lanes:
        if lane.label:
            macro = plan.labels.macro(chart.panel, wordy(lane.id) + "lanelabel")
            yield Caption((macro,), ("slbl",), x=ZERO, y=Length(chart.place[lane.id]), anchor=anchor)
    if part.title:
        title = plan.labels.macro(chart.panel, "timelinetitle" + chart.mark)
        if part.direction == "right":
            yield Caption((title,), ("slbl", "strong"), x=Length(float(chart.end) / 2), y=Length(-0.5), anchor="south")
        else:
            drop = -(_label_height(plan, chart)) if part.direction == "up" else _label_height(plan, chart)
            middle = Length((chart.rows - 1) / 2)
            yield Caption((title,), ("slbl", "strong"), x=ZERO, y=middle, anchor=anchor, shift=drop)


def _label_height(plan: Plan, chart: Chart) -> float:
    sizes = [plan.measure(lane.label) for lane in chart.part.lanes if lane.label]
    return max((size.height + size.depth for size in sizes), default=0.0) + (2 * INNER if sizes else 0.0)


def extents(plan: Plan, chart: Chart) -> Iterator[Extent]:
    """What the lanes' labels take across the lanes: they may be larger than their lanes."""
    pitch = param("laneheight") + param("lanesep")
    for lane in chart.part.lanes:
        if lane.label:
            size = plan.measure(lane.label)
            middle = pitch * chart.place[lane.id]
            if chart.part.direction == "right":
                half = (size.height + size.depth) / 2 + INNER
                yield Extent(ZERO, -middle - half, ZERO, -middle + half)
            else:
                half = size.width / 2 + INNER
                yield Extent(middle - half, ZERO, middle + half, ZERO)


def body(plan: Plan, chart: Chart) -> Extent:
    """What the lanes, their labels, the title and the time arrow take."""
    part = chart.part
    end = param("timeunit", float(chart.end))
    pitch = param("laneheight") + param("lanesep")
    half = pitch * 0.5
    names = [plan.measure(lane.label).width for lane in part.lanes if lane.label]
    before = max(names, default=0.0) + (2 * INNER if names else 0.0)
    title = plan.measure(part.title, bold=True) if part.title else None
    head = title.height + title.depth + 2 * INNER if title else 0.0
    tail = axis.TAIL if part.axis else 0.0
    after = pitch * (chart.rows - 1) + half + axis.beyond(plan, chart)
    if part.direction == "right":
        return Extent(Length(-before), -after, end + tail, half + head)
    under = _label_height(plan, chart) + head
    left, right = -half, after
    if title:
        middle = pitch * ((chart.rows - 1) / 2)
        side = title.width / 2 + INNER
        if middle.at(plan.values) - side < left.at(plan.values):
            left = middle - side
        if middle.at(plan.values) + side > right.at(plan.values):
            right = middle + side
    if part.direction == "up":
        return Extent(left, Length(-under), right, end + tail)
    return Extent(left, -end - tail, right, Length(under))
