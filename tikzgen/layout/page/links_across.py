"""Links across a figure: smooth curves between facing sides; orthogonal routes within a column.

`links` returns all links of a figure.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product

from tikzgen.base.plane import (
    Box,
    Path,
    Point,
    choose_clearest,
    compute_bounding_box,
    compute_control_offsets,
    count_crossed_boxes,
    find_box_center,
    grow_box,
    has_overlap,
    is_within,
)
from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.scene.items import ArrowItem, ElbowItem
from tikzgen.layout.symbolic_lengths import Length, Pair, SymbolicBox, make_box_around
from tikzgen.model.panel_parts import Link

# Links between stacked parts are orthogonal, and use the channel between the parts.

_MARGIN = 0.18  # cm between the parts of a column and a link at their side
_TRACK_GAP_CM = 0.12  # cm between parallel links
_TRACK_ORDER = (0, -1, 1, -2, 2)  # times the gap between links, up from the middle of a channel
_LINK_TO_TEXT_CM = 0.05  # cm of clearance between a link and a label
_BACK = {"forward": "backward", "backward": "forward"}
_OVERLAP_COST = 100  # number of crossings that are better than an overlap of two links


class PartsInColumn(Record):
    """Stacked parts of a panel: for each node the index of its part, and the channel above that part.

    `right` is the right edge of all parts.
    """

    parts: Mapping[str, int]
    channels: Mapping[str, Length]
    right: Length

    def is_across_parts(self, source: str, target: str) -> bool:
        """Return whether the two nodes are in different parts of this column."""
        parts = self.parts
        return source in parts and target in parts and parts[source] != parts[target]


class _Run(Record):
    """Horizontal segment of a link in a channel: x of its lower and of its upper end (cm), and its track."""

    start: float
    goal: float
    track: int = 0

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest x of the segment, in cm."""
        return min(self.start, self.goal), max(self.start, self.goal)

    def has_in_reach(self, x: float) -> bool:
        """Return whether the segment passes above or below the position `x`."""
        left, right = self.reach
        return left < x < right


class ColumnLinks:
    """Links of one column, each clear of earlier links.

    `solids` are the boxes of nodes (from their `outlines`) and of all labels, with the names of their nodes.
    """

    def __init__(
        self,
        column: PartsInColumn,
        outlines: Mapping[str, SymbolicBox],
        solids: Sequence[tuple[str, Box]],
        values: Mapping[str, float],
    ) -> None:
        self.column, self.outlines, self.solids, self.values = column, outlines, solids, values
        self.beside = 0
        self.runs: defaultdict[int, list[_Run]] = defaultdict(list)

    def route_elbow(self, link: Link, ends: tuple[str, str], anchors: Mapping[tuple[str, str], str]) -> ElbowItem:
        """Return the route of a link; `anchors` maps a node and a side to an anchor."""
        column, outlines, values = self.column, self.outlines, self.values
        low, high = ends if column.parts[ends[0]] > column.parts[ends[1]] else ends[::-1]
        direction = link.direction if low == ends[0] else _BACK.get(link.direction, link.direction)
        below, above, channel = outlines[low], outlines[high], column.channels[low]
        boxes = list(
            _iterate_obstacles(self.solids, (low, high), [outlines[end].measure_box(values) for end in (low, high)])
        )
        margin = column.right + (_MARGIN + _TRACK_GAP_CM * self.beside)
        (start, _), (goal, _) = below.middle, above.middle
        leaves = _is_free(start.compute_cm(values), below.top.compute_cm(values), channel.compute_cm(values), boxes)
        enters = _is_free(goal.compute_cm(values), channel.compute_cm(values), above.bottom.compute_cm(values), boxes)
        self.beside += not (leaves and enters)
        run = _Run((start if leaves else margin).compute_cm(values), (goal if enters else margin).compute_cm(values))
        return ElbowItem(
            anchors[low, "top" if leaves else "right"],
            anchors[high, "bottom" if enters else "right"],
            "|-" if leaves else "-|",
            "-|" if enters else "|-",
            (start + goal) * 0.5 if leaves and enters else margin,
            channel + _TRACK_GAP_CM * self._track(column.parts[low], run),
            direction,
        )

    def _track(self, part: int, run: _Run) -> int:
        """Return the track of a link in the channel above a part: no overlap if possible, few crossings."""
        others = self.runs[part]
        tried = (replace(run, track=track) for track in _TRACK_ORDER)
        found = choose_clearest(tried, lambda one, _: sum(_compute_conflict_cost(one, other) for other in others))
        others.append(found)
        return found.track


def _compute_conflict_cost(one: _Run, other: _Run) -> float:
    """Return the number of crossings of two links in their channel; a large cost if they overlap."""
    if one.track == other.track:
        (left, right), (first, last) = one.reach, other.reach
        return _OVERLAP_COST * (max(left, first) < min(right, last))
    upper, lower = (one, other) if one.track > other.track else (other, one)
    return lower.has_in_reach(upper.start) + upper.has_in_reach(lower.goal)


