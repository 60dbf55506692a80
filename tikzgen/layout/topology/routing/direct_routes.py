"""Routes without bends from side to side: straight, diagonal if necessary, or curved."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product

from tikzgen.base.plane import Box, Point, count_crossed_boxes
from tikzgen.layout.constants import APART
from tikzgen.layout.topology.nested.nested_graph import ROOT, Graph, GraphEdge, Route
from tikzgen.layout.topology.nested.placed_nodes import Placed
from tikzgen.layout.topology.shapes.port_spans import PortSpan

_CLEAR = 0.05  # cm between an edge and foreign obstacles, in layouts found by search
_EDGE = 0.2  # cm between ends and corners
_ICON_SHARE = 0.6  # of an icon's side, because its corners may be empty
_ICON_LIMIT = 5  # curves on one side of an icon, from which they spread along it; fewer end in the middle
_BESIDE = 0.12  # cm between a label on an edge and the adjacent edge
_MOVES = ((0.0, 0.0), *((0.0, move) for move in (0.35, -0.35, 0.7, -0.7)), *((move, 0.0) for move in (0.35, -0.35)))
_BEND = 10  # degrees between a curve at its start and the line between its ends, at most
_STEEP = 0.6  # maximum share of the angle between that line and the side that it leaves
_ARC = 55  # degrees of a curve over an obstacle
_SHORT = 2.6  # cm between nodes; below this, opposite edges run side by side instead of in curves
_PART = 20  # degrees between curves that would overlap
_ONE = 0.12  # cm between edges that are visibly two
_FACING = 0.3  # cm between sides that face each other

Bends = Mapping[int, int]
"""Bends of curves in degrees to the left, by edge index."""


def direct_ways(
    graph: Graph,
    placed: Placed,
    titles: Sequence[Box],
    indices: Iterable[int],
    *,
    stated: bool = False,
    loosely: bool = False,
) -> dict[int, Route]:
    """Return the direct routes of edges that have one clear of foreign nodes and frames, by index.

    Routes may be curves if positions are `stated`, and cross obstacles if `loosely`. Opposite edges between nodes that
    are far apart, and not both boxes, are two curves.
    """
    twins: dict[frozenset[str], list[int]] = {}
    for index in indices:
        twins.setdefault(frozenset(graph.lines[index].ends), []).append(index)
    sides = _Sides(graph, placed, stated)
    curves = _iterate_curves(sides, twins.values()) if stated else set()
    bend = _make_fan(sides, curves)
    feet = [(leaf.id, placed.box(leaf.id, box)) for leaf in graph.leaves for box in leaf.solids]
    found: dict[int, Route] = {}
    for members in twins.values():
        one, other = graph.lines[members[0]].ends
        around = graph.around(graph.lines[members[0]])
        boxes = [box for name, box in feet if name not in (one, other)]
        boxes += [*titles, *(box for name, box in placed.frames.items() if name not in around)]
        tries = _iterate_tries(sides, members, curves, bend)
        usual = next(tries, {}) if loosely else {}
        for tried in chain((usual,), tries):  # stop at the first clear routes, which are usually the first ones
            if tried and not any(
                count_crossed_boxes(way.path, boxes, 0.0 if stated else _CLEAR, most=1) for way in tried.values()
            ):
                found.update(tried)
                break
        else:
            found.update(usual)
    return found


def _iterate_curves(sides: _Sides, twins: Collection[Sequence[int]]) -> set[int]:
    """Return the indices of curved edges: requested ones, and opposite edges at icons unless one is short."""
    lines = sides.graph.lines
    pairs = [members for members in twins if _is_pair(sides, members)]
    gaps = [next(_facing_axes(sides, lines[members[0]]), (0, 0.0))[1] for members in pairs]
    parting = pairs if min(gaps, default=0.0) >= _SHORT else []
    curves = {index for members in twins for index in members if lines[index].bent}
    return curves | {index for members in parting for index in members if not lines[index].straight}


def _is_pair(sides: _Sides, members: Sequence[int]) -> bool:
    """Return whether edges run in both directions between two nodes that are not both boxes."""
    lines = [sides.graph.lines[index] for index in members]
    icons = any(sides.joints[name].icon for name in lines[0].ends)
    return len(lines) == 2 and lines[0].source != lines[1].source and icons


def _make_fan(sides: _Sides, curves: Collection[int]) -> int:
    """Return the common bend of all curves in degrees, limited by the steepest edge between levels.

    A curve with a larger bend would cross other nodes.
    """
    graph, placed, steepest = sides.graph, sides.placed, 90.0
    for index in curves if graph.cells is None else ():
        axis, gap = next(_facing_axes(sides, graph.lines[index]), (0, 0.0))
        one, other = (placed.anchors[name][1 - axis] for name in graph.lines[index].ends)
        if gap > _FACING:
            steepest = min(steepest, math.degrees(math.atan2(gap, abs(other - one))))
    return min(_BEND, max(1, int(steepest * _STEEP)))


def _iterate_tries(
    sides: _Sides, members: Sequence[int], curves: Collection[int], bend: int
) -> Iterator[dict[int, Route]]:
    """Yield routes for the edges between two nodes: usual ones first, curves over obstacles last."""
    graph = sides.graph
    bowed = [index for index in members if index in curves]
    asked = [index for index in bowed if graph.lines[index].bent]
    for each in (bowed, asked) if bowed != asked else (bowed,):
        bends = _spread_bends(graph, dict.fromkeys(each, bend))
        straight = [index for index in members if index not in bends]
        for moves, choice in product(_MOVES if straight else _MOVES[:1], (0, 1)):
            ways = {one: _make_routes(sides, one, straight, bends, moves) for one in members}
            if all(choice < len(way) for way in ways.values()):
                yield {one: way[choice] for one, way in ways.items()}
    if sides.stated and not any(
        graph.lines[index].straight or not graph.lines[index].has_free_ends for index in members
    ):
        yield from _iterate_arcs(sides, members)


def _spread_bends(graph: Graph, bends: Bends) -> dict[int, int]:
    """Return the bends, increased if two curves between the same nodes would overlap."""
    taken: set[tuple[str, int]] = set()
    found = {}
    for index, bend in bends.items():
        source, target = graph.lines[index].ends
        # seen from its other end, the same curve bends to the other side
        while {(source, bend), (target, -bend)} & taken:
            bend += _PART if bend > 0 else -_PART
        taken.add((source, bend))
        found[index] = bend
    return found


def _iterate_arcs(sides: _Sides, members: Sequence[int]) -> Iterator[dict[int, Route]]:
    """Yield curves around the nodes between two nodes: above them in a row, right of them in a column."""
    graph, placed = sides.graph, sides.placed
    one, other = (placed.anchors[name] for name in graph.lines[members[0]].ends)
    for axis, side in ((0, 3), (1, 0)):
        if abs(one[1 - axis] - other[1 - axis]) < 1e-6:
            ends = {index: [placed.anchors[name][axis] for name in graph.lines[index].ends] for index in members}
            bends = _spread_bends(
                graph, {index: _ARC if start < goal else -_ARC for index, (start, goal) in ends.items()}
            )
            yield {
                index: Route(
                    tuple(sides.middle(name, side) for name in graph.lines[index].ends),
                    (side, side),
                    bend=bend,
                )
                for index, bend in bends.items()
            }


def _facing_axes(sides: _Sides, line: GraphEdge) -> Iterator[tuple[int, float]]:
    """Yield the axes on which two nodes are apart, with the gap in cm.

    The first axis is the axis of the layers, or else the axis with the wider gap.
    """
    one, other = (sides.placed.box(name, sides.joints[name].foot) for name in line.ends)
    folded = any(name == ROOT for name, _ in sides.placed.folded)
    first = {} if folded else {"right": 0, "down": 1}
    gaps = [max(other[axis] - one[axis + 2], one[axis] - other[axis + 2]) for axis in (0, 1)]
    for axis in sorted((0, 1), key=lambda axis: (axis != first.get(sides.graph.root.direction), -gaps[axis])):
        if gaps[axis] > 0:
            yield axis, gaps[axis]


def _make_routes(sides: _Sides, index: int, straight: Sequence[int], bends: Bends, moves: Point) -> list[Route]:
    """Return the routes of an edge between facing sides.

    A route is horizontal or vertical if its sides overlap on the other axis. Otherwise its ends move toward each other.
    `moves` shifts them further, in halves of the sides, equally for edges between the same two nodes.
    """
    graph, placed = sides.graph, sides.placed
    line = graph.lines[index]
    if line.source > line.target:
        moves = moves[::-1]
    found: list[Route] = []
    for axis, gap in _facing_axes(sides, line):
        aside = 0.0
        if index in straight:
            aside = (straight.index(index) - (len(straight) - 1) / 2) * _line_distance(sides, straight, axis)
        ahead = placed.anchors[line.target][axis] > placed.anchors[line.source][axis]
        facing = (axis, axis + 2) if ahead else (axis + 2, axis)
        if any(span and side not in span.sides for span, side in zip(line.spans, facing, strict=True)):
            continue
        if any(stated not in (None, side) for stated, side in zip(line.sides, facing, strict=True)):
            continue
        offset = placed.anchors[line.target][1 - axis] - placed.anchors[line.source][1 - axis]
        if found and aside and APART * gap < _ONE * math.hypot(gap, offset):
            continue  # at this angle, opposite edges would seem to be one
        start, goal = (
            sides.end_at_part(name, side, span)
            if span
            else sides.end(name, side, along, aside, move, curve=index in bends)
            for name, side, span, along, move in zip(
                line.ends, facing, line.spans, (offset, -offset), moves, strict=True
            )
        )
        if moves == (0.0, 0.0):
            start, goal = _level(sides, line, facing, aside, (start, goal))
        found.append(Route((start, goal), facing, bend=bends.get(index, 0)))
    return found


def _line_distance(sides: _Sides, members: Sequence[int], axis: int) -> float:
    """Return the distance of edges between the same two nodes; vertical ones leave room for inner labels."""
    graph = sides.graph
    inner = max((graph.lines[index].label[0] for index in members[1:-1]), default=0.0)
    if axis == 0 or not inner:
        return APART
    boxes = (sides.joints[name].body for name in graph.lines[members[0]].ends)
    room = min(box[2] - box[0] for box in boxes) - _EDGE
    return max(APART, min(inner / 2 + _BESIDE, room / (len(members) - 1)))


def _level(
    sides: _Sides, line: GraphEdge, facing: tuple[int, int], aside: float, ends: tuple[Point, Point]
) -> tuple[Point, Point]:
    """Return the ends aligned at the middle of one side, if it faces the other side clear of its corners.

    Keep the order of the other edges on both sides. Otherwise return the ends unchanged.
    """
    axis = facing[0] % 2
    free = [sides.free(name, axis, line.span_at(name)) for name in sorted(line.ends)]
    free.sort(key=lambda each: each[0] < each[1])  # a part fixes the coordinate
    low, high = max(low for low, _ in free) + abs(aside), min(high for _, high in free) - abs(aside)
    middle = next((at for at in ((start + end) / 2 for start, end in free) if low <= at <= high), None)
    pairs = zip(line.ends, facing, line.ends[::-1], strict=True)
    if middle is None or not all(sides.may_end_here(name, side, other, middle) for name, side, other in pairs):
        return ends
    at = middle + aside
    (x0, y0), (x1, y1) = ends
    return ((x0, at), (x1, at)) if axis == 0 else ((at, y0), (at, y1))


class _Sides:
    """Ends of edges on the sides of nodes and frames."""

    def __init__(self, graph: Graph, placed: Placed, stated: bool) -> None:
        self.graph, self.placed, self.stated = graph, placed, stated
        self.joints = placed.joints(graph)
        self._others: dict[tuple[str, int], list[str]] = {}
        self._factors: dict[tuple[str, int], float] = {}

    def middle(self, name: str, side: int) -> Point:
        """Return the middle of an upper or right side."""
        left, top, right, bottom = self.placed.box(name, self.joints[name].body)
        return ((left + right) / 2, top) if side == 3 else (right, (top + bottom) / 2)

    def free(self, name: str, axis: int, span: PortSpan | None) -> tuple[float, float]:
        """Return the interval of the sides across an axis in which edges may end."""
        if span:
            at = self.placed.anchors[name][1 - axis] + span.middle
            return at, at
        body = self.placed.box(name, self.joints[name].body)
        low, high = body[1 - axis], body[3 - axis]
        edge = (high - low) / 2 * (1 - _ICON_SHARE) if self.joints[name].icon else _EDGE
        return low + edge, high - edge

    def neighbors_on_side(self, name: str, side: int) -> list[str]:
        """Return the nodes on a side of a node that edges join to it."""
        if (name, side) not in self._others:
            axis, sign, anchors = side % 2, 1 if side < 2 else -1, self.placed.anchors
            near = [one for one in self.graph.neighbors[name] if (anchors[one][axis] - anchors[name][axis]) * sign > 0]
            self._others[name, side] = near
        return self._others[name, side]

    def half(self, name: str, side: int) -> float:
        """Return half of the part of a side in which edges may end."""
        leaf, axis = self.joints[name], side % 2
        half = (leaf.body[3 - axis] - leaf.body[1 - axis]) / 2 * leaf.share
        return min(half, leaf.caption / 2) if side == 1 and leaf.caption else half

    def factor(self, name: str, side: int) -> float:
        """Return the distance of ends from the middle of a side, as a share of the offset of the other ends."""
        if (name, side) not in self._factors:
            self._factors[name, side] = (
                self._compute_factor(name, side) if len(self.neighbors_on_side(name, side)) > 1 else 0.0
            )
        return self._factors[name, side]

    def _compute_factor(self, name: str, side: int) -> float:
        across, half = 1 - side % 2, self.half(name, side)
        anchors, others = self.placed.anchors, self.neighbors_on_side(name, side)
        farthest = max(abs(anchors[one][across] - anchors[name][across]) for one in others)
        icon = self.joints[name].icon and side != 1
        room = half * _ICON_SHARE if icon else max(half - _EDGE, half * 0.4)
        # if the other ends spread as well, both sides take half of the offset
        most = 0.5 if any(len(self.neighbors_on_side(one, side ^ 2)) > 1 for one in others) else 1.0
        return min(most, room / max(farthest, 1e-9))

    def may_end_here(self, name: str, side: int, other: str, at: float) -> bool:
        """Return whether an edge may end at a coordinate: edges to more distant nodes end beyond it."""
        across, factor, anchors = 1 - side % 2, self.factor(name, side), self.placed.anchors
        here, there = anchors[name][across], anchors[other][across]
        sign = there - here
        ends = (anchors[one][across] for one in self.neighbors_on_side(name, side))
        return all((here + (far - here) * factor - at) * sign > 0 for far in ends if (far - there) * sign > 0)

    def end_at_part(self, name: str, side: int, span: PortSpan) -> Point:
        """Return the end of an edge at a part of a node."""
        axis, body = side % 2, self.placed.box(name, self.joints[name].body)
        at = self.placed.anchors[name][1 - axis] + span.middle
        edge = self.placed.box(name, self.joints[name].foot)[3] if side == 1 else body[(2, 3, 0, 1)[side]]
        return (edge, at) if axis == 0 else (at, edge)

    def end(self, name: str, side: int, offset: float, aside: float, move: float, *, curve: bool) -> Point:
        """Return the end of an edge on a side, for an `offset` of its other end.

        It is shifted by `aside` cm, and by `move` times half of the side. A few curves at an icon end in the middle; so
        do a few edges in a stated layout, unless they run side by side. They stay unchanged if another edge is added.
        """
        leaf, axis = self.joints[name], side % 2
        body, half = self.placed.box(name, leaf.body), self.half(name, side)
        few = (
            (curve or self.stated) and leaf.icon and not aside and len(self.neighbors_on_side(name, side)) < _ICON_LIMIT
        )
        off = (0.0 if few else offset * self.factor(name, side)) + move * half
        least = max(half * 0.9 - abs(aside), 0.0)
        at = (body[1 - axis] + body[3 - axis]) / 2 + min(max(off, -least), least) + aside
        edge = self.placed.box(name, leaf.foot)[3] if side == 1 else body[(2, 3, 0, 1)[side]]
        return (edge, at) if axis == 0 else (at, edge)
