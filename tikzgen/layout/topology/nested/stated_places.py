"""Positions in stated columns and rows, or on a stated circle, with the gaps that edges need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from math import hypot

from tikzgen.base.plane import Box, Point, compute_bounding_box, find_box_center, has_overlap
from tikzgen.layout.topology.nested.nested_graph import LABEL_ROOM, Graph, GraphCells, GraphEdge, Leaf, count_tracks
from tikzgen.layout.topology.nested.placed_nodes import Placed

_GAP = (0.95, 0.85)  # cm between columns and between rows that edges join
_FREE_CM = 0.4  # cm between nodes that no edge joins
_INSIDE_CM = 0.55  # cm between members of a frame that no edge joins
_FRAMED_CM = 0.15  # cm more if the frame contains frames
_LINE = 0.12  # cm more for each edge between them after the first
_LINES = 8  # maximum number of such edges
_ASIDE = 0.5  # cm around a label, both sides together
_SPOKE = 1.1  # cm between neighbors on a circle

_Spans = Mapping[str, tuple[float, float]]
"""First and last column (or row) that each id occupies."""
_Gaps = Callable[[float, float], float]
_LevelGaps = Callable[[Mapping[str, float]], Callable[[str, str], float]]
"""Function that returns, for the positions in a level, the gap function of two neighbors there."""
_Join = tuple[str, str, GraphEdge]
"""Ids of two nodes or containers that an edge joins, and the edge."""


def stated_places(graph: Graph, loose: float, more: Point = (0.0, 0.0)) -> Placed | None:
    """Return the stated placement, or None if frames would overlap each other or foreign nodes."""
    cells = graph.cells
    if cells is None:
        return None
    feet = {leaf.id: leaf.own_foot for leaf in graph.leaves}
    anchors = (
        _on_circle(feet, cells, loose, more)
        if cells.around
        else _in_cells(feet, cells, partial(_find_gaps, graph, cells), partial(_framed_gaps, graph, cells), loose, more)
    )
    frames: dict[str, Box] = {}
    for frame in graph.frames:
        inner = [frames[name] for name in frame.members if name in frames]
        inner += [_at(leaf, anchors) for leaf in graph.leaves if leaf.id in frame.members]
        left, top, right, bottom = compute_bounding_box([point for box in inner for point in (box[:2], box[2:])])
        (wide, _), (above, below) = frame.label, frame.rooms
        aside = frame.pad + max(0.0, wide + LABEL_ROOM - (right - left) - 2 * frame.pad) / 2
        frames[frame.id] = (left - aside, top - above, right + aside, bottom + below)
    anchors |= {name: find_box_center(box) for name, box in frames.items() if name in graph.neighbors}
    if _find_clash(graph, anchors, frames):
        return None
    every = [*(_at(leaf, anchors) for leaf in graph.leaves), *frames.values()]
    left, top, right, bottom = compute_bounding_box([point for box in every for point in (box[:2], box[2:])])
    return Placed(
        {name: (round(x - left, 4), round(y - top, 4)) for name, (x, y) in anchors.items()},
        {name: (x0 - left, y0 - top, x1 - left, y1 - top) for name, (x0, y0, x1, y1) in frames.items()},
        right - left,
        bottom - top,
    )


def _at(leaf: Leaf, anchors: Mapping[str, Point]) -> Box:
    (x, y), (left, top, right, bottom) = anchors[leaf.id], leaf.own_foot
    return x + left, y + top, x + right, y + bottom


def _find_clash(graph: Graph, anchors: Mapping[str, Point], frames: Mapping[str, Box]) -> bool:
    """Return whether a frame overlaps another one, or a node that it does not contain."""
    for leaf in graph.leaves:
        held = graph.holders[leaf.id]
        if any(name not in held and has_overlap(box, _at(leaf, anchors)) for name, box in frames.items()):
            return True
    return any(
        one not in graph.above(other) and other not in graph.above(one) and has_overlap(frames[one], frames[other])
        for one, other in combinations(frames, 2)
    )


def member_places(
    graph: Graph, name: str, cells: GraphCells, boxes: Mapping[str, Box], loose: float, more: Point
) -> dict[str, Point]:
    """Return the positions of the members of a container; `boxes` include frames and captions."""
    if cells.around:
        return _on_circle(boxes, cells, loose, more)
    joins = [(one, other, graph.lines[index]) for one, other, index in graph.links[name]]
    free = _INSIDE_CM + _FRAMED_CM * any(member in graph.containers for member in boxes)

    def gaps(axis: int) -> _Gaps:
        return partial(_line_gap, _find_spans(cells, axis), joins, axis, free)

    return _in_cells(boxes, cells, gaps, partial(_level_gaps, cells, joins, free), loose, more)


def _in_cells(
    boxes: Mapping[str, Box],
    cells: GraphCells,
    gaps: Callable[[int], _Gaps],
    beside: _LevelGaps,
    loose: float,
    more: Point,
) -> dict[str, Point]:
    """Return positions in columns and rows, each as wide as its members.

    `gaps` returns the gap function of an axis. In levels, members keep only the gap to their neighbors, by `beside`.
    """
    axes = []
    for axis in (0, 1):
        if axis == cells.spread:
            axes.append(_spread(boxes, cells, axis, beside, loose, more[axis]))
            continue
        gap = gaps(axis)
        where = {name: place[axis] for name, place in cells.places}
        lines = sorted({*where.values()})
        at = {lines[0]: 0.0}
        for one, other in pairwise(lines):
            end = max(boxes[name][axis + 2] for name, line in where.items() if line == one)
            start = min(boxes[name][axis] for name, line in where.items() if line == other)
            at[other] = at[one] + end - start + gap(one, other) * loose + more[axis]
        axes.append({name: at[line] for name, line in where.items()})
    return {name: (axes[0][name], axes[1][name]) for name, _ in cells.places}


def _spread(
    boxes: Mapping[str, Box], cells: GraphCells, axis: int, beside: _LevelGaps, loose: float, more: float
) -> dict[str, float]:
    """Return positions in levels at multiples of one distance, the minimum that separates neighbors."""
    levels: dict[float, dict[str, float]] = {}
    for name, place in cells.places:
        levels.setdefault(place[1 - axis], {})[name] = place[axis]
    apart = 0.0
    for level in levels.values():
        gap = beside(level)
        for one, other in pairwise(sorted(level, key=lambda name: (level[name], name))):
            room = boxes[one][axis + 2] - boxes[other][axis] + gap(one, other) * loose + more
            apart = max(apart, room / (level[other] - level[one]))
    return {name: place[axis] * apart for name, place in cells.places}


def _level_gaps(
    cells: GraphCells, joins: Iterable[_Join], free: float, level: Mapping[str, float]
) -> Callable[[str, str], float]:
    """Return a function of the gap that edges within a level need between two neighbors."""
    spans = {name: (at, at) for name, at in level.items()}
    within = [join for join in joins if join[0] in level and join[1] in level]
    return lambda one, other: _line_gap(spans, within, cells.spread or 0, free, level[one], level[other])


def _find_spans(cells: GraphCells, axis: int) -> dict[str, tuple[float, float]]:
    return {name: (place[axis], place[axis]) for name, place in cells.places}


def _find_gaps(graph: Graph, cells: GraphCells, axis: int) -> Callable[[float, float], float]:
    """Return a function of the gap between adjacent columns (or rows) of nodes; frames span several."""
    spans = _find_spans(cells, axis)
    for frame in graph.frames:
        inner = [at for name in frame.members for at in spans[name]]
        spans[frame.id] = min(inner), max(inner)
    joins = [(*line.ends, line) for line in graph.lines]

    def gap(one: float, other: float) -> float:
        held = [[graph.holders[leaf.id] for leaf in graph.leaves if spans[leaf.id][0] == at] for at in (one, other)]
        borders = max(_find_borders(graph, axis, *pair) for pair in _find_pairs(*held))
        return _line_gap(spans, joins, axis, _FREE_CM, one, other) + borders

    return gap


def _framed_gaps(graph: Graph, cells: GraphCells, level: Mapping[str, float]) -> Callable[[str, str], float]:
    """Return a function of the gap between two nodes in a level; frames may begin or end there."""
    gap = _level_gaps(cells, [(*line.ends, line) for line in graph.lines], _FREE_CM, level)

    def gap_with_frames(one: str, other: str) -> float:
        return gap(one, other) + _find_borders(graph, cells.spread or 0, graph.holders[one], graph.holders[other])

    return gap_with_frames


def _line_gap(spans: _Spans, joins: Iterable[_Join], axis: int, free: float, one: float, other: float) -> float:
    """Return the gap that edges need between two adjacent columns (or rows)."""
    passing = [
        line
        for source, target, line in joins
        if min(spans[source][1], spans[target][1]) <= one and other <= max(spans[source][0], spans[target][0])
    ]
    gap = _GAP[axis] + _LINE * min(count_tracks(passing) - 1, _LINES) if passing else free
    gap = max([gap, *(line.label[axis] + _ASIDE for line in passing if line.label[axis])])
    return gap + 0.3 * any(line.marked for line in passing)


def _find_pairs(
    one: Iterable[frozenset[str]], other: Sequence[frozenset[str]]
) -> Iterable[tuple[frozenset[str], frozenset[str]]]:
    return ((first, second) for first in one for second in other)


def _find_borders(graph: Graph, axis: int, one: frozenset[str], other: frozenset[str]) -> float:
    """Return the cm that borders of frames need that begin or end between two nodes."""
    frames = graph.containers
    if not axis:
        return sum(frames[name].pad for name in one ^ other)
    return sum(frames[name].rooms[1] for name in one - other) + sum(frames[name].rooms[0] for name in other - one)


def _on_circle(boxes: Mapping[str, Box], cells: GraphCells, loose: float, more: Point) -> dict[str, Point]:
    """Return positions on a circle that is large enough to separate neighbors, also from the center.

    If `more` differs by axis, it is an ellipse.
    """

    def across(name: str) -> float:
        left, top, right, bottom = boxes[name]
        return hypot(right - left, bottom - top)

    pairs = [
        ((across(one) + across(other)) / 2 + _SPOKE * loose, hypot(x1 - x0, y1 - y0))
        for (one, (x0, y0)), (other, (x1, y1)) in combinations(cells.places, 2)
    ]
    wide, tall = (max([1.0, *((room + by) / chord for room, chord in pairs)]) for by in more)
    return {name: (x * wide, y * tall) for name, (x, y) in cells.places}
