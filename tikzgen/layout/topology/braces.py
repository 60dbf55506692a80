"""Braces and ranges beside a topology: outside of all that it shows, as long as what they speak of."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import CURL, INNER
from tikzgen.layout.extent import Extent, union
from tikzgen.layout.items import Item, Note
from tikzgen.layout.length import Length
from tikzgen.layout.scene import Piece
from tikzgen.layout.topology.topology_items import Spanning
from tikzgen.layout.topology.topology_macros import brace_stem
from tikzgen.model.topology import Topology
from tikzgen.model.topology_layouts import TopologyBrace

_GAP = 0.12  # cm between a brace and what is nearer
_ANCHORS = {"above": "south", "below": "north", "left": "south", "right": "north"}


def braced(plan: Plan, panel: str, part: Topology, mark: str, piece: Piece, boxes: Mapping[str, Extent]) -> Piece:
    """The piece with its braces: on one side those that would lie over each other stand farther out."""
    if not part.braces:
        return piece
    found: list[Item] = [Note("braces")]
    whole = piece.extent
    edges = dict.fromkeys(_ANCHORS, piece.extent)
    shelf: dict[str, list[tuple[float, float]]] = {side: [] for side in _ANCHORS}
    for index, span in enumerate(part.braces):
        own = union([boxes[name] for name in span.over], plan.values)
        size = plan.measure(span.label) if span.label else None
        deep = CURL + (size.height + size.depth + 2 * INNER if size else 0.0)
        start, end = (own.left, own.right) if span.side in ("above", "below") else (own.bottom, own.top)
        half = max((end - start).at(plan.values), size.width + 2 * INNER if size else 0.0) / 2
        middle = ((start + end) * 0.5).at(plan.values)
        if any(middle - half < high and low < middle + half for low, high in shelf[span.side]):
            edges[span.side], shelf[span.side] = whole, []
        shelf[span.side].append((middle - half, middle + half))
        item, extent = _drawn(plan, panel, span, index, mark, own, edges[span.side], deep, half)
        found.append(item)
        whole = union([whole, extent], plan.values)
    return replace(piece, items=(*piece.items, *found), extent=whole)


def _drawn(
    plan: Plan,
    panel: str,
    span: TopologyBrace,
    index: int,
    mark: str,
    own: Extent,
    edge: Extent,
    deep: float,
    half: float,
) -> tuple[Spanning, Extent]:
    """One brace with the paper that it takes outside of an edge."""
    macro = plan.labels.macro(panel, brace_stem(index, mark)) if span.label else ""
    middle = (own.left + own.right) * 0.5, (own.bottom + own.top) * 0.5
    out = 1 if span.side in ("above", "right") else -1
    base: dict[str, Length] = {"above": edge.top, "below": edge.bottom, "left": edge.left, "right": edge.right}
    line = base[span.side] + out * _GAP
    far = line + out * deep
    low, high = (line, far) if out > 0 else (far, line)
    if span.side in ("above", "below"):
        ends, extent = ((own.left, line), (own.right, line)), Extent(middle[0] - half, low, middle[0] + half, high)
    else:
        ends, extent = ((line, own.bottom), (line, own.top)), Extent(low, middle[1] - half, high, middle[1] + half)
    (x0, y0), (x1, y1) = ends
    middle = (x0 + x1) * 0.5, (y0 + y1) * 0.5
    return Spanning(ends[0], middle, ends[1], span.side, span.look, macro, _ANCHORS[span.side]), extent
