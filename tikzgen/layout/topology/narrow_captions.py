"""Captions that a flow would strike through: a steep flow beside icons meets captions wider than the icons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.topology_items import Edge
from tikzgen.plane.cubics import bow_arms, shares
from tikzgen.plane.rectangles import Box, Point

__all__ = ["struck"]

_CLEAR = 0.04  # cm
_STEPS = 24  # along the first half of a curve

Curve = tuple[tuple[float, float, float, float], tuple[float, float, float, float]]


def struck(net: Network, edges: Sequence[Edge]) -> frozenset[str]:
    """The ids of entities whose captions are met by flows that run sideways, their own or others'.

    With them those of all wide captions in the same column, which are set alike.
    """
    boxes = dict(_captions(net))
    found: set[str] = set()
    for flow, edge in zip(net.topology.flows, edges, strict=True):
        if not boxes or not all(end.endswith((".east", ".west")) for end in (edge.source, edge.target)):
            continue
        start, goal = _anchor(net, flow.source, edge.source), _anchor(net, flow.target, edge.target)
        for curve in (_curve(start, goal, edge.bend), _curve(goal, start, -edge.bend)):
            found.update(name for name, box in boxes.items() if name not in found and _meets(curve, box))
    columns = {net.where[name].x for name in found}
    return frozenset(name for name in boxes if net.where[name].x in columns)


def _captions(net: Network) -> Iterator[tuple[str, Box]]:
    """The captions that are wider than their icons."""
    for node in net.topology.nodes:
        shape = net.shapes[node.id]
        if shape.below and shape.caption > shape.width:
            x, y = net.center(node.id)
            top = y - shape.height / 2
            yield node.id, (x - shape.caption / 2 - _CLEAR, top - shape.below, x + shape.caption / 2 + _CLEAR, top)


def _anchor(net: Network, name: str, end: str) -> Point:
    x, y = net.center(name)
    shape = net.shapes[name]
    side = end.rpartition(".")[2]
    dx, dy = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}[side]
    return x + dx * shape.width / 2, y + dy * shape.height / 2


def _curve(start: Point, goal: Point, bend: float) -> Curve:
    """The four points, first across and then up, of a cubic with equal angles at both ends."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    (x1, y1), (x2, y2) = bow_arms(dx, dy, bend)
    xs = start[0], start[0] + x1, goal[0] + x2, goal[0]
    ys = start[1], start[1] + y1, goal[1] + y2, goal[1]
    return xs, ys


def _meets(curve: Curve, box: Box) -> bool:
    """Whether the first half of a curve has a point inside a box."""
    xs, ys = curve
    # a cubic stays within the hull of its four points
    if min(xs) >= box[2] or max(xs) <= box[0] or min(ys) >= box[3] or max(ys) <= box[1]:
        return False
    return any(
        box[0] < a * xs[0] + b * xs[1] + c * xs[2] + d * xs[3] < box[2]
        and box[1] < a * ys[0] + b * ys[1] + c * ys[2] + d * ys[3] < box[3]
        for a, b, c, d in shares(2 * _STEPS)[1:_STEPS]
    )
