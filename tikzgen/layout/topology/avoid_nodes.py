"""Flows that would pass through an entity between their ends, and labels that something would pass through.

The former bend around, the latter move along their flow or to its other side; what is clear stays as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice, product

from tikzgen.base.record import Record, replace
from tikzgen.layout.topology.bends import arc_bend
from tikzgen.layout.topology.flow_outline import anchor, label_place, outline, way
from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.topology_items import Edge
from tikzgen.model.topology import Flow, Levels, Line, Tree
from tikzgen.plane.cubics import cut
from tikzgen.plane.drawn import Drawn
from tikzgen.plane.hits import crosses
from tikzgen.plane.rectangles import Box, Point, grown, overlap, surround

__all__ = ["detours", "settled", "ways"]

_BENDS = (10, -10, 20, -20, 30, -30, 40, -40, 50, -50, 60, -60)  # degrees, the first ones preferred
_ARCS = (0, 10, -10, 20, -20)  # degrees more than an arc usually has
_CLEAR = 0.05  # cm between a flow and what it passes
_SHARES = (0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8)  # of a flow: where its label may stand
_PIECES = 24  # of a curve
_ROUND = 0.1  # cm of the room round a flow's label, which a line may touch


class _Solid(Record):
    """What an entity takes: its icon or its box, and its caption."""

    name: str
    boxes: tuple[Box, ...]


class Detour(Record):
    """Another way for a flow: the sides that it leaves and reaches, and how far it bends, in degrees."""

    sides: tuple[str, str]
    bend: int


def detours(
    net: Network, flows: Sequence[Flow], routes: Sequence[str], ends: Sequence[tuple[str, str]]
) -> dict[int, Detour]:
    """The flows that would pass through an entity, by their places, with ways that pass through fewest."""
    found: dict[int, Detour] = {}
    taken: set[tuple[str, str, int]] = set()
    solids: list[_Solid] = []
    for index, flow in enumerate(flows):
        arc = routes[index] == "arc"
        if (not arc and routes[index] not in ("straight", "bend")) or flow.route != "auto" or _near(net, flow):
            continue
        solids = solids or [_solid(net, node.id) for node in net.topology.nodes]
        others = [box for solid in solids if solid.name not in (flow.source, flow.target) for box in solid.boxes]
        usual, *more = _arcs(net, flow, ends[index]) if arc else _ways(net, flow, ends[index])
        least = _struck(net, flow, usual, others)
        best = None
        for detour in more if least else ():
            # seen from its other end, the same curve bends to the other side
            there, back = (flow.source, flow.target, detour.bend), (flow.target, flow.source, -detour.bend)
            if detour.bend and (there in taken or back in taken):
                continue
            struck = _struck(net, flow, detour, others, least)
            if struck < least:
                best, least = detour, struck
            if not least:
                break
        if best:
            found[index] = best
            taken.add((flow.source, flow.target, best.bend))
    return found


def _ways(net: Network, flow: Flow, sides: tuple[str, str]) -> Iterator[Detour]:
    """The straight way, straight between the other sides that face each other, and curves between both."""
    (x0, y0), (x1, y1) = net.center(flow.source), net.center(flow.target)
    choices = [sides]
    if sides[0] in ("east", "west") and y0 != y1:
        choices.append(("north", "south") if y1 > y0 else ("south", "north"))
    elif sides[0] in ("north", "south") and x0 != x1:
        choices.append(("east", "west") if x1 > x0 else ("west", "east"))
    yield from (Detour(choice, 0) for choice in choices)
    yield from (Detour(choice, bend) for choice in choices for bend in _BENDS)


def _arcs(net: Network, flow: Flow, sides: tuple[str, str]) -> Iterator[Detour]:
    """The arc over what is in the way, others, higher and lower, and those on the other side."""
    bend = arc_bend(net, flow)
    side = "north" if sides[0] in ("east", "west") else "east"
    for more in _ARCS:
        yield Detour((side, side), bend + (more if bend > 0 else -more))
    back = {"north": "south", "east": "west"}[side]
    for more in _ARCS:
        yield Detour((back, back), -bend - (more if bend > 0 else -more))


def _near(net: Network, flow: Flow) -> bool:
    """Whether nothing can stand between the ends of a flow, or all that does is in line with them."""
    if flow.source == flow.target or isinstance(net.topology.layout, Line):
        return True
    source, target = net.where[flow.source], net.where[flow.target]
    if isinstance(net.topology.layout, (Levels, Tree)) and source.level != target.level:
        return abs(source.level - target.level) < 2
    return abs(source.x - target.x) + abs(source.y - target.y) <= 1


def _solid(net: Network, name: str) -> _Solid:
    boxes = [outline(net, name).box(net.plan.values)]
    shape = net.shapes[name]
    if shape.below:
        x, y = net.center(name)
        top = y - shape.height / 2
        boxes.append((x - shape.caption / 2, top - shape.below, x + shape.caption / 2, top))
    return _Solid(name, tuple(boxes))


def _struck(net: Network, flow: Flow, detour: Detour, boxes: Sequence[Box], most: int = sys.maxsize) -> int:
    """How many of the boxes a flow passes through that takes this way; `most` where there are so many."""
    source, target = (anchor(net, *end) for end in zip((flow.source, flow.target), detour.sides, strict=True))
    points = _points(net, flow, Edge("", source, target, bend=detour.bend))
    around = grown(surround(points), _CLEAR)
    struck = (box for box in boxes if overlap(around, box) and crosses(points, box, _CLEAR))
    return sum(1 for _ in islice(struck, most))


def _points(net: Network, flow: Flow, edge: Edge) -> list[Point]:
    values = net.plan.values
    points = [(x.at(values), y.at(values)) for x, y in way(net, flow, edge)]
    return cut(points, _PIECES) if len(points) == 4 else points


def ways(net: Network, edges: Sequence[Edge]) -> list[list[Point]]:
    """The courses of all flows, in cm."""
    return [_points(net, flow, edge) for flow, edge in zip(net.topology.flows, edges, strict=True)]


def settled(net: Network, edges: Sequence[Edge]) -> list[Edge]:
    """The edges, their labels where nothing passes through them and no entity lies under them, as far as can be."""
    flows = net.topology.flows
    labelled = [index for index, edge in enumerate(edges) if edge.label and not edge.turn and not edge.inline]
    found = list(edges)
    if not labelled:
        return found
    labels = {index: _label(net, flows[index], edges[index]) for index in labelled}
    drawn = Drawn(ways(net, edges), [(box[2] - box[0], box[3] - box[1]) for box in labels.values()])
    for index, label in labels.items():
        drawn.put(index, label)
    for number, box in enumerate(
        (box for node in net.topology.nodes for box in _solid(net, node.id).boxes), len(edges)
    ):
        drawn.put(number, box)
    for index in labelled:
        least = _cost(drawn, index, labels[index])
        best = None
        for edge in _others(flows[index], edges[index]) if least else ():
            label = _label(net, flows[index], edge)
            worth = _cost(drawn, index, label, least)
            if worth < least:
                best, least = (edge, label), worth
            if not least:
                break
        if best:
            found[index], label = best
            drawn.put(index, label)
    return found


def _cost(drawn: Drawn, index: int, label: Box, least: float = sys.maxsize) -> int:
    """How much a flow's label covers and is struck by; `least` or more where it is no better than that."""
    covered = drawn.covered(label, but=index, most=least)
    return covered + (drawn.striking(label, but=index, most=least - covered) if covered < least else 0)


def _others(flow: Flow, edge: Edge) -> Iterator[Edge]:
    """The same edge with its label at other places, the usual side first; never within a loop."""
    other = {"left": "right", "right": "left"}[edge.side]
    sides = (edge.side, other) if flow.side == "auto" and edge.route != "loop" else (edge.side,)
    for side, share in product(sides, _SHARES):
        yield replace(edge, side=side, pos=share)


def _label(net: Network, flow: Flow, edge: Edge) -> Box:
    return label_place(net, flow, edge).grown(-_ROUND).box(net.plan.values)
