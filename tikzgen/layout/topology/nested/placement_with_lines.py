"""A placement with its routes, labels and step numbers, and its cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations, pairwise

from tikzgen.base.plane import Box, Path, Point, compute_bounding_box, grow_box, is_polyline_across_box
from tikzgen.base.record import Record, replace
from tikzgen.layout.topology.nested.flow_label_places import (
    FAULT_COST,
    MARK,
    ON,
    LabelPlace,
    place_texts,
    spots,
    strikes_of,
)
from tikzgen.layout.topology.nested.nested_graph import Graph, Route
from tikzgen.layout.topology.nested.placed_nodes import Placed, title_box
from tikzgen.layout.topology.routing.nudge_segments import crossings, nudge_segments
from tikzgen.layout.topology.routing.route_grid import BESIDE
from tikzgen.layout.topology.routing.routes import Routed, direct_routes, routes

# Mirror routes: edges between a node and two nodes in mirrored positions.

_ALIKE = 0.02  # tolerance of positions, in cm
_APART = 0.16  # cm between parallel edges
_OFF_FRAMES = 0.1  # cm between an edge and a foreign frame


def mirror_routes(graph: Graph, placed: Placed, routed: Routed, titles: Sequence[Box]) -> Routed:
    """Mirror a route onto its counterpart if that is clear and adds no bends or crossings."""
    ways, texts = list(routed.ways), list(routed.texts)
    worth = _worth(ways)
    for one, other, axis, at in _find_pairs(graph, placed):
        images = [_image(ways[one], axis, at), _image(ways[other], axis, at)]
        if _same(images[0], ways[other]) or ways[one].forced or ways[other].forced:
            continue
        for index, way in sorted(((other, images[0]), (one, images[1])), key=lambda each: _measure_effort(each[1])):
            tried = [*ways[:index], way, *ways[index + 1 :]]
            if _is_clear(graph, placed, titles, texts, tried, index) and (now := _worth(tried)) <= worth:
                ways, worth = tried, now
                if texts[index]:
                    texts[index] = min(spots(way.points, graph.lines[index]), key=lambda spot: spot.cost).box
                break
    return replace(routed, ways=tuple(ways), texts=tuple(texts))


def _find_pairs(graph: Graph, placed: Placed) -> Iterator[tuple[int, int, int, float]]:
    """Yield pairs of edges from or to one node with mirrored other ends: indices, axis, coordinate."""
    joints = placed.joints(graph)
    joined: dict[tuple[str, int], list[int]] = {}
    for index, line in enumerate(graph.lines):
        if not line.bundle and line.has_free_ends and line.source != line.target:
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
                if _are_close(_mirror_box(first, axis, at), second) and not _are_close(first, second):
                    yield one, other, axis, at


def _mirror_box(box: Box, axis: int, at: float) -> Box:
    left, top, right, bottom = box
    return (2 * at - right, top, 2 * at - left, bottom) if axis == 0 else (left, 2 * at - bottom, right, 2 * at - top)


def _are_close(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(here - there) < _ALIKE for here, there in zip(one, other, strict=True))


def _image(way: Route, axis: int, at: float) -> Route:
    """Return the mirror image of a route; the sides along the axis are swapped."""
    points = tuple((2 * at - x, y) if axis == 0 else (x, 2 * at - y) for x, y in way.points)
    first, last = (side ^ 2 if side % 2 == axis else side for side in way.sides)
    return Route(points, (first, last))


def _same(one: Route, other: Route) -> bool:
    return len(one.points) == len(other.points) and all(map(_are_close, one.points, other.points))


def _measure_effort(way: Route) -> tuple[int, float]:
    """Return the number of points of a route, and its length."""
    return len(way.points), sum(abs(x1 - x0) + abs(y1 - y0) for (x0, y0), (x1, y1) in pairwise(way.points))


def _worth(ways: Sequence[Route]) -> int:
    return crossings([way.points for way in ways]) + sum(len(way.points) for way in ways)


def _is_clear(
    graph: Graph, placed: Placed, titles: Sequence[Box], texts: Sequence[Box | None], ways: Sequence[Route], index: int
) -> bool:
    """Return whether a route crosses no foreign object and keeps its distance from parallel edges."""
    points = ways[index].points
    solids = placed.obstacles_of(graph, graph.lines[index], BESIDE, _OFF_FRAMES)
    solids += [*titles, *(box for owner, box in enumerate(texts) if box and owner != index)]
    others = [way.points for owner, way in enumerate(ways) if owner != index]
    return not any(is_polyline_across_box(points, box) for box in solids) and not any(
        _run_along(leg, other) for way in others for other in pairwise(way) for leg in pairwise(points)
    )


def _run_along(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Return whether two segments are parallel, overlap in length, and are too close."""
    for axis in (0, 1):
        if all(abs(start[1 - axis] - goal[1 - axis]) < 1e-6 for start, goal in (one, other)):
            (low, high), (first, last) = (sorted((start[axis], goal[axis])) for start, goal in (one, other))
            if abs(one[0][1 - axis] - other[0][1 - axis]) < _APART and first < high + 0.1 and low < last + 0.1:
                return True
    return False


