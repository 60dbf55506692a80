"""Lines between an entity and two that stand alike on both sides of it: one the mirror image of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from tikzgen.base.record import replace
from tikzgen.layout.topology.nested.even_out import crossings
from tikzgen.layout.topology.nested.flow_label_places import spots
from tikzgen.layout.topology.nested.nested_graph import Graph, Placed, Way
from tikzgen.layout.topology.nested.route_grid import BESIDE
from tikzgen.layout.topology.nested.routes import Routed
from tikzgen.plane.rectangles import Box, Point, crosses

_ALIKE = 0.02  # cm that places may differ
_APART = 0.16  # cm between lines beside each other
_OFF_FRAMES = 0.1  # cm between a line and a frame that it has no business in


def mirrored(graph: Graph, placed: Placed, routed: Routed, titles: Sequence[Box]) -> Routed:
    """The ways, those of a pair alike where that is clear, turns no more often and crosses no more lines."""
    ways, texts = list(routed.ways), list(routed.texts)
    worth = _worth(ways)
    for one, other, axis, at in _pairs(graph, placed):
        images = [_image(ways[one], axis, at), _image(ways[other], axis, at)]
        if _same(images[0], ways[other]) or ways[one].forced or ways[other].forced:
            continue
        for index, way in sorted(((other, images[0]), (one, images[1])), key=lambda each: _effort(each[1])):
            tried = [*ways[:index], way, *ways[index + 1 :]]
            if _is_clear(graph, placed, titles, texts, tried, index) and (now := _worth(tried)) <= worth:
                ways, worth = tried, now
                if texts[index]:
                    texts[index] = min(spots(way.points, graph.lines[index]), key=lambda spot: spot.cost).box
                break
    return replace(routed, ways=tuple(ways), texts=tuple(texts))


def _pairs(graph: Graph, placed: Placed) -> Iterator[tuple[int, int, int, float]]:
    """Two lines from or to an entity, whose other ends stand alike on both sides of it: along which axis, and where."""
    joints = placed.joints(graph)
    joined: dict[tuple[str, int], list[int]] = {}
    for index, line in enumerate(graph.lines):
        if not line.bundle and line.source != line.target:
            for end, name in enumerate(line.ends):
                joined.setdefault((name, end), []).append(index)
    for (name, end), indices in joined.items():
        body = placed.box(name, joints[name].body)
        for one, other in combinations(indices, 2):
            first, second = (
                placed.box(far, joints[far].foot) for far in (graph.lines[each].ends[1 - end] for each in (one, other))
            )
            for axis in (0, 1):
                at = (body[axis] + body[axis + 2]) / 2
                if _alike(_turned(first, axis, at), second) and not _alike(first, second):
                    yield one, other, axis, at


def _turned(box: Box, axis: int, at: float) -> Box:
    left, top, right, bottom = box
    return (2 * at - right, top, 2 * at - left, bottom) if axis == 0 else (left, 2 * at - bottom, right, 2 * at - top)


def _alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(here - there) < _ALIKE for here, there in zip(one, other, strict=True))


def _image(way: Way, axis: int, at: float) -> Way:
    """A way seen in a mirror: the sides along the axis change places."""
    points = tuple((2 * at - x, y) if axis == 0 else (x, 2 * at - y) for x, y in way.points)
    first, last = (side ^ 2 if side % 2 == axis else side for side in way.sides)
    return Way(points, (first, last))


def _same(one: Way, other: Way) -> bool:
    return len(one.points) == len(other.points) and all(map(_alike, one.points, other.points))


def _effort(way: Way) -> tuple[int, float]:
    """How often a way turns, and how long it is."""
    return len(way.points), sum(abs(x1 - x0) + abs(y1 - y0) for (x0, y0), (x1, y1) in pairwise(way.points))


def _worth(ways: Sequence[Way]) -> int:
    return crossings([way.points for way in ways]) + sum(len(way.points) for way in ways)


def _is_clear(
    graph: Graph, placed: Placed, titles: Sequence[Box], texts: Sequence[Box | None], ways: Sequence[Way], index: int
) -> bool:
    """Whether a way passes through nothing that is not its own, and keeps from the lines beside it."""
    points = ways[index].points
    solids = placed.strangers(graph, graph.lines[index], BESIDE, _OFF_FRAMES)
    solids += [*titles, *(box for owner, box in enumerate(texts) if box and owner != index)]
    others = [way.points for owner, way in enumerate(ways) if owner != index]
    return not any(crosses(points, box) for box in solids) and not any(
        _beside(leg, other) for way in others for other in pairwise(way) for leg in pairwise(points)
    )


def _beside(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Whether two legs run along each other, too near."""
    for axis in (0, 1):
        if all(abs(start[1 - axis] - goal[1 - axis]) < 1e-6 for start, goal in (one, other)):
            (low, high), (first, last) = (sorted((start[axis], goal[axis])) for start, goal in (one, other))
            if abs(one[0][1 - axis] - other[0][1 - axis]) < _APART and first < high + 0.1 and low < last + 0.1:
                return True
    return False
