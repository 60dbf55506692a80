"""Where the spans of a timeline lie on paper, for links that end on them."""

from __future__ import annotations

from collections.abc import Container

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.length import Length, param

__all__ = ["outlines"]


def outlines(plan: Plan, chart: Chart, linked: Container[str]) -> dict[str, Extent]:
    """The places of the linked spans, by the names of their nodes."""
    unit, high, pitch = param("timeunit"), param("laneheight"), param("laneheight") + param("lanesep")
    right, up = chart.part.direction == "right", chart.part.direction == "up"
    found = {}
    across: dict[tuple[str, ...], tuple[Length, Length]] = {}  # of the lanes: spans share them
    for span, name in zip(chart.part.spans, chart.names, strict=True):
        if name not in linked:
            continue
        start, end = (unit * float(chart.clock.at(moment)) for moment in (span.start, span.end))
        lanes = tuple(span.lanes)
        if lanes not in across:
            lane, many = chart.middle(lanes)
            middle, half = pitch * (-lane if right else lane), (pitch * (many - 1) + high) * 0.5
            across[lanes] = middle - half, middle + half
        near, far = across[lanes]
        if right:
            outline = Extent(start, near, end, far)
        elif up:
            outline = Extent(near, start, far, end)
        else:
            outline = Extent(near, -end, far, -start)
        found[plan.name(chart.panel, name)] = outline
    return found
