"""A timeline on paper. Coordinates inside its scope are (time, lane): the scope's unit vectors do the rest.

Each module here draws one kind of thing: `items` gives its elements, `extents` the paper that they take.
"""

from __future__ import annotations

from tikzgen.layout.chart import Chart
from tikzgen.layout.plan import Plan
from tikzgen.layout.scene import Item, Note, Piece, union
from tikzgen.layout.timelines import arrows, axis, bubbles, lanes, moments, spans

__all__ = ["timeline"]


def timeline(plan: Plan, chart: Chart) -> Piece:
    """Lay out a timeline: time 0 of the first lane is at the origin."""
    sections: list[tuple[str, list[Item]]] = [
        ("lanes", list(lanes.items(plan, chart))),
        ("frames: what no span covers is idle", list(spans.frames(chart))),
        ("bubbles: idle time", list(bubbles.items(plan, chart))),
        ("spans", list(spans.items(plan, chart))),
        ("barriers", list(moments.items(plan, chart))),
        ("dependencies", list(arrows.items(plan, chart))),
        ("time", list(axis.items(plan, chart))),
    ]
    items = tuple(item for title, section in sections if section for item in (Note(title), *section))
    extents = [lanes.body(plan, chart)]
    for part in (lanes, axis, moments):
        extents.extend(part.extents(plan, chart))
    return Piece(items=items, extent=union(extents, plan.values), axes=chart.part.direction)
