"""Moments: barriers across lanes."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.number_words import spell
from tikzgen.layout.timeline.directions import away, extent, moment, spot
from tikzgen.layout.timeline.fitted_texts import fit_text
from tikzgen.layout.timeline.margin_marks import REACH
from tikzgen.layout.timeline.margin_needs import Stack
from tikzgen.layout.timeline.timeline_items import Path

__all__ = ["extents", "items"]


def _reach(chart: Chart, lanes: list[str]) -> tuple[float, float]:
    middle, many = chart.middle(lanes)
    return middle - many / 2 - REACH, middle + many / 2 + REACH


def _lift(plan: Plan, chart: Chart, stack: Stack, index: int) -> float:
    """How much farther than others a barrier reaches, to its text on a higher shelf; in cm."""
    put = stack.put.get(("barrier", index))
    pitch = plan.values["laneheight"] + plan.values["lanesep"]
    return max(put.near - REACH * pitch, 0.0) if put else 0.0


def items(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item]:
    """A line for each barrier, from its text on."""
    for index, barrier in enumerate(chart.part.barriers):
        low, high = _reach(chart, barrier.lanes)
        time = chart.clock.spelt(barrier.time)
        macro = plan.labels.macro(chart.panel, f"barrier{spell(index + 1)}label{chart.mark}") if barrier.label else ""
        first = spot(chart, time, low, off=-_lift(plan, chart, stack, index))
        anchor = "south" if chart.part.direction == "right" else "east"
        yield Path(("barrier",), (first, spot(chart, time, high)), macro, anchor, pos=0.0)


def extents(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Extent]:
    """What barriers take, with their labels."""
    for index, barrier in enumerate(chart.part.barriers):
        start, stop = _reach(chart, barrier.lanes)
        low, high = away(start) - _lift(plan, chart, stack, index), away(stop)
        size = fit_text(plan, barrier.label, 100.0, strut=False) if barrier.label else None
        width, height = (size.width, size.height) if size else (0.0, 0.0)
        time = moment(chart, barrier.time)
        if chart.part.direction == "right":
            yield extent(chart, time - width / 2, time + width / 2, low - height, high)
        else:
            yield extent(chart, time - height / 2, time + height / 2, low - width, high)
