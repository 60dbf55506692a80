"""The table beside the lanes of a timeline: a head for each column, and a row for each lane."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.constants import INNER
from tikzgen.layout.items import Item
from tikzgen.layout.lengths import Extent, number, param
from tikzgen.layout.plan import Plan
from tikzgen.layout.timeline.directions import away, edge, extent, spot
from tikzgen.layout.timeline.timeline_items import Label
from tikzgen.layout.timeline_facts import Chart

_GAP = 0.12  # cm between columns, besides the room around their texts
_FIRST = 0.2  # cm between the lanes, or their labels, and the first column


def table_parts(plan: Plan, chart: Chart, inset: float) -> Iterator[Item | Extent]:
    """The columns from `inset` cm behind the lanes on, each as wide as its widest text, which stand at its middle."""
    if not chart.part.columns:
        return
    end, last = param("timeunit", float(chart.end)), number(float(chart.end), 4)
    along, top, base = inset + _FIRST, edge(chart, "before"), away(edge(chart, "after"))
    high, drop = head_height(plan, chart), plan.measure("A").height / 2  # one baseline a row
    for index, head in enumerate(chart.part.columns):
        cells = [lane.cells[index] for lane in chart.part.lanes if index < len(lane.cells)]
        widths = [plan.measure(text).width for text in cells if text]
        wide = max([plan.measure(head, bold=True).width if head else 0.0, *widths]) + 2 * INNER
        middle = along + wide / 2
        if macro := plan.labels.of(*chart.at, "columns", index):
            yield Label((macro,), spot(chart, last, top, along=middle), "south", ("slbl", "strong"))
        for row, lane in enumerate(chart.part.lanes):
            if macro := plan.labels.of(*chart.at, "lanes", row, "cells", index):
                yield Label(
                    (macro,), spot(chart, last, chart.place[lane.id], along=middle, off=drop), "base", known=last
                )
        along += wide + _GAP
    yield extent(chart, end, end + (along - _GAP), away(top) - high, base)


def head_height(plan: Plan, chart: Chart) -> float:
    """What the heads take above the lanes, in cm."""
    sizes = [plan.measure(head, bold=True) for head in chart.part.columns if head]
    return max((size.height + size.depth + 2 * INNER for size in sizes), default=0.0)
