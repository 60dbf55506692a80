"""Links across a figure: which sides they leave and reach, in smooth curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import Plan
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Arrow, Elbow
from tikzgen.layout.links.clearest import Way, clearest, strikes
from tikzgen.layout.links.square_links import Column, column_of, elbow
from tikzgen.plane.rectangles import Box, middle

__all__ = ["Site", "links"]

_ANGLE = {"right": 0, "top": 90, "left": 180, "bottom": 270}
_REACH = 0.6  # cm from an end to its control point
_OPPOSITE = {"right": "left", "left": "right", "top": "bottom", "bottom": "top"}

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


def _find(sites: Mapping[str, Site], end: str) -> Site:
    name, _, at = end.partition("@")
    return sites[name] if name in sites else sites[f"{name}@{float(at or 0.5):g}"]


def _apart(plan: Plan, source: Site, target: Site, outlines: Mapping[str, Extent]) -> tuple[float, float]:
    """How far right and up the target lies: by their parts of the figure, within one part by themselves."""
    if (source.x, source.y) != (target.x, target.y):
        return target.x - source.x, target.y - source.y
    one, other = outlines[source.node], outlines[target.node]
    across = (other.left + other.right - one.left - one.right) * 0.5
    return across.at(plan.values), ((other.bottom + other.top - one.bottom - one.top) * 0.5).at(plan.values)


def links(
    plan: Plan,
    sites: Mapping[str, Site],
    outlines: Mapping[str, Extent],
    texts: Sequence[tuple[str, Extent]],
    columns: Sequence[Column],
) -> Iterator[Arrow | Elbow]:
    """Every link as an arrow between the sides that face each other; `outlines` are the places of their ends, `texts`
    those of the texts that they pass clear of, as far as that can be, each with the name of its node."""
    boxes = [(name, extent.box(plan.values)) for name, extent in texts]
    beside: dict[int, int] = {}
    for link in plan.figure.links:
        source, target = _find(sites, link.source), _find(sites, link.target)
        column = column_of(columns, source.node, target.node)
        if column is not None:
            nodes = source.node, target.node
            anchors = {(site.node, side): site.anchor(side) for site in (source, target) for side in _ANGLE}
            turned = elbow(column, link, nodes, anchors, outlines, texts, plan.values, beside.get(id(column), 0))
            beside[id(column)] = beside.get(id(column), 0) + turned.is_beside
            yield turned
            continue
        dx, dy = _apart(plan, source, target, outlines)
        side = ("right" if dx > 0 else "left") if abs(dx) >= abs(dy) else ("top" if dy > 0 else "bottom")
        back = _OPPOSITE[side]
        lift, tilt = (target.lift, target.tilt) if side == "left" else (0, 0)
        places = source, target, outlines[source.node], outlines[target.node]
        out, into = _ANGLE[side] - tilt, _ANGLE[back] + lift
        usual = _Course((side, back), _way(plan, outlines, source, target, (side, back), (out, into)))
        course = _clear(plan, usual, places, boxes)
        way, (side, back) = course.way, course.sides
        yield Arrow(source.anchor(side), target.anchor(back), way.out_angle, way.in_angle, way.reach, link.direction)


class _Course(Record):
    """The sides that a link leaves and reaches, and its way between them."""

    sides: tuple[str, str]
    way: Way


def _way(
    plan: Plan,
    outlines: Mapping[str, Extent],
    source: Site,
    target: Site,
    sides: tuple[str, str],
    angles: tuple[int, int],
) -> Way:
    start, goal = _middle(plan, outlines[source.node], sides[0]), _middle(plan, outlines[target.node], sides[1])
    return Way(start, goal, *angles, _REACH)


def _clear(
    plan: Plan, usual: _Course, ends: tuple[Site, Site, Extent, Extent], texts: Sequence[tuple[str, Box]]
) -> _Course:
    """The way that strikes through fewest texts: between the usual sides, or where that is struck, between any."""
    source, target, *places = ends
    own = [place.box(plan.values) for place in places]
    boxes = [box for name, box in texts if not (name in (source.node, target.node) and _within(box, own))]
    best = replace(usual, way=clearest(usual.way, boxes))
    least = strikes(best.way, boxes)
    outlines = {source.node: places[0], target.node: places[1]}
    for sides in product(_ANGLE, _ANGLE) if least else ():
        way = _way(plan, outlines, source, target, sides, (_ANGLE[sides[0]], _ANGLE[sides[1]]))
        found = clearest(way, boxes)
        struck = strikes(found, boxes)
        if struck < least:
            best, least = _Course(sides, found), struck
        if not least:
            break
    return best


def _within(box: Box, places: Sequence[Box]) -> bool:
    """Whether a text stands in the node that a link ends on, not below it."""
    x, y = middle(box)
    return any(left < x < right and bottom < y < top for left, bottom, right, top in places)


def _middle(plan: Plan, outline: Extent, side: str) -> tuple[float, float]:
    """The middle of a side."""
    left, bottom, right, top = outline.box(plan.values)
    x = {"left": left, "right": right}.get(side, (left + right) / 2)
    return x, {"bottom": bottom, "top": top}.get(side, (bottom + top) / 2)
