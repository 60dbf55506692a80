"""A timeline on paper. Coordinates inside its scope are (time, lane): the scope's unit vectors do the rest.

Each module here draws one kind of thing: `items` gives its elements, `extents` the paper that they take.
"""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import union
from tikzgen.layout.items import Item, Note
from tikzgen.layout.scene import Piece
from tikzgen.layout.timeline import arrows, axis, breaks, bubbles, spans, strips
from tikzgen.layout.timeline import barriers as moments
from tikzgen.layout.timeline import braces as periods
from tikzgen.layout.timeline import events as notes
from tikzgen.layout.timeline import lane_labels as lanes
from tikzgen.layout.timeline import many_spans as mass
from tikzgen.layout.timeline import number_bands as bands
from tikzgen.layout.timeline import omitted_labels as dropped
from tikzgen.layout.timeline.margin_marks import stack
from tikzgen.layout.timeline.timeline_items import Path

__all__ = ["timeline"]


def timeline(plan: Plan, chart: Chart) -> Piece:
    """Lay out a timeline: time 0 of the first lane is at the origin."""
    banded = plan.numbers[chart.key].bands
    shelves = stack(plan, chart, bands.depth(plan, chart, banded) if banded else 0.0)
    says = any(part.label for part in chart.part.dependencies)
    drawn = arrows.arrows(plan, chart) if says or not plan.rough else []
    extents = [*strips.extents(plan, chart), *arrows.extents(plan, chart, drawn)]
    for part in (lanes, axis, moments, periods, notes):
        extents.extend(part.extents(plan, chart, shelves))
    if banded:
        extents.extend(bands.extents(plan, chart, banded))
    extent = union(extents, plan.values)
    if plan.rough:
        return Piece(items=(), extent=extent, axes=chart.part.direction)
    beside = [*periods.items(plan, chart, shelves), *notes.items(plan, chart, shelves)]
    sections: list[tuple[str, list[Item]]] = [
        ("lanes", list(mass.thinned(plan, lanes.items(plan, chart, shelves)))),
        ("frames: what no span covers is idle", list(spans.frames(chart))),
        *_spans(plan, chart),
        ("numbers of cells that are too narrow for them", list(bands.items(plan, chart, banded)) if banded else []),
        ("levels", list(strips.items(plan, chart))),
        ("what the axis leaves out", list(breaks.across(chart))),
        ("labels of torn spans", list(spans.torn(plan, chart))),
        ("barriers", list(moments.items(plan, chart, shelves))),
        ("dependencies", list(arrows.items(plan, chart, drawn))),
        ("lines to the lanes", [item for item in beside if isinstance(item, Path)]),
        ("time", [*axis.items(plan, chart, shelves), *breaks.on_axis(chart, shelves)]),
        ("periods, events, remarks", [item for item in beside if not isinstance(item, Path)]),
    ]
    items = tuple(item for title, section in sections if section for item in (Note(title), *section))
    return Piece(items=items, extent=extent, axes=chart.part.direction)


def _spans(plan: Plan, chart: Chart) -> Iterator[tuple[str, list[Item]]]:
    """Bubbles and spans, one by one or as a mass."""
    idle, busy = list(bubbles.items(plan, chart)), list(spans.items(plan, chart))
    left_out = list(dropped.notes(plan, chart, (*idle, *busy)))
    if mass.is_mass(plan):
        yield "spans and bubbles", [*left_out, *mass.items(plan, chart, (*idle, *busy))]
    else:
        yield "bubbles: idle time", list(idle)
        yield "spans", [*left_out, *busy]
