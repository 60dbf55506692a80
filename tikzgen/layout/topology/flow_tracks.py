"""Tracks of flows: each inner segment of a route keeps its distance from a node or frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from tikzgen.base.plane import Compass
from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair
from tikzgen.layout.topology.topology_positions import Paper

_CHANNEL_CM = 0.5  # cm between tracks of one channel, which share a border
_ACROSS_WEIGHT = 1.0  # cm of distance, per cm between the border and the ends of the segment
_STRETCH_COST = 0.5  # cm of distance, if the distance depends on the parameters
_INSIDE_COST = 4.0  # cm of distance, if the segment crosses the box
_SIDES: tuple[tuple[Compass, Compass], ...] = (("west", "east"), ("north", "south"))


class FlowTrack(Record):
    """A line through an anchor, shifted (right, up)."""

    anchor: str
    shift: Pair


class _Segment(Record):
    """An inner segment of routes: its position on its axis and its ends on the other axis, in cm.

    It is vertical if its axis is 0. `numbers` has the flows that it belongs to, and its number in their routes.
    """

    numbers: tuple[tuple[int, int], ...]
    axis: int
    at: float
    low: float
    high: float


class _Border(Record):
    """A side of a box in cm and as a length, with the extent of the box on the other axis."""

    anchor: str
    axis: int
    sign: int
    at: float
    length: Length
    low: float
    high: float


def find_tracks(paper: Paper) -> dict[int, dict[int, FlowTrack]]:
    """Return the tracks of all inner segments, by the numbers of flow and segment."""
    found: dict[int, dict[int, FlowTrack]] = {}
    segments = sorted(_iterate_segments(paper), key=lambda segment: (segment.axis, segment.at, segment.low))
    borders = list(_iterate_borders(paper)) if segments else []
    for channel in _gather_channels(segments):
        along = [border for border in borders if border.axis == channel[0].axis]
        places = paper.lengths.down if channel[0].axis else paper.lengths.across
        lengths = {segment: -places.at(segment.at) if segment.axis else places.at(segment.at) for segment in channel}
        border = min(along, key=lambda one: sum(_measure_cost(segment, one, lengths[segment]) for segment in channel))
        for segment in channel:
            off = lengths[segment] - border.length
            track = FlowTrack(border.anchor, (ZERO, off) if segment.axis else (off, ZERO))
            for flow, number in segment.numbers:
                found.setdefault(flow, {})[number] = track
    return found


def _iterate_segments(paper: Paper) -> Iterator[_Segment]:
    """Yield the inner segments of all routes; segments of a mesh on one line are one segment."""
    shared: dict[tuple[int, int, float], list[tuple[float, float, tuple[int, int]]]] = {}
    for flow, (line, way) in enumerate(zip(paper.graph.lines, paper.layout.ways, strict=True)):
        for number, (start, goal) in enumerate(pairwise(way.points)):
            if 0 < number < len(way.points) - 2:
                axis = (way.sides[0] + number + 1) % 2
                low, high = sorted((start[1 - axis], goal[1 - axis]))
                key = line.bundle if line.mesh else -1 - flow, axis, start[axis]
                shared.setdefault(key, []).append((low, high, (flow, number)))
    for (_, axis, at), parts in shared.items():
        lows, highs, numbers = zip(*parts, strict=True)
        yield _Segment(numbers, axis, at, min(lows), max(highs))


def _iterate_borders(paper: Paper) -> Iterator[_Border]:
    """Yield the sides of nodes and frames; use the sides of dots only if all nodes are dots."""
    placed, leaves = paper.layout.placed, paper.graph.leaves
    solid = [leaf for leaf in leaves if not leaf.dots] or leaves
    bodies = {leaf.id: placed.box(leaf.id, leaf.body) for leaf in solid}
    for name, box in {**bodies, **placed.frames}.items():
        drawn, node = paper.find_border(name), paper.plan.name(paper.panel, name)
        for axis in (0, 1):
            for end, side in enumerate(_SIDES[axis]):
                across, extent = box[axis + 2 * end], (box[1 - axis], box[3 - axis])
                yield _Border(f"{node}.{side}", axis, 2 * end - 1, across, drawn.find_side(side), *extent)


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


def _measure_cost(segment: _Segment, border: _Border, length: Length) -> float:
    """Return the distance of a border from a segment, in cm, plus costs for other flaws."""
    off = (segment.at - border.at) * border.sign
    aside = max(0.0, border.low - segment.high, segment.low - border.high)
    stretched = length.terms != border.length.terms
    return abs(off) + _ACROSS_WEIGHT * aside + _STRETCH_COST * stretched + _INSIDE_COST * (off < 0)
