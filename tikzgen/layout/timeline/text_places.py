"""Where the texts in the spans and at the lanes of a timeline stand, roughly: a link had better not strike them."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import INNER, Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.length import Length
from tikzgen.layout.timeline.directions import away, extent
from tikzgen.layout.timeline.fit_labels import is_level
from tikzgen.layout.timeline.span_boxes import outlines

__all__ = ["span_texts"]


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
        x, y = (box.left + box.right) * 0.5, (box.bottom + box.top) * 0.5
        yield node, Extent(x - wide, y - high, x + wide, y + high)
