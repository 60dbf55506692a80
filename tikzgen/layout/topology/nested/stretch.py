r"""From places in cm to lengths that follow \colsep and \rowsep: free paper stretches, the rest keeps.

What is rigid in one direction is whatever casts a shadow that way: entities with the room that lines keep from them,
texts, marks, and the rooms between frames and what they hold. The map never turns an order, so what is clear of
something stays clear of it, whatever the distances are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol

from tikzgen.base.record import Record
from tikzgen.layout.extent import Extent, around
from tikzgen.layout.length import Length, Pair
from tikzgen.layout.topology.nested.nested_graph import PAD, Graph
from tikzgen.layout.topology.nested.nested_layout import MARK, Layout, title_box
from tikzgen.plane.rectangles import Box, Point, grown, middle

_NEAR = 0.13  # cm around an entity that a line keeps
_HEAD = 0.34  # cm of a line before an entity
_END = 2 * _NEAR  # cm of a long entity that do not stretch, at each end
_LEAST = 0.05  # cm: shorter strips of free paper do not stretch


class Axis(Protocol):
    """One direction: a place in cm as a length."""

    def at(self, place: float, /) -> Length: ...


class Lengths(Record):
    """From places in cm, y downwards, to lengths."""

    across: Axis
    down: Axis

    def at(self, point: Point) -> Pair:
        return self.across.at(point[0]), -self.down.at(point[1])

    def box(self, box: Box) -> Extent:
        (left, top), (right, bottom) = self.at(box[:2]), self.at(box[2:])
        return Extent(left, bottom, right, top)

    def text(self, box: Box) -> Extent:
        """What keeps its size."""
        return around(self.at(middle(box)), (box[2] - box[0]) / 2, (box[3] - box[1]) / 2)


class Stretch:
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
        free = self.before[index] + min(place, high) - low
        return Length(round(place - free, 5), ((self.name, round(free, 5)),) if free > 1e-9 else ())


def stretches(graph: Graph, layout: Layout) -> tuple[Stretch, Stretch]:
    """How a layout stretches across and down."""
    boxes = list(_boxes(graph, layout))
    across, down = ([(box[axis], box[axis + 2]) for box in boxes] for axis in (0, 1))
    for box in layout.placed.frames.values():
        for shadows, axis in ((across, 0), (down, 1)):
            shadows += [(box[axis] - 0.1, box[axis] + PAD + 0.02), (box[axis + 2] - PAD - 0.02, box[axis + 2] + 0.1)]
    return (
        Stretch("colsep", across, layout.placed.width),
        Stretch("rowsep", down, layout.placed.height),
    )


def _pieces(box: Box, core: Box | None) -> Iterator[Box]:
    """What keeps its size of an entity: all of it, or the ends of a long one and what stands in its middle."""
    if core is None:
        yield box
        return
    axis = 0 if box[2] - box[0] > box[3] - box[1] else 1
    for low, high in ((box[axis], box[axis] + _END), core[axis::2], (box[axis + 2] - _END, box[axis + 2])):
        yield (low, box[1], high, box[3]) if axis == 0 else (box[0], low, box[2], high)


def _boxes(graph: Graph, layout: Layout) -> Iterator[Box]:
    """What does not stretch, in either direction."""
    placed = layout.placed
    for leaf in graph.leaves:
        yield from _pieces(grown(placed.box(leaf.id, leaf.foot), _NEAR), leaf.core and placed.box(leaf.id, leaf.core))
    for frame in graph.frames:
        if frame.label[0]:
            yield grown(title_box(graph, frame.id, placed.frames[frame.id]), 0.06)
    for spot in layout.texts:
        if spot is not None:
            (x, y), (left, top, right, bottom) = spot.at, spot.box
            yield grown((min(left, x), min(top, y), max(right, x), max(bottom, y)), 0.06)
    for mark in layout.marks:
        if mark is not None:
            yield grown((*mark, *mark), MARK / 2 + 0.03)
    for way in layout.ways:
        for (x0, y0), (x1, y1) in (*list(pairwise(way.points))[:1], *list(pairwise(way.points[::-1]))[:1]):
            dx, dy = ((end > start) - (end < start) for start, end in ((x0, x1), (y0, y1)))
            yield min(x0, x0 + _HEAD * dx), min(y0, y0 + _HEAD * dy), max(x0, x0 + _HEAD * dx), max(y0, y0 + _HEAD * dy)
