"""The paper as a grid of cells: what it costs a line to pass through each, and where lines may meet entities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from math import ceil, floor, inf
from operator import or_

from tikzgen.base.plane import Box, Point, grow_box
from tikzgen.base.record import Record
from tikzgen.layout.topology.nested.nested_graph import Graph, Leaf, Placed

UNIT = 0.18  # cm from line to line
_AROUND = 1.1  # cm of paper around all
_SPARSE_LINES = 60  # lines: every other one beyond so many gets room beside all
CLEAR = 0.11  # cm that lines keep from entities and texts
BESIDE = 0.115  # cm from entities where lines are moved, for outlines reach 0.3 pt beyond icons
_FRAME_CM = 0.13  # cm that lines keep from the frames of others
_CORNER = 0.14  # cm from a corner to the nearest line
CROSS_COST = 22.0  # steps of the grid that it costs to cross a line
_BORDER_COST = 4.0  # steps of the grid that it costs to run along a border
_BESIDE_COST = 0.5  # steps, to run beside a line
_WALL_COST = 1e6  # steps, for what no line passes through
BLOCK_CELLS = 6  # cells along a side of a block
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Right, down, left, up: a direction is a place here."""


class Port(Record):
    """Where a line may meet an entity or a frame: the cell before it, the direction away, how far from the middle."""

    cell: int
    way: int
    place: Point
    aside: float


Ends = Sequence[tuple[Port, float]]
"""Ports with what they cost."""


class RouteGrid:
    """Cells by number, `x * tall + y`; lists by cell are what a search reads.

    By axis, `prices` are what it costs to pass, `open` the same where nothing is in the way: no wall, no text, no line;
    `stale` are the blocks of a `dense` one where that has changed.
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
        """The cells that no line passes through which has nothing to do with these frames."""
        if not foreign:
            return self.walls
        key = frozenset(foreign)
        if key not in self._closed:
            shut = bytearray(number in key for number in range(len(self.graph.frames) + 1))
            self._closed[key] = bytearray(map(or_, self.walls, map(shut.__getitem__, self.zone)))
        return self._closed[key]

    def point_of(self, cell: int) -> Point:
        return cell // self.tall * UNIT - self.around, cell % self.tall * UNIT - self.around

    def cells(self, box: Box) -> Iterator[int]:
        """The cells whose crossing lies in a box."""
        left, top = (max(0, ceil((low + self.around) / UNIT)) for low in box[:2])
        right, bottom = floor((box[2] + self.around) / UNIT), floor((box[3] + self.around) / UNIT)
        for x in range(left, min(right, self.wide - 1) + 1):
            yield from range(x * self.tall + top, x * self.tall + min(bottom, self.tall - 1) + 1)

    @cached_property
    def block(self) -> list[int]:
        """The number of the block that each cell is in, of a dense grid alone."""
        tall = -(-self.tall // BLOCK_CELLS)
        return [x // BLOCK_CELLS * tall + y // BLOCK_CELLS for x in range(self.wide) for y in range(self.tall)]

    def _mark(self, titles: Sequence[Box]) -> None:
        graph, placed = self.graph, self.placed
        for x in range(self.wide):  # lines keep off the edge of the paper
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
        """Let a line pass through a cell along an axis: others that cross it or run beside it pay for that."""
        if not self.used[axis][cell]:
            self._pay(cell, axis, 1)
        self.used[axis][cell] = own
        self._reopen(cell, axis)

    def free(self, cell: int, axis: int) -> None:
        """Take a line out of a cell."""
        self._pay(cell, axis, -1)
        self.used[axis][cell] = 0
        self._reopen(cell, axis)

    def write(self, cells: Iterable[int], texts: int) -> None:
        """Put so many more texts on cells, or fewer."""
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
                yield Port(cell, way, (start, value) if dx else (value, start), abs(value - middle))
