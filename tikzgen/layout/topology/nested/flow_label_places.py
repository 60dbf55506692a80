"""Positions of edge labels: next to free segments, clear of nodes, frames, other edges and labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import dist

from tikzgen.base.plane import (
    Box,
    Near,
    Point,
    auto_shift,
    compute_bounding_box,
    direction_at,
    grow_box,
    has_overlap,
    is_segment_across_box,
    is_within,
)
from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.layout.topology.nested.nested_graph import Graph, GraphEdge, Route
from tikzgen.layout.topology.nested.placed_nodes import Placed

_SHARES = tuple(0.5 + step * 0.06 * sign for step in range(8) for sign in ((1,) if not step else (1, -1)))
OFF = 0.105  # cm between a label and its edge
_BORDER = 0.07  # preferred cm between a label and the border of a frame
_STRANGER = 0.14  # preferred cm between a label and other edges
_CLOSE_CM = 0.11  # cm: a label closer than this to another edge seems to belong to it
_BUNDLED_CM = 0.09  # cm: the same for edges of its bundle, which share their label
_TOUCHED = 0.04  # cm: an edge closer than this crosses the label
_OWN = 0.07  # cm between a label and other segments of its edge
_NEAR_COST = 0.8  # cost of a small distance; an overlap costs 3
_MANY = 12  # maximum number of lines that are counted near a label
CELL = 1.0  # cm: cell of the index; a usual label overlaps one or two cells
_ON_LINE_COST = 1.5  # extra cost of a label on its edge instead of next to it
_FREE_LIMIT = 12  # free positions of a label, after which the search stops
_OFF_TEXTS = 0.04  # cm between labels
MARK = 0.36  # cm: diameter of a step number on an edge
FAULT_COST = 1.9  # cost from which a label overlaps something
_BARE = 0.7  # cm of an edge visible before and after a label on it, in total
NEAR_END_CM = 0.1  # cm between a border that cuts a segment and its end
ON = 4
"""Value of `LabelPlace.side` for a label on its edge."""


class LabelPlace(Record):
    """Position of a label: its box, its point on the edge, and its cost, which is 0 if ideal.

    `side` is the side of the box next to the edge: 0 right, 1 bottom, 2 left, 3 top, or `ON`. The label is at a `share`
    of its `segment`, on the `left` of its direction or on the right.
    """

    box: Box
    at: Point
    side: int
    cost: float
    share: float = 0.5
    left: bool = False
    segment: int = 0


def spots(points: Sequence[Point], line: GraphEdge, frames: Collection[Box] = ()) -> Iterator[LabelPlace]:
    """Yield positions next to the parts of an edge between its bends and the borders of frames.

    They are on both sides or on the requested side.

    With `label_at: on`, positions are on the segments. `sloped` labels turn with vertical segments.
    """
    whole = sum(abs(x1 - x0) + abs(y1 - y0) for (x0, y0), (x1, y1) in pairwise(points))
    passed = 0.0
    for segment, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        across, down = abs(x1 - x0), abs(y1 - y0)
        long, slants = across + down, min(across, down) > 1e-9
        level = _runs_level(line, across, down)
        wide, tall = line.label if level or line.label_at != "sloped" else line.label[::-1]
        # next to a diagonal segment, the label moves out until its corner is clear
        more = (wide * down / across if level else tall * across / down) / 2 if slants else 0.0
        need = (wide if level else tall) + (_BARE if line.label_at == "on" else 0.1)
        cuts = [0.0, *([] if slants else sorted(_find_crossings((x0, y0), (x1, y1), frames))), 1.0]
        parts = [(low, high) for low, high in pairwise(cuts) if long * (high - low) >= need] or [(0.0, 1.0)]
        for (low, high), part in product(parts, _SHARES):
            share, short = low + part * (high - low), max(0.0, need - long * (high - low))
            x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
            middle = abs(passed + share * long - whole / 2)
            cost = abs(part - 0.5) * 0.6 + short * 2.0 + middle * 0.08 + (0.0 if level else 0.1)
            if line.label_at == "on":
                box = (x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2)
                yield LabelPlace(box, (x, y), ON, cost, share, segment=segment)
                continue
            for side, dx, dy, dearer, is_left in (
                ((1, 0, -1, 0.0, x1 > x0), (3, 0, 1, 0.05, x1 < x0))
                if level
                else ((2, 1, 0, 0.0, y1 > y0), (0, -1, 0, 0.05, y1 < y0))
            ):
                if not line.side or is_left == (line.side == "left"):
                    u, v = x + dx * (more + OFF + wide / 2), y + dy * (more + OFF + tall / 2)
                    box = (u - wide / 2, v - tall / 2, u + wide / 2, v + tall / 2)
                    yield LabelPlace(box, (x + dx * more, y + dy * more), side, cost + dearer, share, is_left, segment)
        passed += long


def _find_crossings(start: Point, goal: Point, frames: Iterable[Box]) -> Iterator[float]:
    """Yield the shares of a horizontal or vertical segment at which it crosses borders of frames."""
    axis = int(abs(goal[0] - start[0]) < abs(goal[1] - start[1]))
    along = goal[axis] - start[axis]
    for box in frames if along else ():
        if box[1 - axis] < start[1 - axis] < box[3 - axis]:
            shares = ((border - start[axis]) / along for border in box[axis::2])
            yield from (share for share in shares if min(share, 1 - share) * abs(along) > NEAR_END_CM)


def _runs_level(line: GraphEdge, across: float, down: float) -> bool:
    """Return whether a label is above or below a segment that runs this far across and down, in cm."""
    return line.label[0] * down**2 <= line.label[1] * across**2


def direct_spots(way: Route, line: GraphEdge, centre: Point) -> Iterator[LabelPlace]:
    """Yield positions next to a route without bends, by the rule of TikZ's `auto`, or on a long route.

    Positions outside cost less: away from the `centre` of the figure, or from the line between the ends of a curve.
    """
    path, (wide, tall) = way.path, line.label
    long = dist(way.points[0], way.points[-1])
    for share in _SHARES:
        x, y = path.find_point_at(share)
        dx, dy = direction_at(path, share)
        cost = abs(share - 0.5) * 0.6
        across, high = wide, tall
        if line.label_at == "sloped":
            across, high = abs(wide * dx) + abs(tall * dy), abs(wide * dy) + abs(tall * dx)
        for left in (True, False) if line.label_at != "on" else ():
            if line.side and left != (line.side == "left"):
                continue
            # y points down here, so the sides of TikZ's line are swapped
            u, v = auto_shift(path, share, "right" if left else "left", across + 2 * OFF, high + 2 * OFF)
            if line.label_at == "sloped":
                off = (tall / 2 + OFF) * (1 if left else -1)
                u, v = dy * off, -dx * off
            away = left == (way.bend > 0) if way.bend else dist((x + u, y + v), centre) > dist((x, y), centre) - 0.01
            box = (x + u - across / 2, y + v - high / 2, x + u + across / 2, y + v + high / 2)
            dearer = 0.0 if away else 0.1
            yield LabelPlace(box, (x, y), 1 if v < 0 else 3, cost + dearer + (0.02 if v > 0 else 0.0), share, left)
        asked = line.label_at == "on"
        if asked or (line.label_at == "beside" and long > wide + _BARE):
            box = (x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2)
            yield LabelPlace(box, (x, y), ON, cost + (0.0 if asked else _ON_LINE_COST), share)


class Strikes:
    """Obstacles of labels: nodes and other labels, borders of frames, edges.

    `rooms` maps loops to the areas of their nodes, which do not block the labels of these loops.
    """

    def __init__(
        self,
        courses: Sequence[Sequence[Point]],
        bundles: Sequence[int],
        solids: Iterable[Box],
        borders: Sequence[Box],
        rooms: Mapping[int, Box] = NOTHING,
    ) -> None:
        self._legs = [(index, leg) for index, way in enumerate(courses) for leg in pairwise(way)]
        self._bundles, self._borders, self._rooms = bundles, borders, rooms
        self._near, self._near_solids = Near(CELL, CELL), Near(CELL, CELL)
        self._solids: list[Box] = []
        for number, (_, leg) in enumerate(self._legs):
            self._near.put_line(number, *leg)
        for solid in solids:
            self.add_obstacle(solid)

    def add_obstacle(self, solid: Box) -> None:
        """Add an obstacle."""
        self._near_solids.add_entry(len(self._solids), solid)
        self._solids.append(solid)

    def own_segments(self, index: int) -> frozenset[int]:
        """Return the segments that may touch an edge's label: its own, and overlapping ones of its bundle."""
        own, bundle = {number for number, (one, _) in enumerate(self._legs) if one == index}, self._bundles[index]
        shared = {
            number
            for number, (one, leg) in enumerate(self._legs)
            if bundle and self._bundles[one] == bundle and any(_along(leg, self._legs[each][1]) for each in own)
        }
        return frozenset(own | shared)

    def cost(self, box: Box, index: int, spared: Collection[int], *, on: bool) -> float:
        """Return the cost of the overlaps of an edge's label; with `on`, its own edge costs nothing."""
        near, own = grow_box(box, 0.04), self._rooms.get(index)
        solids = [self._solids[number] for number in self._near_solids.find_near_entries(near)]
        solids = [solid for solid in solids if solid != own and has_overlap(near, solid)]
        found = sum(3.0 if has_overlap(grow_box(box, -0.01), solid) else 2.0 for solid in solids)
        for border in self._borders:
            for room, price in ((0.04, 3.0), (_BORDER, _NEAR_COST)):
                near = grow_box(box, room)
                if has_overlap(near, border) and not is_within(near, border):
                    found += price
                    break
        lines: dict[int, float] = {}
        inner, near, bundle = grow_box(box, -0.01), grow_box(box, _STRANGER), self._bundles[index]
        for number in self._near.find_near_entries(near):
            line, leg = self._legs[number]
            if number in spared:
                if line == index and not on:
                    found += (
                        2.0
                        if is_segment_across_box(*leg, inner)
                        else _NEAR_COST * (_is_square(leg) and is_segment_across_box(*leg, box, _OWN))
                    )
            elif is_segment_across_box(*leg, near):
                # segments of a bundle count separately
                bundled = bundle and self._bundles[line] == bundle
                line = -number - 1 if bundled else line
                is_close = is_segment_across_box(*leg, box, _BUNDLED_CM if bundled else _CLOSE_CM)
                price = (3.0 if is_segment_across_box(*leg, box, _TOUCHED) else 2.0) if is_close else _NEAR_COST
                lines[line] = price if line not in lines or price > lines[line] else lines[line]
                if len(lines) == _MANY:
                    break
        return found + sum(lines.values())


