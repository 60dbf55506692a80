"""Captions that a flow would strike through: a steep flow beside an icon meets a caption wider than the icon."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tikzgen.layout.network import Network
from tikzgen.layout.scene import Edge

__all__ = ["struck"]

_LOOSENESS = 0.3915  # of the distance: where TikZ puts the control points of a `to` path
_CLEAR = 0.04  # cm
_STEPS = 24

Point = tuple[float, float]


def struck(net: Network, edges: Sequence[Edge]) -> frozenset[str]:
    """The ids of entities whose captions are met by flows that leave or reach them sideways."""
    found: set[str] = set()
    for flow, edge in zip(net.topology.flows, edges, strict=True):
        for name, end, other, there, turn in (
            (flow.source, edge.source, flow.target, edge.target, edge.bend),
            (flow.target, edge.target, flow.source, edge.source, -edge.bend),
        ):
            shape = net.shapes[name]
            if name not in found and shape.below and shape.caption > shape.width and end.endswith((".east", ".west")):
                start, goal = _anchor(net, name, end), _anchor(net, other, there)
                x, y = net.center(name)
                top = y - shape.height / 2
                box = (x - shape.caption / 2 - _CLEAR, top - shape.below, x + shape.caption / 2 + _CLEAR, top)
                if any(_inside(point, box) for point in _curve(start, goal, turn)):
                    found.add(name)
    return frozenset(found)


def _anchor(net: Network, name: str, end: str) -> Point:
    x, y = net.center(name)
    shape = net.shapes[name]
    side = end.rpartition(".")[2]
    dx, dy = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}[side]
    return x + dx * shape.width / 2, y + dy * shape.height / 2


def _curve(start: Point, goal: Point, bend: float) -> Iterator[Point]:
    """Points of the first half of a `to[bend left=…]` path, which is a cubic with equal angles at both ends."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    reach, angle = math.hypot(dx, dy) * _LOOSENESS, math.atan2(dy, dx)
    out, back = angle + math.radians(bend), angle + math.pi - math.radians(bend)
    first = start[0] + reach * math.cos(out), start[1] + reach * math.sin(out)
    second = goal[0] + reach * math.cos(back), goal[1] + reach * math.sin(back)
    for step in range(1, _STEPS):
        t = step / _STEPS / 2
        weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        points = (start, first, second, goal)
        yield (
            sum(weight * point[0] for weight, point in zip(weights, points, strict=True)),
            sum(weight * point[1] for weight, point in zip(weights, points, strict=True)),
        )


def _inside(point: Point, box: tuple[float, float, float, float]) -> bool:
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]
