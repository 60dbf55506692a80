"""Grid of cells for routing: the cost of passing each cell, and the ports of nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from math import ceil, floor, inf
from operator import or_

from tikzgen.base.plane import Box, Point, grow_box
from tikzgen.base.record import Record
from tikzgen.layout.topology.nested.nested_graph import Graph, Leaf
from tikzgen.layout.topology.nested.placed_nodes import Placed

UNIT = 0.18  # cm between cells
_AROUND = 1.1  # minimum cm of blank space around the layout
_SPARSE_LINES = 60  # edges; with more, the grid is dense and half of the rest get room around the layout
CLEAR = 0.11  # cm between edges and nodes or labels
BESIDE = 0.115  # cm between nodes and nudged segments, because outlines extend 0.3 pt beyond icons
_FRAME_CM = 0.13  # cm between edges and foreign frames
_CORNER = 0.14  # cm from a corner to the nearest edge
CROSS_COST = 22.0  # cost of crossing an edge, in steps of the grid
_BORDER_COST = 4.0  # cost of running along a border, in steps of the grid
_BESIDE_COST = 0.5  # cost of running next to an edge, in steps of the grid
_WALL_COST = 1e6  # cost of a cell that no edge passes, in steps of the grid
BLOCK_CELLS = 6  # cells along a side of a block
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Right, down, left, up; a direction is an index of this tuple."""


class Port(Record):
    """A point where an edge may meet a node or frame.

    It has the adjacent cell, the outward direction, the point itself, and its distance from the middle of the side,
    which is `before` it or after it.
    """

    cell: int
    way: int
    place: Point
    aside: float
    before: bool = False


Ends = Sequence[tuple[Port, float]]
"""Ports with their costs."""