def _is_square(leg: tuple[Point, Point]) -> bool:
    """Return whether a segment is horizontal or vertical; labels may be closer to diagonal segments."""
    (x0, y0), (x1, y1) = leg
    return min(abs(x1 - x0), abs(y1 - y0)) < 1e-6


def _along(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Return whether two segments overlap."""
    (left, top, right, bottom), (low, high, far, deep) = compute_bounding_box(one), compute_bounding_box(other)
    level = abs(top - high) < 1e-6 and bottom - top < 1e-6 and deep - high < 1e-6
    upright = abs(left - low) < 1e-6 and right - left < 1e-6 and far - low < 1e-6
    return (level and min(right, far) > max(left, low)) or (upright and min(bottom, deep) > max(top, high))


def place_texts(
    graph: Graph, placed: Placed, ways: Sequence[Route], titles: Sequence[Box], *, direct: bool
) -> list[LabelPlace | None]:
    """Return the label positions by edge; edges with the fewest free positions choose first."""
    strikes = strikes_of(graph, placed, ways, titles)
    centre = placed.width / 2, placed.height / 2
    choices = {}
    for index, (line, way) in enumerate(zip(graph.lines, ways, strict=True)):
        if line.label[0]:
            is_direct, frames = direct and len(way.points) == 2, placed.frames.values()
            own = direct_spots(way, line, centre) if is_direct else spots(way.points, line, frames)
            choices[index] = _choices(index, own, strikes)
    order = sorted(choices, key=lambda index: (sum(spot.cost < FAULT_COST for spot in choices[index]), index))
    found: dict[int, LabelPlace] = {}
    texts = Near(CELL, CELL)
    for _ in range(2):
        for index in order:
            if index in found:
                texts.drop(index, found[index].box)
            costs = [spot.cost + 3.0 * _overlaps(spot.box, found, texts) for spot in choices[index]]
            cost = min(costs)
            found[index] = replace(choices[index][costs.index(cost)], cost=cost)
            texts.add_entry(index, found[index].box)
    return [found.get(index) for index in range(len(graph.lines))]


def strikes_of(graph: Graph, placed: Placed, ways: Sequence[Route], titles: Sequence[Box]) -> Strikes:
    """Return the obstacles of labels: edges, nodes with captions, titles and borders of frames."""
    loops = {index: graph.by_id[line.source] for index, line in enumerate(graph.lines) if line.is_loop}
    rooms = {index: placed.box(leaf.id, leaf.foot) for index, leaf in loops.items()}
    solids = [placed.box(leaf.id, box) for leaf in graph.leaves for box in leaf.solids]
    solids += [*titles, *(placed.box(leaf.id, leaf.body) for leaf in loops.values())]
    courses, bundles = [way.course for way in ways], [line.bundle for line in graph.lines]
    return Strikes(courses, bundles, solids, list(placed.frames.values()), rooms)


def _choices(index: int, own: Iterable[LabelPlace], strikes: Strikes) -> list[LabelPlace]:
    """Return the best positions of a label, sorted by cost; stop after `_FREE_LIMIT` free ones."""
    found: list[LabelPlace] = []
    free, spared = 0, strikes.own_segments(index)
    for spot in sorted(own, key=lambda spot: spot.cost):
        struck = strikes.cost(spot.box, index, spared, on=spot.side == ON)
        found.append(replace(spot, cost=min(spot.cost, FAULT_COST - 0.1) + struck))
        free += not struck
        if free >= _FREE_LIMIT:
            break
    return sorted(found, key=lambda spot: spot.cost)


def _overlaps(box: Box, found: Mapping[int, LabelPlace], texts: Near) -> int:
    """Return the number of placed labels that a box overlaps."""
    near = grow_box(box, _OFF_TEXTS)
    return sum(has_overlap(near, found[one].box) for one in texts.find_near_entries(near))
