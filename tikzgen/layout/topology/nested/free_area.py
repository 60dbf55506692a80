r"""Maps from positions in cm to lengths: blank space scales with \colsep and \rowsep.

Objects keep their size on both axes: nodes with their clearance, labels, step numbers, and the padding of frames. The
maps preserve order, so objects that are clear of each other stay clear at all distances.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Protocol

from tikzgen.base.plane import Box, Point, find_box_center, grow_box
from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import Length, Pair, SymbolicBox, make_box_around
from tikzgen.layout.topology.nested.nested_graph import Graph
from tikzgen.layout.topology.nested.placed_nodes import Placed

LEAST_SHARE = 0.4  # minimum share of a distance, at which parallel edges stay distinct
_NEAR = 0.13  # cm between a node and an edge
_END = 2 * _NEAR  # cm at each end of a long node that do not scale
_SHARE_DIGITS = 2  # decimals of a multiple; if the parameter is 1 cm, the position is exact
_LEAST = 0.05  # cm: shorter strips of blank space do not scale


class PaperAxis(Protocol):
    """Map of one axis from positions in cm to lengths."""

    def at(self, place: float, /) -> Length: ...


class StretchAxis:
    """Map of one axis with strips that scale; `name` is the parameter, which is 1 cm by default."""

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
        """Return a position as a length: objects before it in cm, blank space in multiples of the parameter."""
        index = bisect_right(self.starts, place) - 1
        if index < 0:
            return Length(place)
        low, high = self.free[index]
        free = round(self.before[index] + min(place, high) - low, _SHARE_DIGITS)
        return Length(round(place - free, 5), ((self.name, free),) if free else ())


class Lengths(Record):
    """Map of positions in cm, y down, to lengths."""

    across: PaperAxis
    down: PaperAxis
    origin: Point = (0.0, 0.0)
    """Position of the origin in cm."""

    def at(self, point: Point) -> Pair:
        (x, y), (left, top) = point, self.origin
        return self.across.at(x - left), -self.down.at(y - top)

    def box(self, box: Box) -> SymbolicBox:
        (left, top), (right, bottom) = self.at(box[:2]), self.at(box[2:])
        return SymbolicBox(left, bottom, right, top)

    def text(self, box: Box) -> SymbolicBox:
        """Return a box that keeps its size around its mapped center."""
        return make_box_around(self.at(find_box_center(box)), (box[2] - box[0]) / 2, (box[3] - box[1]) / 2)


def stretches(graph: Graph, placed: Placed, rigid: Sequence[Box]) -> tuple[StretchAxis, StretchAxis]:
    """Return the maps of both axes for a placement; `rigid` has fixed boxes of edges and labels."""
    across, down = ([*shadows(graph, placed, axis), *((box[axis], box[axis + 2]) for box in rigid)] for axis in (0, 1))
    return StretchAxis("colsep", across, placed.width), StretchAxis("rowsep", down, placed.height)


def least_width(graph: Graph, placed: Placed) -> float:
    """Return the minimum width of a placement in cm; edges and labels can only add to it."""
    free = StretchAxis("", shadows(graph, placed, 0), placed.width).free
    return placed.width - (1 - LEAST_SHARE) * sum(high - low for low, high in free)


def shadows(graph: Graph, placed: Placed, axis: int) -> list[tuple[float, float]]:
    """Return the intervals of an axis that nodes and frames with their labels occupy."""
    found = [(box[axis], box[axis + 2]) for box in _boxes(graph, placed)]
    for name, box in placed.frames.items():
        low, high, pad = box[axis], box[axis + 2], graph.containers[name].pad
        found += [(low - 0.1, low + pad + 0.02), (high - pad - 0.02, high + 0.1)]
    return found


def title_box(graph: Graph, name: str, box: Box) -> Box:
    """Return the box of a frame's label: inside, at a corner or at the middle of a side."""
    (wide, tall), corner = graph.containers[name].label, graph.containers[name].corner
    left, top, right, bottom = box
    x = left if corner.endswith("west") else right - wide if corner.endswith("east") else (left + right - wide) / 2
    y = bottom - tall if corner.startswith("south") else top
    return x, y, x + wide, y + tall


def _boxes(graph: Graph, placed: Placed) -> Iterator[Box]:
    """Yield the boxes that do not scale on either axis."""
    for leaf in graph.leaves:
        yield from _pieces(
            grow_box(placed.box(leaf.id, leaf.foot), _NEAR), leaf.core and placed.box(leaf.id, leaf.core)
        )
    for frame in graph.frames:
        if frame.label[0]:
            yield grow_box(title_box(graph, frame.id, placed.frames[frame.id]), 0.06)


def _pieces(box: Box, core: Box | None) -> Iterator[Box]:
    """Yield the fixed boxes of a node: its whole box, or the ends and the core of a long node."""
    if core is None:
        yield box
        return
    axis = 0 if box[2] - box[0] > box[3] - box[1] else 1
    for low, high in ((box[axis], box[axis] + _END), core[axis::2], (box[axis + 2] - _END, box[axis + 2])):
        yield (low, box[1], high, box[3]) if axis == 0 else (box[0], low, box[2], high)
