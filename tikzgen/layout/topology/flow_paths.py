"""Paths of flows as TikZ writes them: corners at crossings of tracks, cuts at frames next to labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tikzgen.base.plane import Point
from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import ZERO, Pair
from tikzgen.layout.topology.nested.flow_label_places import NEAR_END_CM, LabelPlace
from tikzgen.layout.topology.positions.flow_tracks import FlowTrack
from tikzgen.layout.topology.topology_items import Crossing, PathPlace
from tikzgen.layout.topology.topology_positions import Paper

_HEAD_CM = 0.35  # cm between a turn and the end of a flow
_SQUARE_CM = 1e-3  # cm that the ends of a horizontal or vertical segment may differ


class _Vertex(Record):
    """Point of a path in cm (y points up), with the segment before it, its axis and its coordinate."""

    at: Point
    segment: int
    axis: int
    crossing: Crossing | None = None
    ends_operation: bool = False


class FlowPath:
    """A route as TikZ path operations; one `-|` or `|-` draws two segments.

    A `plain` path has neither cuts nor turns.
    """

    def __init__(
        self,
        paper: Paper,
        index: int,
        source: FlowTrack,
        target: FlowTrack,
        *,
        plain: bool,
    ) -> None:
        self._paper, self._index, self._plain = paper, index, plain
        self._way = paper.layout.ways[index]
        tracks = paper.tracks.get(index, {})
        self._lines: dict[int, FlowTrack] = {**tracks, len(self._way.points) - 2: target, 0: source}
        self._target = target
        self._first_axis = self._way.sides[0] % 2
        points = paper.list_points(index, (source.shift, target.shift))
        self._points = [self._measure(point) for point in points]
        self._vertices = [_Vertex(self._points[0], -1, 0), *self._iterate_vertices()]
        self._operations = list(self._iterate_operations())

    @property
    def corners(self) -> tuple[tuple[str, Crossing], ...]:
        """The operations and the corners that they lead to, except the last one."""
        found = ((operation, self._vertices[end].crossing) for operation, _, end in self._operations)
        return tuple((operation, crossing) for operation, crossing in found if crossing)

    @property
    def last(self) -> str:
        """The operation that leads to the end."""
        return self._operations[-1][0]

    def cross_at_corner(self, number: int) -> Crossing:
        """Return the corner at an inner point of the route."""
        return self._cross(self._lines[number - 1], self._lines[number], number - 1)

    def find_position(self, segment: int, share: float) -> PathPlace:
        """Return the operation and TikZ's `pos` for a share of a segment of the layout."""
        at = self._measure(self._paper.find_point(self._index, segment, share))
        shares = {
            number: _find_share(at, one.at, other.at)
            for number, (one, other) in enumerate(pairwise(self._vertices))
            if other.segment == segment
        }
        number = min(shares, key=lambda one: max(-shares[one], shares[one] - 1.0))
        operation, begin, end = next(
            (place, begin, end) for place, (_, begin, end) in enumerate(self._operations) if begin <= number < end
        )
        return operation, round((number - begin + shares[number]) / (end - begin), 4)

    def _measure(self, point: Pair) -> Point:
        values = self._paper.plan.values
        return point[0].compute_cm(values), point[1].compute_cm(values)

    def _axis(self, segment: int) -> int:
        """Return 0 for a horizontal segment and 1 for a vertical one."""
        return (self._first_axis + segment) % 2

    def _iterate_vertices(self) -> Iterator[_Vertex]:
        spot, last = self._paper.layout.texts[self._index], len(self._points) - 2
        for segment, goal in enumerate(self._points[1:]):
            axis = self._axis(segment)
            turn = list(self._turn()) if last == 0 else []
            if spot and spot.segment == segment and not self._plain:
                yield from self._cut_at_frames(spot, turn[0].at if turn else goal)
            yield from turn
            corner = self._cross(self._lines[segment], self._lines[segment + 1], segment) if segment < last else None
            yield _Vertex(goal, segment, axis, corner)

    def _turn(self) -> Iterator[_Vertex]:
        """Yield a turn of length 0 before the end of a straight flow with a label.

        If an author moves an end, the flow bends there. TeX measures frames, so their sides may differ from the layout
        by a visible step.
        """
        (start, goal), axis = self._points, self._axis(0)
        flow, spot = self._paper.part.flows[self._index], self._paper.layout.texts[self._index]
        framed = {flow.source, flow.target} & {*self._paper.layout.placed.frames}
        long = goal[axis] - start[axis]
        splits = self._paper.splits(self._index)
        if self._plain or framed or not (splits or (spot and abs(goal[1 - axis] - start[1 - axis]) <= _SQUARE_CM)):
            return
        if abs(long) < 3 * _HEAD_CM or (spot and spot.share * abs(long) > abs(long) - _HEAD_CM):
            return
        back = -_HEAD_CM if long > 0 else _HEAD_CM
        (x, y), (across, up) = goal, self._target.shift
        at, shift = ((x + back, y), (across + back, up)) if axis == 0 else ((x, y + back), (across, up + back))
        corner = self._cross(self._lines[0], FlowTrack(self._target.anchor, shift), 0)
        yield _Vertex(at, 0, axis, corner, ends_operation=True)
        yield _Vertex(at, -1, 1 - axis)

    def _cross(self, one: FlowTrack, other: FlowTrack, segment: int) -> Crossing:
        across, upright = (one, other) if self._axis(segment) == 0 else (other, one)
        return Crossing(upright.anchor, (upright.shift[0], across.shift[1]), across.anchor)

    def _cut_at_frames(self, spot: LabelPlace, goal: Point) -> Iterator[_Vertex]:
        """Yield crossings with the borders of frames around a label, so that its segment ends at them."""
        segment = spot.segment
        start, axis = self._points[segment], self._axis(segment)
        aside = start[1 - axis]
        if abs(goal[1 - axis] - aside) > _SQUARE_CM:
            return
        for _, name, side in self._paper.find_cuts(self._index):
            border = self._paper.box(name).find_side(side).compute_cm(self._paper.plan.values)
            if abs(border - goal[axis]) < NEAR_END_CM or (border < goal[axis]) != (start[axis] < goal[axis]):
                continue  # at a turn or beyond it
            anchor = f"{self._paper.plan.name(self._paper.panel, name)}.{side}"
            line, at = self._lines[segment], (border, aside) if axis == 0 else (aside, border)
            shift = (ZERO, line.shift[1]) if axis == 0 else (line.shift[0], ZERO)
            crossing = Crossing(anchor, shift, line.anchor) if axis == 0 else Crossing(line.anchor, shift, anchor)
            yield _Vertex(at, segment, axis, crossing)

    def _iterate_operations(self) -> Iterator[tuple[str, int, int]]:
        """Yield operations with the numbers of their first and last vertex."""
        at, last = 0, len(self._vertices) - 1
        while at < last:
            axis, is_end = self._vertices[at + 1].axis, self._vertices[at + 1].ends_operation
            turns = not is_end and at + 2 <= last and self._vertices[at + 2].axis != axis
            yield (("-|", "|-")[axis] if turns else "--"), at, at + 1 + turns
            at += 1 + turns


def _find_share(at: Point, start: Point, goal: Point) -> float:
    """Return the share of the line from one point to another that is next to a point."""
    u, v = goal[0] - start[0], goal[1] - start[1]
    return ((at[0] - start[0]) * u + (at[1] - start[1]) * v) / (u * u + v * v) if u or v else 0.5
