r"""Overlaps of labels and edges that result from other values of \colsep and \rowsep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import dist

from tikzgen.base.plane import (
    COARSE_CUBIC_STEPS,
    Box,
    Path,
    Point,
    auto_shift,
    bow_arms,
    compute_bounding_box,
    grow_box,
    has_overlap,
    is_polyline_across_box,
    is_within,
    make_polyline,
)
from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import Pair, SymbolicBox
from tikzgen.layout.topology.nested.flow_label_places import OFF, ON, LabelPlace
from tikzgen.layout.topology.nested.nested_graph import Graph, Route
from tikzgen.layout.topology.nested.placement_with_lines import Layout

_WITHIN = 0.02  # cm by which obstacles shrink for the test
_TOUCHED = 0.05  # cm of a caption that the edges of its node may touch
_ONE = 0.08  # cm between edges that seem to be one
MOST = 6000  # edges times obstacles: larger layouts are not tested at other distances

Struck = frozenset[tuple[str, int, int | str]]
"""Overlaps: kind, index of an edge, and index of another edge or of a border, or id of a node."""


class Sketch(Record):
    """A layout at some distances, in cm, y up: edges as polylines, labels, nodes, borders of frames.

    In `bodies`, the caption of a node is after its box. Labels in `off` do not move with their edges.
    """

    graph: Graph
    courses: tuple[tuple[Point, ...], ...]
    texts: Mapping[int, Box]
    bodies: Mapping[str, Sequence[Box]]
    borders: Sequence[Box]
    off: frozenset[int]


def sketch_routes(
    graph: Graph,
    layout: Layout,
    points: Sequence[Sequence[Pair]],
    labels: Mapping[int, SymbolicBox],
    values: Mapping[str, float],
    bodies: Mapping[str, Sequence[Box]],
    borders: Sequence[Box],
) -> Sketch:
    """Return the edges with their `points` and their labels at these values of the distances.

    Labels of straight edges and curves move with them.
    """
    ways, spots = layout.ways, layout.texts
    paths = [
        _path(way, [(x.compute_cm(values), y.compute_cm(values)) for x, y in each])
        for way, each in zip(ways, points, strict=True)
    ]
    labelled = {index: spot for index, spot in enumerate(spots) if spot}
    along = {index for index in labelled if layout.direct and len(ways[index].points) == 2}
    texts = {
        index: _text_along(spot, paths[index]) if index in along else labels[index].measure_box(values)
        for index, spot in labelled.items()
    }
    off = frozenset(index for index, spot in labelled.items() if spot.side != ON and index not in along)
    courses = tuple(tuple(make_polyline(path, COARSE_CUBIC_STEPS)) for path in paths)
    return Sketch(graph, courses, texts, bodies, borders, off)


def _path(way: Route, points: Sequence[Point]) -> Path[float]:
    if not way.bend:
        return Path.join_points(*points)
    (x0, y0), (x1, y1) = points
    return Path.make_curve((x0, y0), (x1, y1), bow_arms(x1 - x0, y1 - y0, way.bend))


def _text_along(spot: LabelPlace, path: Path[float]) -> Box:
    """Return the box of a label next to a straight or curved edge, or on it."""
    wide, tall = spot.box[2] - spot.box[0], spot.box[3] - spot.box[1]
    x, y = path.find_point_at(spot.share)
    if spot.side != ON:
        u, v = auto_shift(path, spot.share, "left" if spot.left else "right", wide + 2 * OFF, tall + 2 * OFF)
        x, y = x + u, y + v
    return x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2


def find_overlaps(sketch: Sketch) -> Struck:
    """Return all overlaps of a sketch."""
    return frozenset([*_by_lines(sketch), *_by_texts(sketch), *_as_one(sketch)])


def _by_lines(sketch: Sketch) -> Iterator[tuple[str, int, int | str]]:
    texts = [(index, grow_box(box, -_WITHIN)) for index, box in sketch.texts.items()]
    bodies = [(name, [grow_box(box, -_WITHIN) for box in boxes]) for name, boxes in sketch.bodies.items()]
    # an edge may end at its own node, and touch the caption
    own = {name: [grow_box(box, -_TOUCHED) for box in boxes[1:]] for name, boxes in bodies}
    for index, course in enumerate(sketch.courses):
        around, line = compute_bounding_box(course), sketch.graph.lines[index]
        for other, box in texts:
            if has_overlap(around, box) and is_polyline_across_box(course, box) and _is_apart(sketch, index, other):
                yield "line on text", index, other
        for name, boxes in bodies:
            for box in own[name] if name in line.ends else boxes:
                if has_overlap(around, box) and is_polyline_across_box(course, box):
                    yield "line on entity", index, name
                    break


def _is_apart(sketch: Sketch, index: int, other: int) -> bool:
    """Return whether an edge must not touch the label of another edge, or its own."""
    if index == other:
        return other in sketch.off
    bundle = sketch.graph.lines[index].bundle
    return not bundle or bundle != sketch.graph.lines[other].bundle


def _by_texts(sketch: Sketch) -> Iterator[tuple[str, int, int | str]]:
    for index, box in sketch.texts.items():
        inner = grow_box(box, -_WITHIN)
        for name, boxes in sketch.bodies.items():
            if any(has_overlap(inner, body) for body in boxes):
                yield "text on entity", index, name
        for number, border in enumerate(sketch.borders):
            if has_overlap(box, border) and not is_within(box, border):
                yield "text on border", index, number
    for (one, box), (other, each) in combinations(sketch.texts.items(), 2):
        if has_overlap(grow_box(box, -_WITHIN), each):
            yield "text on text", one, other


def _as_one(sketch: Sketch) -> Iterator[tuple[str, int, int | str]]:
    """Yield pairs of edges between the same nodes that are so close that they seem to be one."""
    pairs: dict[frozenset[str], list[int]] = {}
    for index, line in enumerate(sketch.graph.lines):
        if len(sketch.courses[index]) == 2:
            pairs.setdefault(frozenset(line.ends), []).append(index)
    for members in pairs.values():
        for one, other in pairwise(members):
            (start, goal), course = sketch.courses[one], sketch.courses[other]
            long = dist(start, goal)
            ends = [(goal[0] - start[0]) * (y - start[1]) - (goal[1] - start[1]) * (x - start[0]) for x, y in course]
            if long and max(map(abs, ends)) / long < _ONE:
                yield "lines as one", one, other
