"""A timeline on paper. Coordinates inside its scope are (time, lane): the scope's unit vectors do the rest.

Each module here draws one kind of thing: `items` gives its elements, `extents` the paper that they take.
"""

from __future__ import annotations

from tikzgen.layout.chart import Chart
from tikzgen.layout.plan import Plan
from tikzgen.layout.scene import Item, Note, Piece, union
from tikzgen.layout.timelines import (
    arrows,
    axis,
    bands,
    breaks,
    bubbles,
    digits,
    lanes,
    moments,
    notes,
    periods,
    spans,
    strips,
)
from tikzgen.layout.timelines.stack import stack

__all__ = ["timeline"]


def timeline(plan: Plan, chart: Chart) -> Piece:
    """Lay out a timeline: time 0 of the first lane is at the origin."""
    banded = bands.bands(plan, chart, digits.digits(plan, chart))
    shelves = stack(plan, chart, bands.depth(plan, chart, banded) if banded else 0.0)
    sections: list[tuple[str, list[Item]]] = [
        ("lanes", list(lanes.items(plan, chart, shelves))),
        ("frames: what no span covers is idle", list(spans.frames(chart))),
        ("bubbles: idle time", list(bubbles.items(plan, chart))),
        ("spans", list(spans.items(plan, chart))),
        ("numbers of cells that are too narrow for them", list(bands.items(plan, chart, banded)) if banded else []),
        ("levels", list(strips.items(plan, chart))),
        ("what the axis leaves out", list(breaks.across(chart))),
        ("barriers", list(moments.items(plan, chart, shelves))),
        ("dependencies", list(arrows.items(plan, chart))),
        ("periods", list(periods.items(plan, chart, shelves))),
        ("time", [*axis.items(plan, chart, shelves), *breaks.on_axis(chart, shelves)]),
        ("notes", list(notes.items(plan, chart, shelves))),
    ]
    items = tuple(item for title, section in sections if section for item in (Note(title), *section))
    extents = [*strips.extents(plan, chart)]
    for part in (lanes, axis, moments, periods, notes):
        extents.extend(part.extents(plan, chart, shelves))
    if banded:
        extents.extend(bands.extents(plan, chart, banded))
    return Piece(items=items, extent=union(extents, plan.values), axes=chart.part.direction)