class RouteGrid:
    """Cells, numbered `x * tall + y`; searches read the lists by cell.

    By axis, `prices` are the costs of passing a cell. `open` has the same costs, and infinity for a wall, label or
    edge. `stale` has the blocks of a `dense` grid in which that changed.
    """

    def __init__(self, graph: Graph, placed: Placed, titles: Sequence[Box]) -> None:
        self.graph, self.placed = graph, placed
        self.around = _AROUND + UNIT * (max(0, len(graph.lines) - _SPARSE_LINES) // 2)
        self.dense = len(graph.lines) > _SPARSE_LINES
        self.wide = ceil((placed.width + 2 * self.around) / UNIT) + 1
        self.tall = ceil((placed.height + 2 * self.around) / UNIT) + 1
        count = self.wide * self.tall
        self.spent = 0
        self.prices = [[1.0] * count, [1.0] * count]
        self.text = [0] * count
        self.walls = bytearray(count)
        self.column = [cell // self.tall for cell in range(count)]
        self.row = [cell % self.tall for cell in range(count)]
        self.zone = [0] * count
        self.stale: tuple[set[int], set[int]] = (set(), set())
        self.used = [[0] * count, [0] * count]
        self.ports = {name: list(self._ports(leaf)) for name, leaf in placed.joints(graph).items()}
        self._mark(titles)
        self.open = [
            [inf if wall else price for wall, price in zip(self.walls, each, strict=True)] for each in self.prices
        ]
        self._closed: dict[frozenset[int], bytearray] = {}

    def closed_cells(self, foreign: Collection[int] | None) -> bytearray:
        """Return a mask of the cells closed to an edge: walls and the given foreign frames."""
        if not foreign:
            return self.walls
        key = frozenset(foreign)
        if key not in self._closed:
            shut = bytearray(number in key for number in range(len(self.graph.frames) + 1))
            self._closed[key] = bytearray(map(or_, self.walls, map(shut.__getitem__, self.zone)))
        return self._closed[key]

    def split_cell(self, cell: int, axis: int) -> tuple[int, int]:
        """Return the coordinates of a cell across an axis and along it."""
        x, y = self.column[cell], self.row[cell]
        return (y, x) if axis == 0 else (x, y)

    def point_of(self, cell: int) -> Point:
        return cell // self.tall * UNIT - self.around, cell % self.tall * UNIT - self.around

    def find_coordinate(self, index: int) -> float:
        """Return the coordinate of a row or column of cells, in cm."""
        return index * UNIT - self.around

    def cells(self, box: Box) -> Iterator[int]:
        """Yield the cells with a center in a box."""
        left, top = (max(0, ceil((low + self.around) / UNIT)) for low in box[:2])
        right, bottom = floor((box[2] + self.around) / UNIT), floor((box[3] + self.around) / UNIT)
        for x in range(left, min(right, self.wide - 1) + 1):
            yield from range(x * self.tall + top, x * self.tall + min(bottom, self.tall - 1) + 1)

    @cached_property
    def block(self) -> list[int]:
        """Block of each cell; used for dense grids only."""
        tall = -(-self.tall // BLOCK_CELLS)
        return [x // BLOCK_CELLS * tall + y // BLOCK_CELLS for x in range(self.wide) for y in range(self.tall)]

    def _mark(self, titles: Sequence[Box]) -> None:
        graph, placed = self.graph, self.placed
        for x in range(self.wide):  # edges avoid the border of the grid
            for y in range(self.tall) if x in (0, self.wide - 1) else (0, self.tall - 1):
                self._wall(x * self.tall + y)
        depth = {frame.id: len(list(graph.above(frame.id))) for frame in graph.frames}
        for number, frame in sorted(enumerate(graph.frames, 1), key=lambda each: depth[each[1].id]):
            box = placed.frames[frame.id]
            for cell in self.cells(grow_box(box, _FRAME_CM)):
                self.zone[cell] = number
            left, top, right, bottom = box
            half = UNIT / 2
            for level in (top, bottom):
                for cell in self.cells((left - 0.1, level - half, right + 0.1, level + half)):
                    self.prices[0][cell] += _BORDER_COST
            for upright in (left, right):
                for cell in self.cells((upright - half, top - 0.1, upright + half, bottom + 0.1)):
                    self.prices[1][cell] += _BORDER_COST
        for box in (*(placed.box(leaf.id, leaf.foot) for leaf in graph.leaves), *titles):
            for cell in self.cells(grow_box(box, CLEAR - 1e-6)):
                self._wall(cell)

    def _wall(self, cell: int) -> None:
        self.prices[0][cell] = self.prices[1][cell] = _WALL_COST
        self.walls[cell] = 1

    def use(self, cell: int, axis: int, own: int) -> None:
        """Add an edge to a cell along an axis; increase the costs of crossing it and of running next to it."""
        if not self.used[axis][cell]:
            self._pay(cell, axis, 1)
        self.used[axis][cell] = own
        self._reopen(cell, axis)

    def free(self, cell: int, axis: int) -> None:
        """Remove an edge from a cell."""
        self._pay(cell, axis, -1)
        self.used[axis][cell] = 0
        self._reopen(cell, axis)

    def write(self, cells: Iterable[int], texts: int) -> None:
        """Add a number of labels to cells; a negative number removes labels."""
        for cell in cells:
            self.text[cell] += texts
            self._reopen(cell, 0)
            self._reopen(cell, 1)

    def _pay(self, cell: int, axis: int, sign: int) -> None:
        aside = self.tall if axis else 1
        for near, way, price in (
            (cell, 1 - axis, CROSS_COST),
            (cell - aside, axis, _BESIDE_COST),
            (cell + aside, axis, _BESIDE_COST),
        ):
            self.prices[way][near] += sign * price
            self._reopen(near, way)

    def _reopen(self, cell: int, axis: int) -> None:
        taken = self.used[axis][cell] or self.text[cell] or self.walls[cell]
        self.open[axis][cell] = inf if taken else self.prices[axis][cell]
        if self.dense:
            self.stale[axis].add(self.block[cell])

    def _ports(self, leaf: Leaf) -> Iterator[Port]:
        body, foot = (self.placed.box(leaf.id, shape) for shape in (leaf.body, leaf.foot))
        clear = _FRAME_CM + 1e-6 if leaf.id in self.placed.frames else CLEAR
        for way, (dx, dy) in enumerate(STEPS):
            low, high = (body[1], body[3]) if dx else (body[0], body[2])
            edge = foot[2 if dx > 0 else 3 if dy > 0 else 0 if dx else 1]
            at = (edge + self.around + (dx + dy) * clear) / UNIT
            outside = ceil(at - 1e-9) if dx + dy > 0 else floor(at + 1e-9)
            middle = (low + high) / 2
            start = body[2 if dx > 0 else 0] if dx else foot[3] if dy > 0 else body[1]
            corner = max(_CORNER, (high - low) / 2 * (1 - leaf.share))
            first, last = ceil((low + corner + self.around) / UNIT), floor((high - corner + self.around) / UNIT)
            for index in range(first, last + 1) if first <= last else (round((middle + self.around) / UNIT),):
                value = index * UNIT - self.around
                cell = outside * self.tall + index if dx else index * self.tall + outside
                yield Port(cell, way, (start, value) if dx else (value, start), abs(value - middle), value < middle)
