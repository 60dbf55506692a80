"""Nudging of grid routes: ends around the middle of sides, segments in the middle of their channels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import floor

from tikzgen.base.plane import Box, Near, Point, compute_bounding_box, grow_box, is_segment_across_box, lines_cross
from tikzgen.layout.topology.nested.nested_graph import Graph, Route
from tikzgen.layout.topology.nested.placed_nodes import Placed
from tikzgen.layout.topology.routing.route_grid import BESIDE
from tikzgen.layout.topology.routing.routes import Routed

_APART = 0.16  # cm between parallel edges
_END = 0.3  # cm from an arrow's tip to the first bend
_CORNER_CM = 0.14  # cm from a corner to the nearest edge
_SPREAD = 0.34  # cm between edges that end on one side of a node
_ROUNDS = 3
_TEXT = 0.14  # cm between a label and other edges
_OFF = 0.22  # preferred cm between a segment and an obstacle
_INSIDE = 0.28  # cm by which an outline may be inside of its box at the end of an edge
_FAR = 1.2  # cm that a segment moves at most toward the middle of its channel
_CELL = 1.0  # cm: index cells of boxes; segments have rows
_ROW = 0.5  # cm

_Leg = tuple[int, int]
"""A segment: the indices of its route and of the segment in the route."""


def nudge_segments(graph: Graph, placed: Placed, routed: Routed, titles: Sequence[Box]) -> list[Route]:
    """Nudge the segments of routes; keep their order and their distances to obstacles."""
    mover = _Mover(graph, placed, routed, titles)
    for _ in range(_ROUNDS):
        moved = False
        for bar in mover.bars():
            moved |= mover.move(bar)
        if not moved:
            break
    return [
        Route(tuple((x, y) for x, y in points), way.sides, way.forced)
        for points, way in zip(mover.points, routed.ways, strict=True)
    ]


def crossings(ways: Sequence[Sequence[Point]]) -> int:
    """Return the number of crossings."""
    legs = [(index, *leg) for index, way in enumerate(ways) for leg in pairwise(way)]
    level = [(index, a[1], *sorted((a[0], b[0]))) for index, a, b in legs if abs(a[1] - b[1]) < 1e-9]
    upright = [(index, a[0], *sorted((a[1], b[1]))) for index, a, b in legs if abs(a[0] - b[0]) < 1e-9]
    found = sum(
        one != other and left + 1e-6 < x < right - 1e-6 and low + 1e-6 < y < high - 1e-6
        for one, y, left, right in level
        for other, x, low, high in upright
    )
    slanting = {place for place, (_, *leg) in enumerate(legs) if _slants(leg)}
    return found + sum(
        lines_cross(*legs[one][1:], *legs[other][1:])
        for one in slanting
        for other in range(len(legs))
        if other not in slanting or other > one
    )


def _slants(points: Sequence[Sequence[float]]) -> bool:
    """Return whether a route is a single diagonal segment, which never moves."""
    return len(points) == 2 and all(abs(points[0][axis] - points[1][axis]) > 1e-6 for axis in (0, 1))


class _Mover:
    def __init__(self, graph: Graph, placed: Placed, routed: Routed, titles: Sequence[Box]) -> None:
        self.graph, self.placed, self.ways = graph, placed, routed.ways
        ways = routed.ways
        self.points = [[[x, y] for x, y in way.points] for way in ways]
        self.long = frozenset(leaf.id for leaf in graph.leaves if leaf.core)
        joints = placed.joints(graph)
        self.bodies = {name: placed.box(name, leaf.body) for name, leaf in joints.items()}
        self.shares = {name: leaf.share for name, leaf in joints.items()}
        self.solids: list[tuple[str | int, Box]] = [
            *((leaf.id, grow_box(placed.box(leaf.id, leaf.foot), BESIDE)) for leaf in graph.leaves),
            *(("", grow_box(title, 0.04)) for title in titles),
            *((index, grow_box(box, _TEXT)) for index, box in enumerate(routed.texts) if box),
        ]
        self.near_solids = Near(_CELL, _CELL)
        for number, (_, box) in enumerate(self.solids):
            self.near_solids.add_entry(number, box)
        lines = graph.lines
        bundles: dict[int, set[int]] = {}
        for index, line in enumerate(lines):
            bundles.setdefault(line.bundle or -1 - index, set()).add(index)
        # edges of a mesh count as one for crossings
        self.own = [line.bundle if line.mesh else -1 - index for index, line in enumerate(lines)]
        self.mates = [bundles[line.bundle or -1 - index] for index, line in enumerate(lines)]
        self.fixed = {index for index, line in enumerate(lines) if line.is_loop or ways[index].forced}
        every = [
            (index, place)
            for index, points in enumerate(self.points)
            for place in range(len(points) - 1)
            if not _slants(points)
        ]
        self.axes = {leg: self._axis(leg) for leg in every}
        self.legs = [leg for leg in every if leg[0] not in self.fixed]
        self.along = [[leg for leg in self.legs if self.axes[leg] == axis] for axis in (0, 1)]
        self.rows: tuple[dict[int, dict[_Leg, None]], ...] = ({}, {})
        for leg in every:
            self._row(leg)[leg] = None
        self.met: dict[tuple[str, int], list[_Leg]] = {}
        for leg in self.legs:
            for end in self.ends(leg):
                self.met.setdefault(end, []).append(leg)

    def coordinate(self, leg: _Leg) -> float:
        """Return the coordinate of a segment on the other axis: y if it is horizontal, x if vertical."""
        return self.points[leg[0]][leg[1]][1 - self.axis(leg)]

    def _row(self, leg: _Leg) -> dict[_Leg, None]:
        """Return the segments of an axis that have about the same coordinate."""
        return self.rows[self.axis(leg)].setdefault(floor(self.coordinate(leg) / _ROW), {})

    def _between(self, axis: int, low: float, high: float) -> Iterator[_Leg]:
        """Yield the segments of an axis with coordinates in an interval, and some near it."""
        rows = self.rows[axis]
        for row in range(floor(low / _ROW), floor(high / _ROW) + 1):
            yield from rows.get(row, ())

    def axis(self, leg: _Leg) -> int:
        """Return 0 for a horizontal segment and 1 for a vertical one."""
        return self.axes[leg]

    def _axis(self, leg: _Leg) -> int:
        points = self.points[leg[0]]
        one, other = points[leg[1]], points[leg[1] + 1]
        if len(points) == 2 or one != other:
            return 0 if abs(one[1] - other[1]) <= abs(one[0] - other[0]) else 1
        return 1 - self._axis((leg[0], leg[1] - 1 if leg[1] else 1))

    def span(self, leg: _Leg) -> tuple[float, float]:
        points, axis = self.points[leg[0]], self.axis(leg)
        one, other = points[leg[1]][axis], points[leg[1] + 1][axis]
        return min(one, other), max(one, other)

    def bars(self) -> list[list[_Leg]]:
        """Return groups of segments: overlapping segments of one bundle form one group."""
        found: list[list[_Leg]] = []
        for leg in self.legs:
            bundle = self.graph.lines[leg[0]].bundle
            same = [bar for bar in found if bundle and self._lies_on_bar(bar, leg)]
            for bar in same:
                found.remove(bar)
            found.append([*(one for bar in same for one in bar), leg])
        return found

    def _lies_on_bar(self, bar: Sequence[_Leg], leg: _Leg) -> bool:
        """Return whether a segment overlaps a group of its bundle."""
        lines, first = self.graph.lines, bar[0]
        if lines[first[0]].bundle != lines[leg[0]].bundle or self.axis(first) != self.axis(leg):
            return False
        near = abs(self.coordinate(first) - self.coordinate(leg)) < 1e-6
        return near and any(self._touch(self.span(one), self.span(leg)) for one in bar)

    @staticmethod
    def _touch(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return one[0] <= other[1] + 1e-6 and other[0] <= one[1] + 1e-6

    def ends(self, leg: _Leg) -> list[tuple[str, int]]:
        """Return the nodes and frames at which a segment ends, each with the side."""
        line, way, last = self.graph.lines[leg[0]], self.ways[leg[0]], len(self.points[leg[0]]) - 2
        found = [(line.source, way.sides[0])] if leg[1] == 0 else []
        return [*found, (line.target, way.sides[1])] if leg[1] == last else found

    def best_coordinate(self, bar: Sequence[_Leg]) -> float:
        """Return the preferred coordinate of a group: by the sides of its nodes, or of frames, or its channel."""
        now = self.coordinate(bar[0])
        ends = [end for leg in bar for end in self.ends(leg) if end[0] not in self.long]
        ends = [end for end in ends if end[0] not in self.placed.frames] or ends
        fixed = [self._at_part(name, leg) for leg in bar for name, _ in self.ends(leg)]
        stated = [at for at in fixed if at is not None]
        if stated:
            return sum(stated) / len(stated)
        wants = {end: self._on_side(*end, bar) for end in ends}
        if wants:
            return self._within(ends, sum(wants.values()) / len(wants))
        low, high = self._channel(bar)
        middle = (low + high) / 2
        if high - low < 3.0:
            return middle if abs(middle - now) < _FAR else now
        return min(max(now, low + _OFF), high - _OFF)

    def _at_part(self, name: str, leg: _Leg) -> float | None:
        """Return the middle of the part of a node at which a segment ends, or None."""
        span = self.graph.lines[leg[0]].span_at(name)
        return None if span is None else self.placed.anchors[name][1 - self.axis(leg)] + span.middle

    def _within(self, ends: Sequence[tuple[str, int]], at: float) -> float:
        """Return the nearest coordinate at which an edge ends near enough to the middle of an outline's side."""
        for name, side in ends:
            if self.shares[name] < 1:
                body, across = self.bodies[name], 1 - side % 2
                middle, half = (body[across] + body[across + 2]) / 2, (body[across + 2] - body[across]) / 2
                deep = (body[3 - across] - body[1 - across]) / 2
                half *= min(self.shares[name], _INSIDE / deep)
                at = min(max(at, middle - half), middle + half)
        return at

    def _on_side(self, name: str, side: int, bar: Sequence[_Leg]) -> float:
        """Return the preferred coordinate of an end on the side of a node, among the other ends."""
        axis = side % 2
        low, high = self.bodies[name][1 - axis], self.bodies[name][3 - axis]
        places = {round(self.coordinate(leg), 6) for leg in self.met[name, side]}
        ordered, here = sorted(places), round(self.coordinate(bar[0]), 6)
        step = min(_SPREAD, (high - low - 2 * _CORNER_CM) / max(1, len(ordered) - 1))
        return (low + high) / 2 + (ordered.index(here) - (len(ordered) - 1) / 2) * step

    def _channel(self, bar: Sequence[_Leg]) -> tuple[float, float]:
        """Return the limits of a group's channel: the nearest segments, nodes and borders of frames."""
        axis, now = self.axis(bar[0]), self.coordinate(bar[0])
        low, high = -1e9, 1e9
        members = {*bar}
        for leg in bar:
            start, goal = self.span(leg)
            for other in self.along[axis]:
                at = self.points[other[0]][other[1]][1 - axis]
                if low < at < high and other not in members:
                    first, last = self.span(other)
                    if first < goal + 0.1 and start < last + 0.1:
                        low, high = (at, high) if at < now else (low, at)
            for _, box in self.solids:
                if box[axis] < goal and start < box[axis + 2]:
                    if box[3 - axis] <= now:
                        low = max(low, box[3 - axis])
                    elif box[1 - axis] >= now:
                        high = min(high, box[1 - axis])
            for box in self.placed.frames.values():
                if box[axis] < goal and start < box[axis + 2]:
                    for at in (box[1 - axis], box[3 - axis]):
                        low, high = (max(low, at), high) if at < now else (low, min(high, at))
        return low, high

    def move(self, bar: Sequence[_Leg]) -> bool:
        """Move a group toward its preferred coordinate as far as it stays clear; return whether it moved."""
        now, want = self.coordinate(bar[0]), self.best_coordinate(bar)
        if abs(want - now) < 0.004:
            return False
        axis, before = self.axis(bar[0]), self._count_crossings(bar)
        lengths = {leg: self._lengths(leg) for leg in bar}
        for share in (1.0, 0.75, 0.5, 0.25):
            at = now + (want - now) * share
            self._move_bar(bar, axis, at)
            kept = all(self._keeps(leg, lengths[leg]) for leg in bar)
            if kept and self._clear(bar, now, axis) and self._count_crossings(bar) <= before:
                return True
            self._move_bar(bar, axis, now)
        return False

    def _move_bar(self, bar: Sequence[_Leg], axis: int, at: float) -> None:
        moved = self._around(bar)
        for leg in moved:
            del self._row(leg)[leg]
        for index, place in bar:
            for point in self.points[index][place : place + 2]:
                point[1 - axis] = at
        for leg in moved:
            self._row(leg)[leg] = None

    def _around(self, bar: Sequence[_Leg]) -> list[_Leg]:
        """Return the segments of a group, and the adjacent segments of their routes."""
        around = {(index, one) for index, place in bar for one in (place - 1, place, place + 1)}
        return sorted(around & self.axes.keys())

    def _lengths(self, leg: _Leg) -> list[float]:
        """Return the signed lengths of the segments before and after a segment."""
        points, axis = self.points[leg[0]], 1 - self.axis(leg)
        pairs = [(place, place + 1) for place in (leg[1] - 1, leg[1] + 1) if 0 <= place < len(points) - 1]
        return [points[other][axis] - points[one][axis] for one, other in pairs]

    def _keeps(self, leg: _Leg, before: Sequence[float]) -> bool:
        """Return whether the segments before and after keep their direction and a sufficient length."""
        index, place = leg
        last = len(self.points[index]) - 2
        neighbours = [one for one in (place - 1, place + 1) if 0 <= one <= last]
        for one, was, now in zip(neighbours, before, self._lengths(leg), strict=True):
            least = min(abs(was), _END if one in (0, last) else _APART)
            if now * was < 0 or abs(now) < least - 1e-9:
                return False
        return all(
            self.bodies[name][1 - side % 2] + min(_CORNER_CM, 0.1)
            <= self.coordinate(leg)
            <= self.bodies[name][3 - side % 2] - 0.1
            for name, side in self.ends(leg)
        )

    def _clear(self, bar: Sequence[_Leg], was: float, axis: int) -> bool:
        """Return whether a group and its adjacent segments are clear of obstacles after a move from `was`."""
        now = self.coordinate(bar[0])
        members, around = {*bar}, self._around(bar)
        affected = {*around}
        for leg in around:
            if not self._free(leg):
                return False
            along, here = self.axis(leg), self.coordinate(leg)
            start, goal = self.span(leg)
            bundle = self.graph.lines[leg[0]].bundle
            far = was if leg in members else here
            for other in self._between(along, min(far, here) - _APART, max(far, here) + _APART):
                if other in affected or other[0] in self.fixed:
                    continue
                there = self.points[other[0]][other[1]][1 - along]
                passed = leg in members and (there - was) * (there - now) < 0
                if abs(there - here) >= _APART and not passed:
                    continue
                if bundle and self.graph.lines[other[0]].bundle == bundle and leg not in members:
                    continue
                first, last = self.span(other)
                if not (first < goal + 0.1 and start < last + 0.1):
                    continue
                if passed:
                    return False
                least = _APART if leg not in members else min(_APART, abs(there - was))
                if abs(there - here) < least - 1e-9:
                    return False
            if leg in members:
                for box in self.placed.frames.values():
                    if box[along] < goal and start < box[along + 2]:
                        for at in (box[1 - along], box[3 - along]):
                            if (at - was) * (at - now) < 0 or abs(at - now) < min(0.12, abs(at - was)) - 1e-9:
                                return False
        return True

    def _free(self, leg: _Leg) -> bool:
        """Return whether a segment crosses no node, label or foreign frame."""
        index, place = leg
        line, points = self.graph.lines[index], self.points[index]
        start, goal = (points[place][0], points[place][1]), (points[place + 1][0], points[place + 1][1])
        spared = {line.source} if place == 0 else set()
        spared |= {line.target} if place == len(points) - 2 else set()
        for number in self.near_solids.find_near_entries(compute_bounding_box((start, goal))):
            owner, box = self.solids[number]
            if owner not in spared and owner not in self.mates[index] and is_segment_across_box(start, goal, box):
                return False
        around = self.graph.around(line) - ({*line.ends} - spared)
        return not any(
            is_segment_across_box(start, goal, grow_box(box, 0.1))
            for name, box in self.placed.frames.items()
            if name not in around
        )

    def _count_crossings(self, bar: Sequence[_Leg]) -> int:
        """Return the number of edges that a group and its adjacent segments cross."""
        found = 0
        spans: dict[tuple[int, int, float], tuple[float, float]] = {}
        for one in self._around(bar):
            key = (self.own[one[0]], self.axis(one), self.coordinate(one))
            low, high = self.span(one)
            known = spans.get(key, (low, high))
            spans[key] = min(low, known[0]), max(high, known[1])
        for (own, axis, at), (low, high) in spans.items():
            low, high = low - 1e-6, high + 1e-6
            for owner, leg in self._between(1 - axis, low, high):
                first, last = self.points[owner][leg], self.points[owner][leg + 1]
                if low < first[axis] < high and self.own[owner] != own:
                    found += (
                        min(first[1 - axis], last[1 - axis]) - 1e-6 < at < max(first[1 - axis], last[1 - axis]) + 1e-6
                    )
        return found
