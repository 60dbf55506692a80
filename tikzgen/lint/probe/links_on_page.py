"""Links of a page: open paths with their arrow heads, and the boxes that they can join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, pairwise
from math import dist

from tikzgen.base.plane import (
    Box,
    Point,
    compute_bounding_box,
    grow_box,
    is_point_inside,
    is_within,
    make_convex_hull,
    measure_distance_to_lines,
    touch,
)
from tikzgen.base.record import Record
from tikzgen.lint.probe.page_data import NodeOnPage, PageData, PathOnPage
from tikzgen.lint.probe.page_index import HATCH_PT, PageIndex

NO_FRAMES = {"cross out", "strike out"}
"""Shapes whose lines go through their text."""
_HEAD_TO_END_PT = 8.0  # pt: largest distance of a head from its end of the path
_LARGEST_HEAD_PT = 14.0  # pt: larger shapes are not heads


class OpenPath(Record):
    """An open path; its course ends at the tips of its heads, at its start, its end or both.

    `head` is the size of its largest filled head in pt, 0 without one.
    """

    path: PathOnPage
    course: tuple[Point, ...]
    at_start: bool
    at_end: bool
    head: float = 0.0

    @property
    def ends(self) -> Iterator[tuple[Point, Point, bool]]:
        """Both ends: the point, the previous point, and whether the end has a head."""
        yield self.course[0], self.course[1], self.at_start
        yield self.course[-1], self.course[-2], self.at_end

    @property
    def length(self) -> float:
        """Length from tip to tip, in pt."""
        return sum(dist(a, b) for a, b in pairwise(self.course))


class Joined(Record):
    """A box that links can join: a visible node or a node with an icon, with its outline.

    `is_frame` is true if it contains another such box.
    """

    node: NodeOnPage
    outline: tuple[Point, ...]
    box: Box
    is_frame: bool

    def has_point(self, point: Point) -> bool:
        """Return whether the outline contains a point."""
        return is_point_inside((self.outline,), point)

    def is_near(self, point: Point, near: float) -> bool:
        """Return whether a point is inside the outline, or closer to it than `near` pt."""
        around = touch(grow_box(self.box, near), (*point, *point))  # excludes most points
        return around and (self.has_point(point) or self.distance_to(point) < near)

    def distance_to(self, point: Point) -> float:
        """Return the distance of a point from its outline."""
        return measure_distance_to_lines(point, ((*self.outline, self.outline[0]),))


def links_of(page: PageData) -> tuple[OpenPath, ...]:
    """Return the open paths on the page itself, except lines in the background color, which are gaps."""
    heads: dict[int, list[PathOnPage]] = {}
    shafts: list[PathOnPage] = []
    for path in page.paths:
        if path.depth or path.nodes or path.stroke == page.paper:
            continue
        if path.fill is None and path.stroke and len(path.lines) == 1 and path.width <= HATCH_PT and _is_open(path):
            shafts.append(path)
        if max(path.box[2] - path.box[0], path.box[3] - path.box[1]) < _LARGEST_HEAD_PT:
            heads.setdefault(path.paint, []).append(path)
    first = {path.paint: path for path in reversed(shafts)}
    return tuple(_link(path, heads.get(path.paint, ())) for path in shafts if first[path.paint] is path)


def _is_open(path: PathOnPage) -> bool:
    line = path.lines[0]
    return len(line) > 1 and line[0] != line[-1]


def _link(path: PathOnPage, heads: Sequence[PathOnPage]) -> OpenPath:
    course = list(path.lines[0])
    start = _find_tip(course[0], course[1], path, heads)
    end = _find_tip(course[-1], course[-2], path, heads)
    course[0], course[-1] = start or course[0], end or course[-1]
    filled = [head for head in heads if head is not path and head.fill is not None]
    drawn = (make_convex_hull(chain.from_iterable(head.lines)) for head in filled)
    sizes = [dist(one, other) for outline in drawn for one, other in combinations(outline, 2)] if start or end else []
    return OpenPath(path, tuple(course), start is not None, end is not None, max(sizes, default=0.0))


def _find_tip(end: Point, before: Point, shaft: PathOnPage, heads: Sequence[PathOnPage]) -> Point | None:
    """Return the tip of the head at an end of a path; None without a head."""
    long = dist(end, before) or 1.0
    along = ((end[0] - before[0]) / long, (end[1] - before[1]) / long)
    found: Point | None = None
    for head in heads:
        points = [point for line in head.lines for point in line]
        if head is shaft or len(points) < 3 or not touch(grow_box(head.box, 1.0), (*end, *end)):
            continue
        reach = max((x - end[0]) * along[0] + (y - end[1]) * along[1] for x, y in points)
        if -1.0 <= reach <= _HEAD_TO_END_PT:
            found = (end[0] + reach * along[0], end[1] + reach * along[1])
    return found


def targets_of(view: PageIndex) -> tuple[Joined, ...]:
    """Return the visible nodes of the page itself."""
    inner = {mark for path in view.page.paths if path.depth for mark in path.nodes[:1]}
    found = []
    for node in view.page.nodes:
        if node.depth or node.shape in NO_FRAMES or len(node.border) < 3:
            continue
        border = view.find_border(node.id)
        if node.id in inner or (border is not None and _has_visible_border(border, view.page)):
            outline = make_convex_hull(node.border)
            if len(outline) > 2:
                found.append((node, outline))
    boxes = [(node, outline, compute_bounding_box(outline)) for node, outline in found]
    return tuple(
        Joined(node, outline, box, any(other is not node and is_within(small, box) for other, _, small in boxes))
        for node, outline, box in boxes
    )


def _has_visible_border(border: PathOnPage, page: PageData) -> bool:
    filled = border.fill is not None and border.fill != page.paper
    return filled or (border.stroke is not None and border.stroke != page.paper)