MARK_SHARES = (0.5, 0.35, 0.65, 0.25, 0.75, 0.15, 0.85)  # share of a segment, for possible positions of a step number
_NO_WAY_WEIGHT = 3.0  # faults per edge without a clear route
_BUS = 5.0  # value of an unrequested trunk, in cm of edge
_TURNED = 2.0  # cost of a bend, in cm of edge
_TALL = 0.5  # cost of 1 cm of height beyond the width
LABEL_ROOM_CM = 0.08  # cm of padding around a label in TikZ


class Layout(Record):
    """Complete layout of a graph: placement, routes, and label and step number of each edge, if any.

    Edges of a `direct` layout have no bends, except for loops. A `sketched` layout is an error: it does not fit the
    maximum width. Flows of a layout with edges `apart` share no trunks that were not requested.
    """

    placed: Placed
    ways: tuple[Route, ...]
    texts: tuple[LabelPlace | None, ...]
    marks: tuple[LabelPlace | None, ...]
    extent: Box
    cost: float
    faults: float
    direct: bool
    spent: int = 0
    sketched: bool = False
    apart: bool = False

    @property
    def wide(self) -> float:
        """Total width in cm."""
        return self.extent[2] - self.extent[0]

    @property
    def unplaced_labels(self) -> dict[int, LabelPlace]:
        """Labels without a clear position, by edge index."""
        return {number: text for number, text in enumerate(self.texts) if text and text.cost >= FAULT_COST}

    @property
    def fixable_faults(self) -> float:
        """Faults except for edges without a clear route, which wider gaps do not help."""
        return self.faults - _NO_WAY_WEIGHT * sum(way.forced for way in self.ways)


@lru_cache(maxsize=64)
def direct_layout(graph: Graph, placed: Placed) -> Layout:
    """Return the layout of a placement with straight and curved edges, which cross obstacles if necessary.

    The cache helps because forms, saves, and changes of unrelated distances request the same layout again.
    """
    laid = partial(laid_directly, graph, placed, stated=True)
    found = laid(loosely=False) or laid(loosely=True)
    assert found
    return found


def laid_directly(graph: Graph, placed: Placed, *, stated: bool, loosely: bool) -> Layout | None:
    """Return a layout with direct routes, or None if an edge has no such route."""
    titles = _find_titles(graph, placed)
    ways = direct_routes(graph, placed, tuple(titles), stated=stated, loosely=loosely)
    return _complete_layout(graph, placed, titles, ways, direct=True) if ways is not None else None


def _find_titles(graph: Graph, placed: Placed) -> list[Box]:
    return [title_box(graph, frame.id, placed.frames[frame.id]) for frame in graph.frames if frame.label[0]]


