r"""From places in cm to lengths that follow \colsep and \rowsep: free paper stretches, the rest keeps.

What is rigid in one direction is whatever casts a shadow that way: entities with the room that lines keep from them,
texts, marks, and the rooms between frames and what they hold. The map never turns an order, so what is clear of
something stays clear of it, whatever the distances are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol

from tikzgen.base.record import Record
from tikzgen.layout.lengths import Extent, Length, Pair, around
from tikzgen.layout.topology.nested.free_paper import Stretch, shadows
from tikzgen.layout.topology.nested.nested_graph import Graph
from tikzgen.layout.topology.nested.nested_layout import MARK, Layout
from tikzgen.plane.rectangles import Box, Point, grown, middle

_HEAD = 0.34  # cm of a line before an entity


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


def stretches(graph: Graph, layout: Layout) -> tuple[Stretch, Stretch]:
    """How a layout stretches across and down."""
    boxes = list(_boxes(layout))
    across, down = (
        [*shadows(graph, layout.placed, axis), *((box[axis], box[axis + 2]) for box in boxes)] for axis in (0, 1)
    )
    return (
        Stretch("colsep", across, layout.placed.width),
        Stretch("rowsep", down, layout.placed.height),
    )


def _boxes(layout: Layout) -> Iterator[Box]:
    """What does not stretch of lines and their texts, in either direction."""
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
