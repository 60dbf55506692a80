"""Tracks of flows: each inner leg of a route keeps its distance from the entity or frame next to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair, SymbolicBox
from tikzgen.layout.topology.topology_positions import Paper

_CHANNEL_CM = 0.5  # cm between tracks of one channel, which keep their distance from the same border
_ACROSS_WEIGHT = 1.0  # cm that a border may be nearer, per cm that a leg does not run along it
_STRETCH_COST = 0.5  # cm that a border may be nearer that the distances move in another way
_INSIDE_COST = 4.0  # cm that a border may be nearer whose box the leg passes through
_SIDES = (("west", "east"), ("north", "south"))


class FlowTrack(Record):
    """A line through an anchor, shifted (right, up)."""

    anchor: str
    shift: Pair


class _Leg(Record):
    """An inner leg of a route, upright where its axis is 0: its place across and its ends, in cm."""

    flow: int
    number: int
    axis: int
    at: float
    low: float
    high: float


class _Border(Record):
    """A side of a box in cm (y downwards) and as a length (y upwards), with the extent of the box on the other axis."""

    anchor: str
    axis: int
    sign: int
    at: float
    length: Length
    low: float
    high: float


def find_tracks(paper: Paper) -> dict[int, dict[int, FlowTrack]]:
    """Return the tracks of all inner legs, by the numbers of their flows and legs."""
    found: dict[int, dict[int, FlowTrack]] = {}
    legs = sorted(_iterate_legs(paper), key=lambda leg: (leg.axis, leg.at, leg.low))
    borders = list(_iterate_borders(paper)) if legs else []
    for channel in _gather_channels(legs):
        along = [border for border in borders if border.axis == channel[0].axis]
        lengths = {leg: _convert_to_length(paper, leg.axis, leg.at) for leg in channel}
        border = min(along, key=lambda one: sum(_measure_cost(leg, one, lengths[leg]) for leg in channel))
        for leg in channel:
            off = lengths[leg] - border.length
            track = FlowTrack(border.anchor, (ZERO, off) if leg.axis else (off, ZERO))
            found.setdefault(leg.flow, {})[leg.number] = track
    return found


def _iterate_legs(paper: Paper) -> Iterator[_Leg]:
    for flow, way in enumerate(paper.layout.ways):
        for number, (start, goal) in enumerate(pairwise(way.points)):
            if 0 < number < len(way.points) - 2:
                axis = (way.sides[0] + number + 1) % 2
                low, high = sorted((start[1 - axis], goal[1 - axis]))
                yield _Leg(flow, number, axis, start[axis], low, high)


def _iterate_borders(paper: Paper) -> Iterator[_Border]:
    """Yield the sides of entities, dots apart, and of frames."""
    placed = paper.layout.placed
    bodies = {leaf.id: placed.box(leaf.id, leaf.body) for leaf in paper.graph.leaves if not leaf.dots}
    for name, box in {**bodies, **placed.frames}.items():
        drawn, node = paper.box(name), paper.plan.name(paper.panel, name)
        for axis in (0, 1):
            for end, side in enumerate(_SIDES[axis]):
                length = _find_side(drawn, axis, end)
                across, extent = box[axis + 2 * end], (box[1 - axis], box[3 - axis])
                yield _Border(f"{node}.{side}", axis, 2 * end - 1, across, length, *extent)


def _find_side(box: SymbolicBox, axis: int, end: int) -> Length:
    """Return the low or high side of a box on the page, where y points down."""
    return ((box.left, box.right), (box.top, box.bottom))[axis][end]


def _convert_to_length(paper: Paper, axis: int, at: float) -> Length:
    """Return a place in cm as a length."""
    return paper.lengths.at((at, 0.0))[0] if axis == 0 else paper.lengths.at((0.0, at))[1]


def _gather_channels(legs: Sequence[_Leg]) -> Iterator[list[_Leg]]:
    """Yield legs that run beside each other, from sorted legs."""
    channels: list[list[_Leg]] = []
    for leg in legs:
        beside = [one for one in channels if any(_run_beside(leg, other) for other in one)]
        joined = [leg, *(other for one in beside for other in one)]
        channels = [*(one for one in channels if one not in beside), joined]
    yield from channels


def _run_beside(one: _Leg, other: _Leg) -> bool:
    near = one.axis == other.axis and abs(one.at - other.at) <= _CHANNEL_CM
    return near and one.low <= other.high and other.low <= one.high


def _measure_cost(leg: _Leg, border: _Border, length: Length) -> float:
    """Return how far a border is from a leg, in cm, and more if the leg does not run along it."""
    off = (leg.at - border.at) * border.sign
    aside = max(0.0, border.low - leg.high, leg.low - border.high)
    stretched = bool((length - border.length).terms)
    return abs(off) + _ACROSS_WEIGHT * aside + _STRETCH_COST * stretched + _INSIDE_COST * (off < 0)
