"""What lies behind the spans of a timeline: bands of lanes, lines along and between them, the grid of the ticks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tikzgen.layout.constants import GAP_PT
from tikzgen.layout.items import Item
from tikzgen.layout.lengths import ZERO, number, param
from tikzgen.layout.plan import Plan
from tikzgen.layout.timeline.axis import ruler
from tikzgen.layout.timeline.directions import edge, spot
from tikzgen.layout.timeline.timeline_items import Grid, Path
from tikzgen.layout.timeline_facts import APART, Chart, outermost
from tikzgen.plane.units import CM_PER_PT


def ground_parts(plan: Plan, chart: Chart) -> Iterator[Item]:
    """The bands first, then the grid over them, then lines."""
    end = number(float(chart.end), 4)
    half = param("laneheight", 0.5) + param("lanesep", 0.5)
    for lane in chart.part.lanes:
        if lane.band:
            row = chart.place[lane.id]
            corners = (("0", half * -1), (end, half * -1), (end, half), ("0", half))
            spots = tuple(spot(chart, time, row, off=off) for time, off in corners)
            yield Path((f"band={lane.band}",), spots, closed=True)
    axis = chart.part.axis
    if axis and axis.grid and (marks := ruler(plan, chart).marks):
        yield Grid(marks, number(edge(chart, "before")), number(edge(chart, "after")))
    for lane in chart.part.lanes:
        if lane.line:
            yield _along(chart, ("lane line",), chart.place[lane.id], end)
    rules = chart.part.rules
    for row, parts_groups in _boundaries(chart):
        dash = rules.groups if parts_groups and rules.groups != "none" else rules.between
        if dash != "none":
            yield _along(chart, ("rule",) if dash == "solid" else ("rule", dash), row, end)


def _along(chart: Chart, styles: tuple[str, ...], row: float, end: str) -> Path:
    return Path(styles, (spot(chart, "0", row), spot(chart, end, row)))


def _boundaries(chart: Chart) -> Iterator[tuple[float, bool]]:
    """The rows between neighbouring lanes, below the strips of the first one, and whether groups meet there."""
    holders = [outermost(chart.part, lane) for lane in chart.part.lanes]
    for (before, held), (after, other) in pairwise(zip(chart.part.lanes, holders, strict=True)):
        meets = held != other and len(chart.part.groups) > 0
        gap = chart.place[after.id] - chart.place[before.id] - 1
        yield chart.place[after.id] - 0.5 - min(gap, APART) / 2, meets


_TIP = 0.18  # cm that the tip of a span takes that is an arrow


def tips(plan: Plan, chart: Chart) -> Iterator[Item]:
    """The outlines of spans that are arrows, in the looks of their phases: their nodes above have no fill."""
    half_gap = GAP_PT * CM_PER_PT / 2
    for span in chart.part.spans:
        if span.shape != "arrow":
            continue
        middle, many = chart.middle(span.lanes)
        half = param("laneheight", many / 2) + param("lanesep", (many - 1) / 2) - half_gap
        back = min(_TIP, chart.length(span) * plan.values["timeunit"] / 2)
        start, end = chart.clock.spelt(span.start), chart.clock.spelt(span.end)
        corners = (
            (start, half_gap, half * -1),
            (end, -back, half * -1),
            (end, -half_gap, ZERO),
            (end, -back, half),
            (start, half_gap, half),
        )
        spots = tuple(spot(chart, time, middle, along, off) for time, along, off in corners)
        chunk = plan.numbers[chart.key].chunk(span)
        yield Path((), spots, closed=True, phase=(span.phase, chunk), slide=span.slide or 0, known=start)
