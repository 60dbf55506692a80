"""Moments: barriers across lanes, each with its text at its beginning."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.number_words import spell
from tikzgen.layout.timeline.directions import away, extent, moment, spot
from tikzgen.layout.timeline.fitted_texts import NO_TEXT, fit_text
from tikzgen.layout.timeline.margin_marks import REACH
from tikzgen.layout.timeline.margin_needs import Stack
from tikzgen.layout.timeline.timeline_items import Path

__all__ = ["barrier_parts"]


def barrier_parts(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item | Extent]:
    """A line for each barrier, from its text on, and the paper that both take."""
    right = chart.part.direction == "right"
    pitch = plan.values["laneheight"] + plan.values["lanesep"]
    for index, barrier in enumerate(chart.part.barriers):
        middle, many = chart.middle(barrier.lanes)
        low, high = middle - many / 2 - REACH, middle + many / 2 + REACH
        put = stack.put.get(("barrier", index))
        # it reaches farther than others to its text on a higher shelf
        lift = max(put.near - REACH * pitch, 0.0) if put else 0.0
        time = chart.clock.spelt(barrier.time)
        macro = plan.labels.macro(chart.panel, f"barrier{spell(index + 1)}label{chart.mark}") if barrier.label else ""
        ends = spot(chart, time, low, off=-lift), spot(chart, time, high)
        yield Path(("barrier",), ends, macro, "south" if right else "east", pos=0.0)
        text = fit_text(plan, barrier.label, 100.0, strut=False) if barrier.label else NO_TEXT
        long, deep = (text.width, text.height) if right else (text.height, text.width)
        at = moment(chart, barrier.time)
        yield extent(chart, at - long / 2, at + long / 2, away(low) - lift - deep, away(high))
