"""Links across a figure: smooth curves between the sides that face each other.

Between parts that stand one below the other they turn square corners in the channel between the parts. What stands in
the first row of the upper part hides what is above it: a link to that runs up the right margin.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from tikzgen.base.record import Record
from tikzgen.layout.items import Arrow, Elbow
from tikzgen.layout.lengths import Extent, Length, Pair, around, in_cm
from tikzgen.layout.plan import Plan
from tikzgen.model.panel_parts import Link
from tikzgen.plane.path import Path, arms, clearest, strikes
from tikzgen.plane.rectangles import Box, is_within, middle

_ANGLE = {"right": 0, "top": 90, "left": 180, "bottom": 270}
_REACHES = (0.6, 1.5)  # cm from an end to its control point, longer for a curve that keeps its direction for longer
_FAR = (4.0,)  # cm, for a curve around a header: only where every other strikes a text
_TURNS = sorted(product((0, 30, -30, 60, -60), repeat=2), key=lambda pair: sum(map(abs, pair)))  # degrees, little first
_OPPOSITE = {"right": "left", "left": "right", "top": "bottom", "bottom": "top"}
_MARGIN = 0.18  # cm between the parts of a column and the link beside them
_TRACK = 0.12  # cm between links beside each other
_AROUND = 0.05  # cm that a link keeps off a text
_BACK = {"forward": "backward", "backward": "forward"}

# A span is drawn along its time: rotated by 90 degrees where time runs up, its own north is the page's left.
_ANCHOR = {
    "level": {"right": "east", "top": "north", "left": "west", "bottom": "south"},
    "right": {"right": "east", "top": "north", "left": "west", "bottom": "south"},
    "up": {"right": "south", "top": "east", "left": "north", "bottom": "west"},
    "down": {"right": "north", "top": "west", "left": "south", "bottom": "east"},
}


class Site(Record):
    """Something that a link can end on: its node, roughly where it is (cm), and how it is turned.

    `lift` is from how far above (degrees) a curve should come to it, `tilt` how far upwards it should set out.
    """

    node: str
    x: float = 0.0
    y: float = 0.0
    turn: str = "level"
    lift: int = 0
    tilt: int = 0

    def anchor(self, side: str) -> str:
        return self.node if self.turn == "point" else f"{self.node}.{_ANCHOR[self.turn][side]}"


class Column(Record):
    """Parts of a panel one below the other: for each node the number of its part and the channel above that part.

    `right` is the right edge of all parts.
    """

    parts: Mapping[str, int]
    channels: Mapping[str, Length]
    right: Length


class _Course(Record):
    """The sides that a link leaves and reaches, at which angles (degrees), and how far (cm) its control points are."""

    sides: tuple[str, str]
    angles: tuple[int, int]
    reach: float


def links(
    plan: Plan,
    sites: Mapping[str, Site],
    outlines: Mapping[str, Extent],
    texts: Sequence[tuple[str, Extent]],
    columns: Sequence[Column],
) -> Iterator[tuple[Arrow | Elbow, list[Extent]]]:
    """Every link as an arrow between the sides that face each other, with what it adds to the figure's size.

    `outlines` are the places of their ends, `texts` those of the texts that they pass clear of, as far as that can
    be, each with the name of its node.
    """
    boxes = [(name, extent.box(plan.values)) for name, extent in texts]
    solids = [*((name, extent.box(plan.values)) for name, extent in outlines.items()), *boxes] if columns else []
    level = {site.node for site in sites.values() if site.turn == "level"}
    nodes_in_cm = [(name, extent.box(plan.values)) for name, extent in outlines.items() if name in level]
    beside: dict[int, int] = {}
    for link in plan.figure.links:
        source, target = _find(sites, link.source), _find(sites, link.target)
        column = _column_of(columns, source.node, target.node)
        if column is not None:
            nodes = source.node, target.node
            anchors = {(site.node, side): site.anchor(side) for site in (source, target) for side in _ANGLE}
            turned = _elbow(column, link, nodes, anchors, outlines, solids, plan.values, beside.get(id(column), 0))
            beside[id(column)] = beside.get(id(column), 0) + turned.is_beside
            yield turned, [Extent(turned.x, turned.y, turned.x + 0.02, turned.y)]
        else:
            clear = [*boxes, *(each for each in nodes_in_cm if each[0] not in (source.node, target.node))]
            yield _curve(plan, link, (source, target), (outlines[source.node], outlines[target.node]), clear)


def _find(sites: Mapping[str, Site], end: str) -> Site:
    name, _, at = end.partition("@")
    return sites[name] if name in sites else sites[f"{name}@{float(at or 0.5):g}"]


def _curve(
    plan: Plan, link: Link, ends: tuple[Site, Site], places: tuple[Extent, Extent], texts: Sequence[tuple[str, Box]]
) -> tuple[Arrow, list[Extent]]:
    """The curve that strikes fewest texts and entities: between the usual sides, or where that is struck, any."""
    source, target = ends
    own = [place.box(plan.values) for place in places]
    names = source.node, target.node
    boxes = [box for name, box in texts if not (name in names and _within(box, own))]

    def path(course: _Course) -> Path[Length]:
        start, goal = (_end(place, side) for place, side in zip(places, course.sides, strict=True))
        return Path.curve(start, goal, arms(course.angles, course.reach))

    def struck(course: _Course, most: float) -> int:
        return strikes(in_cm(path(course), plan.values), boxes, most=most)

    found = clearest(_courses(*_usual(plan, ends, places)), struck)
    (out, into), (leaves, enters) = found.angles, found.sides
    arrow = Arrow(source.anchor(leaves), target.anchor(enters), out, into, found.reach, link.direction)
    return arrow, [around(point) for point in path(found).between()]


def _usual(
    plan: Plan, ends: tuple[Site, Site], places: tuple[Extent, Extent]
) -> tuple[tuple[str, str], tuple[int, int]]:
    """The sides that face each other, by their parts of the figure, within one part by themselves; and the angles."""
    (source, target), (one, other) = ends, places
    dx, dy = target.x - source.x, target.y - source.y
    if not dx and not dy:
        dx = ((other.left + other.right - one.left - one.right) * 0.5).at(plan.values)
        dy = ((other.bottom + other.top - one.bottom - one.top) * 0.5).at(plan.values)
    side = ("right" if dx > 0 else "left") if abs(dx) >= abs(dy) else ("top" if dy > 0 else "bottom")
    lift, tilt = (target.lift, target.tilt) if side == "left" else (0, 0)
    return (side, _OPPOSITE[side]), (_ANGLE[side] - tilt, _ANGLE[_OPPOSITE[side]] + lift)


def _courses(sides: tuple[str, str], angles: tuple[int, int]) -> Iterator[_Course]:
    """The usual course, then others, from those that turn little to those that turn much; a link rises rather."""
    every = [(each, (_ANGLE[each[0]], _ANGLE[each[1]])) for each in product(_ANGLE, _ANGLE)]
    for reaches, (chosen, (out, into)) in product((_REACHES, _FAR), ((sides, angles), *every)):
        for reach, (one, other) in product(reaches, _TURNS):
            yield _Course(chosen, (out + one * _upwards(out), into + other * _upwards(into)), reach)


def _upwards(angle: int) -> int:
    return 1 if math.cos(math.radians(angle)) >= 0 else -1


def _within(box: Box, places: Sequence[Box]) -> bool:
    """Whether a text stands in the node that a link ends on, not below it."""
    x, y = middle(box)
    return any(left < x < right and bottom < y < top for left, bottom, right, top in places)


def _end(outline: Extent, side: str) -> Pair:
    """The middle of a side."""
    x = {"left": outline.left, "right": outline.right}.get(side) or (outline.left + outline.right) * 0.5
    y = {"bottom": outline.bottom, "top": outline.top}.get(side) or (outline.bottom + outline.top) * 0.5
    return x, y


def _column_of(columns: Iterable[Column], source: str, target: str) -> Column | None:
    """The column in two parts of which these nodes stand."""
    for column in columns:
        parts = column.parts
        if source in parts and target in parts and parts[source] != parts[target]:
            return column
    return None


def _elbow(
    column: Column,
    link: Link,
    ends: tuple[str, str],
    anchors: Mapping[tuple[str, str], str],
    outlines: Mapping[str, Extent],
    solids: Sequence[tuple[str, Box]],
    values: Mapping[str, float],
    before: int,
) -> Elbow:
    """The way of a link; `anchors` has the anchor of each end's sides, `before` is how many others run beside it.

    `solids` are the boxes of the `outlines` and of all texts, with their nodes' names.
    """
    low, high = ends if column.parts[ends[0]] > column.parts[ends[1]] else ends[::-1]
    direction = link.direction if low == ends[0] else _BACK.get(link.direction, link.direction)
    below, above, channel = outlines[low], outlines[high], column.channels[low]
    boxes = list(_boxes(solids, (low, high), [outlines[end].box(values) for end in (low, high)]))
    margin = column.right + (_MARGIN + _TRACK * before)
    start, goal = _middle(below), _middle(above)
    leaves = _is_free(start.at(values), below.top.at(values), channel.at(values), boxes)
    enters = _is_free(goal.at(values), channel.at(values), above.bottom.at(values), boxes)
    return Elbow(
        anchors[low, "top" if leaves else "right"],
        anchors[high, "bottom" if enters else "right"],
        "|-" if leaves else "-|",
        "-|" if enters else "|-",
        (start + goal) * 0.5 if leaves and enters else margin,
        channel,
        direction,
    )


def _middle(outline: Extent) -> Length:
    return (outline.left + outline.right) * 0.5


def _boxes(solids: Sequence[tuple[str, Box]], ends: tuple[str, str], held: Sequence[Box]) -> Iterator[Box]:
    """What may stand in the way: nodes and texts, but for the ends, what holds them and what they hold."""
    for name, box in solids:
        if name not in ends and not any(is_within(box, end) or is_within(end, box) for end in held):
            yield box


def _is_free(x: float, bottom: float, top: float, boxes: Iterable[Box]) -> bool:
    """Whether nothing stands in the way of an upright line."""
    return not any(box[0] - _AROUND < x < box[2] + _AROUND and box[1] < top and bottom < box[3] for box in boxes)
