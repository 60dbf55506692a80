"""Straight ways from side to side, slanting where they must, of lines that are to turn no corner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from tikzgen.layout.topology.nested.nested_graph import Graph, Line, Placed
from tikzgen.plane.rectangles import Box, Point, grown, meets

_CLEAR = 0.05  # cm that a line keeps from what it does not join
_EDGE = 0.2  # cm that ends keep from corners
_APART = 0.26  # cm between lines that join the same two entities
_MOVES = ((0.0, 0.0), *((0.0, move) for move in (0.35, -0.35, 0.7, -0.7)), *((move, 0.0) for move in (0.35, -0.35)))

Straight = tuple[tuple[Point, Point], tuple[int, int]]
"""Where a line begins and ends, and on which sides: directions away from the entity, as in a `Way`."""


def direct_ways(
    graph: Graph, placed: Placed, titles: Sequence[Box], indices: Iterable[int], loosely: bool = False
) -> dict[int, Straight]:
    """The straight ways of some lines, of those that have one; `loosely` it may pass through other things."""
    found: dict[int, Straight] = {}
    twins: dict[frozenset[str], list[int]] = {}
    for index in indices:
        line = graph.lines[index]
        twins.setdefault(frozenset((line.source, line.target)), []).append(index)
    for members in twins.values():
        for moves, choice in product(_MOVES, (0, 1)):
            ways = [_ways(graph, placed, index, _aside(members, index), moves) for index in members]
            tried = {index: way[choice] for index, way in zip(members, ways, strict=True) if choice < len(way)}
            if len(tried) == len(members) and (
                loosely or all(_clear(graph, placed, titles, index, way[0]) for index, way in tried.items())
            ):
                found.update(tried)
                break
    return found


def _aside(members: Sequence[int], index: int) -> float:
    return (members.index(index) - (len(members) - 1) / 2) * _APART


def _ways(graph: Graph, placed: Placed, index: int, aside: float, moves: Point) -> list[Straight]:
    """The ways between facing sides: those that layers run along, or across the wider gap, come first.

    They are level where sides face each other, or end off the middles towards the other end, `moves` of half the
    sides farther, those of the same two entities together.
    """
    line = graph.lines[index]
    if line.source > line.target:
        moves = moves[::-1]
    one, other = (placed.box(name, graph.feet[name]) for name in line.ends)
    first = {"right": 0, "down": 1}.get(graph.root.direction)
    gaps = [max(other[axis] - one[axis + 2], one[axis] - other[axis + 2]) for axis in (0, 1)]
    found: list[Straight] = []
    for axis in sorted((0, 1), key=lambda axis: (axis != first, -gaps[axis])):
        if gaps[axis] > 0:
            ahead = placed.anchors[line.target][axis] > placed.anchors[line.source][axis]
            sides = (axis, axis + 2) if ahead else (axis + 2, axis)
            offset = placed.anchors[line.target][1 - axis] - placed.anchors[line.source][1 - axis]
            start, goal = (
                _end(graph, placed, name, side, along, aside, move)
                for name, side, along, move in zip(line.ends, sides, (offset, -offset), moves, strict=True)
            )
            if moves == (0.0, 0.0):
                start, goal = _level(graph, placed, line, axis, aside, (start, goal))
            found.append(((start, goal), sides))
    return found


def _level(
    graph: Graph, placed: Placed, line: Line, axis: int, aside: float, ends: tuple[Point, Point]
) -> tuple[Point, Point]:
    """The ends on one height, where two sides face each other so far that this leaves both corners clear."""
    bodies = [placed.box(name, graph.bodies[name]) for name in sorted(line.ends)]
    low, high = max(body[1 - axis] for body in bodies) + _EDGE, min(body[3 - axis] for body in bodies) - _EDGE
    low, high = low + abs(aside), high - abs(aside)
    if low > high:
        return ends
    middles = [(body[1 - axis] + body[3 - axis]) / 2 for body in bodies]
    middles.sort(key=lambda at: not low <= at <= high)
    at = min(max(middles[0], low), high) + aside
    (x0, y0), (x1, y1) = ends
    return ((x0, at), (x1, at)) if axis == 0 else ((at, y0), (at, y1))


def _end(graph: Graph, placed: Placed, name: str, side: int, offset: float, aside: float, move: float) -> Point:
    """Where on a side of an entity a line ends that goes so far along it in all."""
    body, foot, axis = placed.box(name, graph.bodies[name]), placed.box(name, graph.feet[name]), side % 2
    low, high = body[1 - axis], body[3 - axis]
    others = {there for line in graph.lines for here, there in (line.ends, line.ends[::-1]) if here == name}
    offset = offset if len(others) > 1 else 0.0
    farthest = max(abs(placed.anchors[one][1 - axis] - placed.anchors[name][1 - axis]) for one in others)
    half = (high - low) / 2 * graph.by_id[name].share
    if side == 1 and (caption := graph.by_id[name].caption):
        half = min(half, caption / 2)
    room = max(half - _EDGE, half * 0.4)
    off = offset * min(0.4, room / max(farthest, 1e-9)) + move * half
    least = max(half * 0.9 - abs(aside), 0.0)
    at = (low + high) / 2 + min(max(off, -least), least) + aside
    edge = foot[3] if side == 1 else body[(2, 3, 0, 1)[side]]
    return (edge, at) if axis == 0 else (at, edge)


def _clear(graph: Graph, placed: Placed, titles: Sequence[Box], index: int, way: tuple[Point, Point]) -> bool:
    line = graph.lines[index]
    strangers = [grown(placed.box(name, foot), _CLEAR) for name, foot in graph.feet.items() if name not in line.ends]
    around = graph.holders[line.source] | graph.holders[line.target]
    strangers += [grown(box, _CLEAR) for name, box in placed.frames.items() if name not in around]
    return not any(meets(*way, box) for box in (*strangers, *titles))
