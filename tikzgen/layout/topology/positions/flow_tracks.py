"""Tracks of flows: each inner segment of a route keeps its distance from a node or frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair
from tikzgen.layout.topology.nested.nested_graph import GraphEdge, Route

_CHANNEL_CM = 0.5  # cm between tracks of one channel, which share a border
_ACROSS_WEIGHT = 1.0  # cm of distance, per cm between the border and the ends of the segment
_INSIDE_COST = 4.0  # cm of distance, if the segment crosses the box
_BORDER_CM = 0.15  # cm at each side of a channel that do not shrink
_CLEAR_CM = 0.2  # cm between tracks of the two sides of a channel, and between a track and a border


class FlowTrack(Record):
    """A line through an anchor, shifted (right, up); an inner segment has its position on its axis as `length`."""

    anchor: str
    shift: Pair
    length: Length = ZERO


class Border(Record):
    """A side of a box with the extent of the box on the other axis, in cm, and its position as drawn.

    It is vertical if its axis is 0. `sign` is -1 for a left or upper side. A point of the layout at `p` cm that keeps
    its distance from the border is at `p + shift`, or `shift - p` on the vertical axis.
    """

    anchor: str
    axis: int
    sign: int
    at: float
    length: Length
    shift: Length
    low: float
    high: float


class _Segment(Record):
    """An inner segment of routes: its position on its axis and its ends on the other axis, in cm.

    It is vertical if its axis is 0. `numbers` has the flows that it belongs to, and its number in their routes.
    """

    numbers: tuple[tuple[int, int], ...]
    axis: int
    at: float
    low: float
    high: float


def find_tracks(
    lines: Sequence[GraphEdge],
    ways: Sequence[Route],
    borders: Iterable[Border],
    measure_loss: Callable[[Length], float],
) -> dict[int, dict[int, FlowTrack]]:
    """Return the tracks of all inner segments, by the numbers of flow and segment.

    `measure_loss` returns the cm by which a length is smaller at the smallest distances.
    """
    found: dict[int, dict[int, FlowTrack]] = {}
    segments = sorted(_iterate_segments(lines, ways), key=lambda segment: (segment.axis, segment.at, segment.low))
    every = list(borders) if segments else []
    for channel in _gather_channels(segments):
        along = [border for border in every if border.axis == channel[0].axis]
        for segment, border, shift in _place_in_channel(channel, along, measure_loss):
            length = shift + (-segment.at if segment.axis else segment.at)
            off = length - border.length
            track = FlowTrack(border.anchor, (ZERO, off) if segment.axis else (off, ZERO), length)
            for flow, number in segment.numbers:
                found.setdefault(flow, {})[number] = track
    return found


def _place_in_channel(
    channel: Sequence[_Segment], borders: Sequence[Border], measure_loss: Callable[[Length], float]
) -> Iterator[tuple[_Segment, Border, Length]]:
    """Yield the segments of a channel with a border and with their shifts.

    They keep their distances from the nearer border of the channel, if there is room for that at the smallest
    distances, else their shares of its width inside of its margins.
    """
    low, high = channel[0].at, channel[-1].at
    before = _find_nearest(channel, [border for border in borders if border.at <= low])
    after = _find_nearest(channel, [border for border in borders if border.at >= high])
    if before is None or after is None:
        border = before or after or min(borders, key=lambda one: _sum_costs(channel, one))
        yield from ((segment, border, border.shift) for segment in channel)
        return
    count = next(
        (place for place, one in enumerate(channel) if _measure_cost(one, after) < _measure_cost(one, before)),
        len(channel),
    )
    gap = (after.shift - before.shift) * (-1 if before.axis else 1)
    start = channel[count - 1].at if count else before.at
    end = channel[count].at if count < len(channel) else after.at
    if end - start - measure_loss(gap) >= _CLEAR_CM or end <= start:
        yield from ((segment, before, before.shift) for segment in channel[:count])
        yield from ((segment, after, after.shift) for segment in channel[count:])
        return
    width = after.at - before.at - 2 * _BORDER_CM
    for segment in channel:
        share = min(max((segment.at - before.at - _BORDER_CM) / width, 0.0), 1.0) if width > 0 else 0.5
        border = before if segment in channel[:count] else after
        yield segment, border, before.shift * (1 - share) + after.shift * share


def _find_nearest(channel: Sequence[_Segment], borders: Sequence[Border]) -> Border | None:
    return min(borders, key=lambda border: _sum_costs(channel, border)) if borders else None


def _sum_costs(channel: Sequence[_Segment], border: Border) -> float:
    return sum(_measure_cost(segment, border) for segment in channel)


def _iterate_segments(lines: Sequence[GraphEdge], ways: Sequence[Route]) -> Iterator[_Segment]:
    """Yield the inner segments of all routes; segments of a mesh on one line are one segment."""
    shared: dict[tuple[int, int, float], list[tuple[float, float, tuple[int, int]]]] = {}
    for flow, (line, way) in enumerate(zip(lines, ways, strict=True)):
        for number, (start, goal) in enumerate(pairwise(way.points)):
            if 0 < number < len(way.points) - 2:
                axis = (way.sides[0] + number + 1) % 2
                low, high = sorted((start[1 - axis], goal[1 - axis]))
                key = line.bundle if line.mesh else -1 - flow, axis, start[axis]
                shared.setdefault(key, []).append((low, high, (flow, number)))
    for (_, axis, at), parts in shared.items():
        lows, highs, numbers = zip(*parts, strict=True)
        yield _Segment(numbers, axis, at, min(lows), max(highs))


def _gather_channels(segments: Iterable[_Segment]) -> Iterator[list[_Segment]]:
    """Yield groups of adjacent parallel segments, from segments sorted by axis and position."""
    near: list[list[_Segment]] = []  # groups with a last segment that is close enough
    for segment in segments:
        ended = [one for one in near if not _is_near(one[-1], segment)]
        yield from ended
        beside = [one for one in near if one not in ended and any(_run_beside(segment, other) for other in one)]
        joined = [*(other for one in beside for other in one), segment]
        near = [*(one for one in near if one not in ended and one not in beside), joined]
    yield from near


def _is_near(one: _Segment, other: _Segment) -> bool:
    return one.axis == other.axis and abs(one.at - other.at) <= _CHANNEL_CM


def _run_beside(one: _Segment, other: _Segment) -> bool:
    return _is_near(one, other) and one.low <= other.high and other.low <= one.high


def _measure_cost(segment: _Segment, border: Border) -> float:
    """Return the distance of a border from a segment, in cm, plus costs for other flaws."""
    off = (segment.at - border.at) * border.sign
    aside = max(0.0, border.low - segment.high, segment.low - border.high)
    return abs(off) + _ACROSS_WEIGHT * aside + _INSIDE_COST * (off < 0)
