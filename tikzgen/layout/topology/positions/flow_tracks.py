r"""Tracks of flows: each inner segment of a route keeps its distance from a node or frame.

Where that would bring it too close to another object at other values of \colsep and \rowsep, it moves with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf

from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair, make_length
from tikzgen.layout.topology.nested.nested_graph import GraphEdge, Route
from tikzgen.layout.topology.nested.placed_nodes import LEAST_SHARE, MOST_SHARE

_ACROSS_WEIGHT = 1.0  # cm of distance, per cm between the border and the ends of the segment
_INSIDE_COST = 4.0  # cm of distance, if the segment crosses the box
_CLEAR_CM = 0.14  # cm between a segment and other objects at all distances, if they are not closer in the layout
_SAME_CM = 0.02  # cm between segments on one line
_NAMES = ("colsep", "rowsep")


class FlowTrack(Record):
    """A line through an anchor, shifted (right, up); an inner segment has its position on its axis as `length`."""

    anchor: str
    shift: Pair
    length: Length = ZERO


class Border(Record):
    """A side of a node or frame with its extent on the other axis, in cm, and its position as drawn.

    It is vertical if its axis is 0. `sign` is -1 for a left or upper side. A point of the layout at `p` cm that keeps
    its distance from the border is at `p + shift`, or `shift - p` on the vertical axis. A segment at the end of a flow
    has no anchor, and its sign is 0.
    """

    owner: str
    anchor: str
    axis: int
    sign: int
    at: float
    length: Length
    shift: Length
    low: float
    high: float

    @property
    def growth(self) -> float:
        """Cm by which it moves right or down, per cm of the distance on its axis."""
        growth = dict(self.shift.terms).get(_NAMES[self.axis], 0.0)
        return -growth if self.axis else growth


class _Segment(Record):
    """An inner segment of routes: its position on its axis and its ends on the other axis, in cm.

    It is vertical if its axis is 0. `numbers` has the flows that it belongs to, and its number in their routes. `owner`
    is the node of a flow to itself, or empty.
    """

    owner: str
    numbers: tuple[tuple[int, int], ...]
    axis: int
    at: float
    low: float
    high: float


def find_tracks(
    lines: Sequence[GraphEdge], ways: Sequence[Route], borders: Iterable[Border], rest: Mapping[str, float]
) -> dict[int, dict[int, FlowTrack]]:
    """Return the tracks of all inner segments, by the numbers of flow and segment.

    The routes were found at the distances `rest`.
    """
    found: dict[int, dict[int, FlowTrack]] = {}
    segments = list(_iterate_segments(lines, ways))
    every = list(borders) if segments else []
    for axis, name in enumerate(_NAMES):
        objects = [border for border in every if border.axis == axis]
        solid = [border for border in objects if border.anchor]
        near = {one: _find_nearest(one, solid) for one in segments if one.axis == axis}
        for segment in sorted(near, key=lambda one: (_measure_cost(one, near[one]), one.at, one.low)):
            border = near[segment]
            shift = border.shift
            if not segment.owner and name in rest:
                growth = _choose_growth(segment, border.growth, objects, rest[name])
                more = make_length(name, growth - border.growth) + (border.growth - growth) * rest[name]
                shift = shift - more if axis else shift + more
            length = shift + (-segment.at if axis else segment.at)
            off = length - border.length
            track = FlowTrack(border.anchor, (ZERO, off) if axis else (off, ZERO), length)
            objects.append(Border("", "", axis, 0, segment.at, length, shift, segment.low, segment.high))
            for flow, number in segment.numbers:
                found.setdefault(flow, {})[number] = track
    return found


def _choose_growth(segment: _Segment, usual: float, objects: Iterable[Border], distance: float) -> float:
    """Return the growth closest to the usual one with which a segment stays clear of objects next to it.

    If there is none, it is in the middle of what these objects require.
    """
    shrunk, grown = (1 - LEAST_SHARE) * distance, (MOST_SHARE - 1) * distance
    low, high = -inf, inf
    for one in objects:
        if one.low >= segment.high or segment.low >= one.high:
            continue
        gap = abs(segment.at - one.at)
        if gap < _SAME_CM:
            if not one.anchor:
                return one.growth
            continue
        room = max(0.0, gap - _CLEAR_CM)
        before, after = (grown, shrunk) if one.at < segment.at else (shrunk, grown)
        low, high = max(low, one.growth - room / before), min(high, one.growth + room / after)
    return min(max(usual, low), high) if low <= high else (low + high) / 2


def _find_nearest(segment: _Segment, borders: Sequence[Border]) -> Border:
    own = [border for border in borders if segment.owner in ("", border.owner)]
    return min(own or borders, key=lambda border: _measure_cost(segment, border))


def _iterate_segments(lines: Sequence[GraphEdge], ways: Sequence[Route]) -> Iterator[_Segment]:
    """Yield the inner segments of all routes; segments of a mesh on one line are one segment."""
    shared: dict[tuple[str, int, int, float], list[tuple[float, float, tuple[int, int]]]] = {}
    for flow, (line, way) in enumerate(zip(lines, ways, strict=True)):
        for number, (start, goal) in enumerate(pairwise(way.points)):
            if 0 < number < len(way.points) - 2:
                axis = (way.sides[0] + number + 1) % 2
                low, high = sorted((start[1 - axis], goal[1 - axis]))
                owner = line.source if line.is_loop else ""
                key = owner, line.bundle if line.mesh else -1 - flow, axis, start[axis]
                shared.setdefault(key, []).append((low, high, (flow, number)))
    for (owner, _, axis, at), parts in shared.items():
        lows, highs, numbers = zip(*parts, strict=True)
        yield _Segment(owner, numbers, axis, at, min(lows), max(highs))


def _measure_cost(segment: _Segment, border: Border) -> float:
    """Return the distance of a border from a segment, in cm, plus costs for other flaws."""
    off = (segment.at - border.at) * border.sign
    aside = max(0.0, border.low - segment.high, segment.low - border.high)
    return abs(off) + _ACROSS_WEIGHT * aside + _INSIDE_COST * (off < 0)
