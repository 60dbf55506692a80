"""Moments: barriers across lanes."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.chart import Chart
from tikzgen.layout.length import number, param
from tikzgen.layout.plan import INNER, Plan
from tikzgen.layout.scene import Extent, Item, Rule
from tikzgen.layout.words import spell

__all__ = ["extents", "items"]

_BARRIER = 0.65  # of the distance of lanes: how far a barrier reaches beyond the middle of the outermost


def _reach(chart: Chart, lanes: list[str]) -> tuple[float, float]:
    middle, many = chart.middle(lanes)
    return middle - (many - 1) / 2 - _BARRIER, middle + (many - 1) / 2 + _BARRIER


def items(plan: Plan, chart: Chart) -> Iterator[Item]:
    """A line for each barrier."""
    for index, barrier in enumerate(chart.part.barriers):
        low, high = _reach(chart, barrier.lanes)
        moment = chart.clock.spelt(barrier.time)
        macro = plan.labels.macro(chart.panel, f"barrier{spell(index + 1)}label{chart.mark}") if barrier.label else ""
        place = "above" if chart.part.direction == "right" else "left"
        yield Rule("barrier", moment, number(low), moment, number(high), macro, "slbl", place)


def extents(plan: Plan, chart: Chart) -> Iterator[Extent]:
    """What barriers take, with their labels."""
    pitch = param("laneheight") + param("lanesep")
    for barrier in chart.part.barriers:
        start, stop = _reach(chart, barrier.lanes)
        low, high = pitch * start, pitch * stop
        size = plan.measure(barrier.label) if barrier.label else None
        width, height = (size.width + 2 * INNER, size.height + size.depth + 2 * INNER) if size else (0.0, 0.0)
        sign = -1 if chart.part.direction == "down" else 1
        moment = param("timeunit", float(chart.clock.at(barrier.time)) * sign)
        if chart.part.direction == "right":
            yield Extent(moment - width / 2, -high, moment + width / 2, -low + height)
        else:
            yield Extent(low - width, moment - height / 2, high, moment + height / 2)