def _iterate_obstacles(solids: Sequence[tuple[str, Box]], ends: tuple[str, str], held: Sequence[Box]) -> Iterator[Box]:
    """Yield possible obstacles: nodes and labels, except the ends and boxes that contain or are in an end."""
    for name, box in solids:
        if name not in ends and not any(is_within(box, end) or is_within(end, box) for end in held):
            yield box


def _is_free(x: float, bottom: float, top: float, boxes: Iterable[Box]) -> bool:
    """Return whether no box obstructs a vertical line."""
    return not any(
        box[0] - _LINK_TO_TEXT_CM < x < box[2] + _LINK_TO_TEXT_CM and box[1] < top and bottom < box[3] for box in boxes
    )


_ANGLE = {"right": 0, "top": 90, "left": 180, "bottom": 270}
_REACHES = (0.6, 1.5)  # cm from an end to its control point; longer for a curve that keeps its direction longer
_BORDER_DEPTH_CM = 0.05  # cm inside an end that a curve may touch
_WIDE_REACHES_CM = (4.0,)  # cm, for a curve around a header: only if all others cross a label
_TURNS = sorted(product((0, 30, -30, 60, -60), repeat=2), key=lambda pair: sum(map(abs, pair)))  # degrees, small first
_OPPOSITE_SIDES = {"right": "left", "left": "right", "top": "bottom", "bottom": "top"}

# A span is drawn along its time axis, rotated by 90 degrees if time runs up: its north is then the page's left.
_ANCHOR = {
    "level": {"right": "east", "top": "north", "left": "west", "bottom": "south"},
    "right": {"right": "east", "top": "north", "left": "west", "bottom": "south"},
    "up": {"right": "south", "top": "east", "left": "north", "bottom": "west"},
    "down": {"right": "north", "top": "west", "left": "south", "bottom": "east"},
}


class Site(Record):
    """A possible end of a link: its node, rough position (cm), and orientation.

    `lift` is the elevation (degrees) from which a curve should arrive, `tilt` the elevation at which it should leave.
    Other nodes touch the `closed` sides.
    """

    node: str
    x: float = 0.0
    y: float = 0.0
    turn: str = "level"
    lift: int = 0
    tilt: int = 0
    closed: frozenset[str] = frozenset()

    def anchor(self, side: str) -> str:
        return self.node if self.turn == "point" else f"{self.node}.{_ANCHOR[self.turn][side]}"


class _Course(Record):
    """Sides that a link leaves and reaches, its angles (degrees), and its control distance `reach` (cm)."""

    sides: tuple[str, str]
    angles: tuple[int, int]
    reach: float

    def at_ends(self) -> Iterator[tuple[int, str, int, float]]:
        """Return the index, side, angle and reach of each end."""
        return ((end, self.sides[end], self.angles[end], self.reach) for end in (0, 1))


def route_links(
    plan: LayoutAttempt,
    sites: Mapping[str, Site],
    outlines: Mapping[str, SymbolicBox],
    texts: Sequence[tuple[str, SymbolicBox]],
    columns: Sequence[PartsInColumn],
) -> Iterator[tuple[ArrowItem | ElbowItem, list[SymbolicBox], bool]]:
    """Yield every link as an arrow between facing sides, with the boxes by which it extends the figure.

    The last value is whether it crosses a label or a node. `outlines` are the boxes of the ends. `texts` are the boxes
    of labels to avoid if possible, each with the name of its node.
    """
    boxes = [(name, extent.measure_box(plan.values)) for name, extent in texts]
    solids = (
        [*((name, extent.measure_box(plan.values)) for name, extent in outlines.items()), *boxes] if columns else []
    )
    solid = {site.node for site in sites.values() if site.turn != "point"}
    nodes_in_cm = [(name, extent.measure_box(plan.values)) for name, extent in outlines.items() if name in solid]
    within = [ColumnLinks(column, outlines, solids, plan.values) for column in columns]
    for link in plan.figure.links:
        source, target = _find(sites, link.source), _find(sites, link.target)
        nodes = source.node, target.node
        column = next((one for one in within if one.column.is_across_parts(*nodes)), None)
        if column is not None:
            anchors = {(site.node, side): site.anchor(side) for site in (source, target) for side in _ANGLE}
            turned = column.route_elbow(link, nodes, anchors)
            yield turned, [SymbolicBox(turned.x, turned.y, turned.x + 0.02, turned.y)], False
        else:
            clear = [*boxes, *(each for each in nodes_in_cm if each[0] not in nodes)]
            yield _route_curve(plan, link, (source, target), (outlines[source.node], outlines[target.node]), clear)


def _find(sites: Mapping[str, Site], end: str) -> Site:
    name, _, at = end.partition("@")
    return sites[name] if name in sites else sites[f"{name}@{float(at or 0.5):g}"]


