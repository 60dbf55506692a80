r"""Free paper stretches, the rest keeps: from places in cm to lengths that follow \colsep and \rowsep.

What is rigid in one direction is whatever casts a shadow that way: entities with the room that lines keep from them,
texts, marks, and the rooms between frames and what they hold. The map never turns an order, so what is clear of
something stays clear of it, whatever the distances are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Protocol

from tikzgen.base.plane import Box, Point, find_box_center, grow_box
from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import Length, Pair, SymbolicBox, make_box_around
from tikzgen.layout.topology.nested.nested_graph import Graph, Placed

LEAST_SHARE = 0.4  # of a distance: so far may it shrink, and lines beside each other stay two
_NEAR = 0.13  # cm around an entity that a line keeps
_END = 2 * _NEAR  # cm of a long entity that do not stretch, at each end
_SHARE_DIGITS = 2  # decimals of a multiple; where the parameter is 1 cm, the place is exact
_LEAST = 0.05  # cm: shorter strips of free paper do not stretch


class PaperAxis(Protocol):
    """One direction: a place in cm as a length."""

    def at(self, place: float, /) -> Length: ...


class StretchAxis:
    """One direction: the strips that stretch; `name` is the parameter that is 1 cm where nothing presses."""

    def __init__(self, name: str, shadows: list[tuple[float, float]], whole: float) -> None:
        self.name = name
        self.starts: list[float] = []
        self.free: list[tuple[float, float]] = []
        self.before: list[float] = []
        passed, edge = 0.0, 0.0
        for low, high in [*sorted(shadows), (whole, whole)]:
            if low - edge > _LEAST:
                self.starts.append(edge)
                self.free.append((edge, low))
                self.before.append(passed)
                passed += low - edge
            edge = max(edge, high)

    def at(self, place: float) -> Length:
        """A place as a length: what is rigid before it in cm, what is free as a multiple of the parameter."""
        index = bisect_right(self.starts, place) - 1
        if index < 0:
            return Length(place)
        low, high = self.free[index]
        free = round(self.before[index] + min(place, high) - low, _SHARE_DIGITS)
        return Length(round(place - free, 5), ((self.name, free),) if free else ())


class Lengths(Record):
    """From places in cm, y downwards, to lengths."""

    across: PaperAxis
    down: PaperAxis
    origin: Point = (0.0, 0.0)
    """The place from which the directions count."""

    def at(self, point: Point) -> Pair:
        (x, y), (left, top) = point, self.origin
        return self.across.at(x - left), -self.down.at(y - top)

    def box(self, box: Box) -> SymbolicBox:
        (left, top), (right, bottom) = self.at(box[:2]), self.at(box[2:])
        return SymbolicBox(left, bottom, right, top)

    def text(self, box: Box) -> SymbolicBox:
        """What keeps its size."""
        return make_box_around(self.at(find_box_center(box)), (box[2] - box[0]) / 2, (box[3] - box[1]) / 2)


def stretches(graph: Graph, placed: Placed, rigid: Sequence[Box]) -> tuple[StretchAxis, StretchAxis]:
    """How a placement stretches across and down; lines and their texts have `rigid` parts as well."""
    across, down = ([*shadows(graph, placed, axis), *((box[axis], box[axis + 2]) for box in rigid)] for axis in (0, 1))
    return StretchAxis("colsep", across, placed.width), StretchAxis("rowsep", down, placed.height)


def least_width(graph: Graph, placed: Placed) -> float:
    """The least width that a placement takes: lines and their texts only add to it."""
    free = StretchAxis("", shadows(graph, placed, 0), placed.width).free
    return placed.width - (1 - LEAST_SHARE) * sum(high - low for low, high in free)


def shadows(graph: Graph, placed: Placed, axis: int) -> list[tuple[float, float]]:
    """What entities and frames, with their labels, take in one direction."""
    found = [(box[axis], box[axis + 2]) for box in _boxes(graph, placed)]
    for name, box in placed.frames.items():
        low, high, pad = box[axis], box[axis + 2], graph.containers[name].pad
        found += [(low - 0.1, low + pad + 0.02), (high - pad - 0.02, high + 0.1)]
    return found


def title_box(graph: Graph, name: str, box: Box) -> Box:
    """Where the label of a frame stands: inside, at a corner or in the middle of a side."""
    (wide, tall), corner = graph.containers[name].label, graph.containers[name].corner
    left, top, right, bottom = box
    x = left if corner.endswith("west") else right - wide if corner.endswith("east") else (left + right - wide) / 2
    y = bottom - tall if corner.startswith("south") else top
    return x, y, x + wide, y + tall


def _boxes(graph: Graph, placed: Placed) -> Iterator[Box]:
    """What does not stretch, in either direction."""
    for leaf in graph.leaves:
        yield from _pieces(
            grow_box(placed.box(leaf.id, leaf.foot), _NEAR), leaf.core and placed.box(leaf.id, leaf.core)
        )
    for frame in graph.frames:
        if frame.label[0]:
            yield grow_box(title_box(graph, frame.id, placed.frames[frame.id]), 0.06)


def _pieces(box: Box, core: Box | None) -> Iterator[Box]:
    """What keeps its size of an entity: all of it, or the ends of a long one and what stands in its middle."""
    if core is None:
        yield box
        return
    axis = 0 if box[2] - box[0] > box[3] - box[1] else 1
    for low, high in ((box[axis], box[axis] + _END), core[axis::2], (box[axis + 2] - _END, box[axis + 2])):
        yield (low, box[1], high, box[3]) if axis == 0 else (box[0], low, box[2], high)
