"""Where the spans of a timeline lie on paper, for links that end on them."""

from __future__ import annotations

from collections.abc import Container

from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.length import param
from tikzgen.layout.plan import Plan

__all__ = ["outlines"]


def outlines(plan: Plan, chart: Chart, linked: Container[str]) -> dict[str, Extent]:
    """The places of the linked spans, by the names of their nodes."""
    unit, high, pitch = param("timeunit"), param("laneheight"), param("laneheight") + param("lanesep")
    found = {}
    for span, name in zip(chart.part.spans, chart.names, strict=True):
        if name not in linked:
            continue
        start, end = (unit * float(chart.clock.at(moment)) for moment in (span.start, span.end))
        lane, many = chart.middle(span.lanes)
        middle, half = pitch * lane, (pitch * (many - 1) + high) * 0.5
        if chart.part.direction == "right":
            outline = Extent(start, -middle - half, end, -middle + half)
        elif chart.part.direction == "up":
            outline = Extent(middle - half, start, middle + half, end)
        else:
            outline = Extent(middle - half, -end, middle + half, -start)
        found[plan.name(chart.panel, name)] = outline
    return found