def _route_curve(
    plan: LayoutAttempt,
    link: Link,
    ends: tuple[Site, Site],
    places: tuple[SymbolicBox, SymbolicBox],
    texts: Sequence[tuple[str, Box]],
) -> tuple[ArrowItem, list[SymbolicBox], bool]:
    """Return the curve with the fewest crossings, its control points, and whether it crosses a box.

    It may cross labels, nodes, linked spans, and the inside of its ends. A clear curve has the usual sides.
    """
    source, target = ends
    own = [place.measure_box(plan.values) for place in places]
    names = source.node, target.node
    boxes = [
        box if name else grow_box(box, _LINK_TO_TEXT_CM)  # a label of no node: the estimated box may be too small
        for name, box in texts
        if not (name in names and _is_inside_ends(box, own))
    ]
    boxes += [grow_box(box, -_BORDER_DEPTH_CM) for box in own]

    paper = compute_bounding_box(corner for box in own for corner in (box[:2], box[2:]))
    rooms = {reach: grow_box(paper, reach) for reach in (*_REACHES, *_WIDE_REACHES_CM)}
    near = {reach: [box for box in boxes if has_overlap(box, room)] for reach, room in rooms.items()}

    @cache
    def end_point(end: int, side: str) -> Pair:
        return _end(places[end], side)

    def end_and_control(end: int, side: str, angle: int, reach: float) -> tuple[Pair, Pair]:
        """Return the end of a curve at a node and its control point there."""
        (x, y), ((dx, dy), _) = end_point(end, side), compute_control_offsets((angle, angle), reach)
        return (x, y), (x + dx, y + dy)

    @cache  # few distinct values, shared by many curves
    def in_cm(end: int, side: str, angle: int, reach: float) -> tuple[Point, Point]:
        (x, y), (u, v) = end_and_control(end, side, angle, reach)
        return (x.compute_cm(plan.values), y.compute_cm(plan.values)), (
            u.compute_cm(plan.values),
            v.compute_cm(plan.values),
        )

    def count_overlaps(course: _Course, most: float) -> int:
        (start, first), (goal, last) = (in_cm(*each) for each in course.at_ends())
        return count_crossed_boxes(Path(((start, first, last, goal),)), near[course.reach], most=most)

    courses = _iterate_courses(*_choose_usual_sides(plan, ends, places))
    open_courses = (one for one in courses if not any(one.sides[end] in ends[end].closed for end in (0, 1)))
    found = choose_clearest(open_courses, count_overlaps)
    (out, into), (leaves, enters) = found.angles, found.sides
    arrow = ArrowItem(source.anchor(leaves), target.anchor(enters), out, into, found.reach, link.direction)
    reached = [make_box_around(end_and_control(*each)[1]) for each in found.at_ends()]
    return arrow, reached, count_overlaps(found, math.inf) > 0


def _choose_usual_sides(
    plan: LayoutAttempt, ends: tuple[Site, Site], places: tuple[SymbolicBox, SymbolicBox]
) -> tuple[tuple[str, str], tuple[int, int]]:
    """Return the usual sides and angles of a link: the sides that face each other.

    The positions of the parts decide. Within one part, the positions of the nodes decide.
    """
    (source, target), (one, other) = ends, places
    dx, dy = target.x - source.x, target.y - source.y
    if not dx and not dy:
        dx = ((other.left + other.right - one.left - one.right) * 0.5).compute_cm(plan.values)
        dy = ((other.bottom + other.top - one.bottom - one.top) * 0.5).compute_cm(plan.values)
    side = ("right" if dx > 0 else "left") if abs(dx) >= abs(dy) else ("top" if dy > 0 else "bottom")
    lift, tilt = (target.lift, target.tilt) if side == "left" else (0, 0)
    return (side, _OPPOSITE_SIDES[side]), (_ANGLE[side] - tilt, _ANGLE[_OPPOSITE_SIDES[side]] + lift)


def _iterate_courses(sides: tuple[str, str], angles: tuple[int, int]) -> Iterator[_Course]:
    """Yield the usual course, then others by increasing turn, last those from the far side of an end; turns go up."""

    def turn_end(others: tuple[str, ...]) -> int:
        """Return the larger angle in degrees between a usual side and another one."""
        turns = [abs(_ANGLE[one] - _ANGLE[other]) for one, other in zip(sides, others, strict=True)]
        return max(min(turn, 360 - turn) for turn in turns)

    every = [(each, (_ANGLE[each[0]], _ANGLE[each[1]])) for each in sorted(product(_ANGLE, _ANGLE), key=turn_end)]
    for reaches, (chosen, (out, into)) in product((_REACHES, _WIDE_REACHES_CM), ((sides, angles), *every)):
        for reach, (one, other) in product(reaches, _TURNS):
            yield _Course(
                chosen, (out + one * _choose_upward_sign(out), into + other * _choose_upward_sign(into)), reach
            )


def _choose_upward_sign(angle: int) -> int:
    return 1 if math.cos(math.radians(angle)) >= 0 else -1


def _is_inside_ends(box: Box, places: Sequence[Box]) -> bool:
    """Return whether the middle of a label is in one of the end nodes, not below it."""
    x, y = find_box_center(box)
    return any(left < x < right and bottom < y < top for left, bottom, right, top in places)


def _end(outline: SymbolicBox, side: str) -> Pair:
    """Return the middle of a side."""
    x, y = outline.middle
    across, up = {"left": outline.left, "right": outline.right}, {"bottom": outline.bottom, "top": outline.top}
    return across.get(side, x), up.get(side, y)
