"""Names of levels: beside all that the topology shows, in line with the entities of each."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import INNER
from tikzgen.layout.extent import Extent, around, union
from tikzgen.layout.items import Caption, Item, Note
from tikzgen.layout.scene import Piece
from tikzgen.layout.topology.topology_macros import level_stem
from tikzgen.model.topology import Topology
from tikzgen.model.topology_layouts import Levels
from tikzgen.text import typeset

_GAP = 0.15  # cm between a name and what is nearer
_BETWEEN = 0.15  # cm between two names


def named_levels(
    plan: Plan, panel: str, part: Topology, mark: str, piece: Piece, boxes: Mapping[str, Extent], *, down: bool
) -> Piece:
    """The piece with the names of its levels: those that would touch stand farther out."""
    layout = part.layout
    if not isinstance(layout, Levels) or not any(layout.labels):
        return piece
    named = [(index, text) for index, text in enumerate(layout.labels) if text]
    sizes = {index: plan.measure(text) for index, text in named}
    single = {index for index, text in named if r"\\" not in typeset(text).source}
    high, deep = (max((getattr(sizes[index], way) for index in single), default=0.0) for way in ("height", "depth"))
    levels = {index: union([boxes[name] for name in layout.rows[index] if name], plan.values) for index, _ in named}
    found: list[Item] = [Note("names of levels")]
    edge = whole = piece.extent
    reached = float("-inf")
    before = layout.label_side == "before"
    for index in sorted(levels, key=lambda one: _along(plan, levels[one], down=down)):
        box, on_line = levels[index], not down and index in single  # names side by side stand on one line
        wide = sizes[index].width + 2 * INNER
        tall = (high + deep if on_line else sizes[index].height + sizes[index].depth) + 2 * INNER
        half = (tall if down else wide) / 2
        if _along(plan, box, down=down) - half < reached + _BETWEEN:
            edge = whole
        reached = _along(plan, box, down=down) + half
        x, y = (box.left + box.right) * 0.5, (box.bottom + box.top) * 0.5
        if down:
            x = edge.left - (_GAP + wide / 2) if before else edge.right + (_GAP + wide / 2)
        else:
            y = edge.top + (_GAP + tall / 2) if before else edge.bottom - (_GAP + tall / 2)
        macro = plan.labels.macro(panel, level_stem(index, mark))
        base = y + ((deep - high) / 2 if on_line else 0.0)
        found.append(Caption((macro,), ("slbl",), x=x, y=base, anchor="base" if on_line else "center"))
        whole = union([whole, around((x, y), wide / 2, tall / 2)], plan.values)
    return replace(piece, items=(*piece.items, *found), extent=whole)


def _along(plan: Plan, box: Extent, *, down: bool) -> float:
    """Where the middle of a level is, on the way from level to level."""
    low, high = (box.bottom, box.top) if down else (box.left, box.right)
    return (low + high).at(plan.values) / 2