@lru_cache(maxsize=256)
def laid_lines(graph: Graph, placed: Placed, early: frozenset[int]) -> tuple[Layout, ...]:
    """Return a placement with its routes; cached, because they are equal for all maximum widths."""
    titles = _find_titles(graph, placed)
    found = []
    for routed in routes(graph, placed, titles, early):
        alike = mirror_routes(graph, placed, routed, titles)
        laid = _complete_layout(graph, placed, titles, nudge_segments(graph, placed, alike, titles), direct=False)
        found.append(replace(laid, spent=routed.spent))
    return tuple(found)


def _complete_layout(
    graph: Graph, placed: Placed, titles: Sequence[Box], ways: Sequence[Route], *, direct: bool
) -> Layout:
    """Return the layout of a placement with its routes, labels and step numbers."""
    courses = [way.points for way in ways]
    texts = place_texts(graph, placed, ways, titles, direct=direct)
    marks, unmarked = _find_marks(graph, placed, ways, titles, texts)
    faults = (
        sum(text.cost >= FAULT_COST for text in texts if text)
        + unmarked
        + _NO_WAY_WEIGHT * sum(way.forced for way in ways)
    )
    faults += 5.0 * sum(line.straight and len(way) > 2 for line, way in zip(graph.lines, courses, strict=True))
    cost = placed.misread - _BUS * len({line.bundle for line in graph.lines if line.alike})
    cost += 2.5 * crossings(courses) + _TURNED * sum(len(way) - 2 for way in courses)
    cost += 0.25 * sum(abs(x1 - x0) + abs(y1 - y0) for way in courses for (x0, y0), (x1, y1) in pairwise(way))
    extent = extent_of(placed, ways, texts)
    wide, tall = extent[2] - extent[0], extent[3] - extent[1]
    cost += 0.12 * wide * tall + _TALL * max(0.0, tall - wide)
    return Layout(placed, tuple(ways), tuple(texts), tuple(marks), extent, cost, faults, direct=direct)


def extent_of(placed: Placed, ways: Sequence[Route], texts: Sequence[LabelPlace | None]) -> Box:
    """Return the bounding box of nodes, frames, edges and labels, with control points, like PGF."""
    points = [(0.0, 0.0), (placed.width, placed.height), *(point for way in ways for point in way.points)]
    points += [point for way in ways if way.bend for point in way.path.list_inner_points()]
    return compute_bounding_box(
        [
            *points,
            *(
                corner
                for text in texts
                if text
                for corner in (grow_box(text.box, LABEL_ROOM_CM)[:2], grow_box(text.box, LABEL_ROOM_CM)[2:])
            ),
        ]
    )


def _find_marks(
    graph: Graph,
    placed: Placed,
    ways: Sequence[Route],
    titles: Sequence[Box],
    texts: Sequence[LabelPlace | None],
) -> tuple[list[LabelPlace | None], int]:
    """Return the positions of step numbers on edges, and the number of overlapping step numbers."""
    if not any(line.marked for line in graph.lines):
        return [None] * len(ways), 0
    strikes = strikes_of(graph, placed, ways, titles)
    for text in texts:
        if text:
            strikes.add_obstacle(text.box)
    found: list[LabelPlace | None] = [None] * len(ways)
    missed = 0
    for index, line in enumerate(graph.lines):
        if not line.marked:
            continue
        spared = strikes.own_segments(index)
        places = (
            replace(spot, cost=spot.cost + strikes.cost(spot.box, index, spared, on=True))
            for spot in _mark_places(ways[index])
        )
        found[index] = best = min(places, key=lambda spot: spot.cost)
        strikes.add_obstacle(best.box)
        missed += best.cost >= FAULT_COST
    return found, missed


def _mark_places(way: Route) -> Iterator[LabelPlace]:
    """Yield possible positions of an edge's step number, with costs."""
    for segment, points in enumerate(pairwise(way.points)):
        path = way.path if way.bend else Path.join_points(*points)
        for share in MARK_SHARES:
            at = path.find_point_at(share)
            yield LabelPlace(
                grow_box((*at, *at), MARK / 2), at, ON, 0.3 * segment + abs(share - 0.35), share, segment=segment
            )
