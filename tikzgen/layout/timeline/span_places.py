"""Where the spans of a timeline lie on paper, and roughly their texts: links end on the ones and strike no others."""

from __future__ import annotations

from collections.abc import Container, Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.constants import INNER
from tikzgen.layout.extent import Extent, around
from tikzgen.layout.length import Length, param
from tikzgen.layout.timeline.directions import away, extent, moment
from tikzgen.layout.timeline.fit_labels import is_level


def outlines(plan: Plan, chart: Chart, linked: Container[str]) -> dict[str, Extent]:
    """The places of the linked spans, by the names of their nodes."""
    found = {}
    across: dict[tuple[str, ...], tuple[Length, Length]] = {}  # of the lanes: spans share them
    for span, name in zip(chart.part.spans, chart.names, strict=True):
        if name in linked:
            lanes = tuple(span.lanes)
            if lanes not in across:
                lane, many = chart.middle(lanes)
                half = (away(many - 1) + param("laneheight")) * 0.5
                across[lanes] = away(lane) - half, away(lane) + half
            place = extent(chart, moment(chart, span.start), moment(chart, span.end), *across[lanes])
            found[plan.name(chart.panel, name)] = place
    return found


def span_texts(plan: Plan, chart: Chart) -> Iterator[tuple[str, Extent]]:
    """The place of each text, with the name of its span's node; that of a lane's label without."""
    for lane in chart.part.lanes:
        if lane.label:
            size = plan.measure(lane.label)
            long, thick = size.width, size.height + size.depth
            if chart.part.direction != "right":
                long, thick = thick, size.width
            row = away(chart.place[lane.id])
            yield "", extent(chart, Length(-long - INNER), Length(-INNER), row - thick / 2, row + thick / 2)
    places = outlines(plan, chart, frozenset(chart.names))
    for span, name in zip(chart.part.spans, chart.names, strict=True):
        if not span.label and span.number is None:
            continue
        size = plan.measure(span.label or str(span.number))
        width, height = size.width, size.height + size.depth
        if chart.part.direction != "right" and not is_level(plan, chart.part, span):
            width, height = height, width
        node = plan.name(chart.panel, name)
        box = places[node]
        wide = min(width, box.width(plan.values)) / 2
        high = min(height, box.height(plan.values)) / 2
        yield node, around(((box.left + box.right) * 0.5, (box.bottom + box.top) * 0.5), wide, high)
