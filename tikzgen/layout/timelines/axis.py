"""The time arrow with its text."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.chart import Chart
from tikzgen.layout.length import ZERO, number, param
from tikzgen.layout.plan import INNER, Plan
from tikzgen.layout.scene import Extent, Item, Rule

__all__ = ["GAP", "TAIL", "beyond", "extents", "items"]

GAP = 0.15  # cm between the lanes and the time arrow
TAIL = 0.55  # cm by which the arrow outruns the last span


def items(plan: Plan, chart: Chart) -> Iterator[Item]:
    """The arrow, right after the last row."""
    axis = chart.part.axis
    if axis is None:
        return
    edge = number(chart.rows - 0.5)
    macro = plan.labels.macro(chart.panel, f"timelabel{chart.mark}") if axis.label else ""
    yield Rule("time", "0", edge, number(float(chart.end), 4), edge, macro, "slbl", chart.part.direction)


def beyond(plan: Plan, chart: Chart) -> float:
    """What the axis takes after the lanes, in cm."""
    if chart.part.axis is None:
        return 0.0
    size = plan.measure(chart.part.axis.label)
    return GAP + 2 * INNER + size.height + size.depth


def extents(plan: Plan, chart: Chart) -> Iterator[Extent]:
    """What the text at the time arrow takes along the arrow: it may be longer than that."""
    axis = chart.part.axis
    if axis and axis.label:
        width = plan.measure(axis.label).width + 2 * INNER
        end = param("timeunit", float(chart.end))
        if chart.part.direction == "right":
            yield Extent(end + (0.5 - width), ZERO, end, ZERO)
        else:
            middle = (end + 0.5) * (0.5 if chart.part.direction == "up" else -0.5)
            yield Extent(ZERO, middle - width / 2, ZERO, middle + width / 2)
