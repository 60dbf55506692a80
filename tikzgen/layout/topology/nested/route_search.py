"""The way of one line over a grid of cells: short, with few corners and crossings, on no other, through nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from heapq import heappop, heappush, heappushpop
from math import ceil, floor

from tikzgen.base.record import Record
from tikzgen.layout.topology.nested.nested_graph import Graph, Leaf, Placed
from tikzgen.plane.rectangles import Box, Point, grown

_UNIT = 0.18  # cm from line to line
_AROUND = 1.1  # cm of paper around all
CLEAR = 0.11  # cm that lines keep from entities and texts,
_FRAME = 0.13  # and from the frames of others
_CORNER = 0.14  # cm from a corner to the nearest line
CROSS = 22.0  # what it costs to cross a line, in steps of the grid,
_HUG, _BESIDE = 4.0, 0.5  # to run along a border, or beside a line,
TEXT = 20.0  # to pass over a text,
TURN, _EARLY, _FOREIGN = 26.0, 3.0, 14.0  # to turn, to turn right at the start, to pass through the frame of others,
_SHARED, _ON = 0.25, 60.0  # on a line of the same bundle, on any other one
_EAGER, _HASTY = 1.25, 1.6  # how much nearer the goal seems to be for each step: the search looks about less,
_TIRED, _LONG = 4.0, 60_000  # and least after so many places, for then lines are in each other's way everywhere,
_MANY = 60  # where there are more lines than these, much less
_WALL = 1e6  # for what no line passes through
INFINITE = float("inf")
_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Right, down, left, up: a direction is a place here."""


class Port(Record):
    """Where a line may meet an entity or a frame: the cell before it, the direction away, how far from the middle."""

    cell: int
    way: int
    place: Point
    aside: float


class Grid:
    """Cells by number, `x * tall + y`; lists by cell are what a search reads."""

    def __init__(self, graph: Graph, placed: Placed, titles: Sequence[Box]) -> None:
        self.graph, self.placed = graph, placed
        self.wide = ceil((placed.width + 2 * _AROUND) / _UNIT) + 1
        self.tall = ceil((placed.height + 2 * _AROUND) / _UNIT) + 1
        count = self.wide * self.tall
        self.spent = 0
        self.prices = [[1.0] * count, [1.0] * count]
        self.text = bytearray(count)
        self.walls = bytearray(count)
        self.column = [cell // self.tall for cell in range(count)]
        self.row = [cell % self.tall for cell in range(count)]
        self.zone = [0] * count
        self.used = [[0] * count, [0] * count]
        self.ports = {name: list(self._ports(leaf)) for name, leaf in placed.joints(graph).items()}
        self._mark(titles)
        self._closed: dict[frozenset[int], bytearray] = {}

    def closed(self, foreign: Collection[int] | None) -> bytearray:
        """The cells that no line passes through which has nothing to do with these frames."""
        if not foreign:
            return self.walls
        key = frozenset(foreign)
        if key not in self._closed:
            self._closed[key] = bytearray(wall or zone in key for wall, zone in zip(self.walls, self.zone, strict=True))
        return self._closed[key]

    def place(self, cell: int) -> Point:
        return cell // self.tall * _UNIT - _AROUND, cell % self.tall * _UNIT - _AROUND

    def cells(self, box: Box) -> Iterator[int]:
        """The cells whose crossing lies in a box."""
        left, top = (max(0, ceil((low + _AROUND) / _UNIT)) for low in box[:2])
        right, bottom = floor((box[2] + _AROUND) / _UNIT), floor((box[3] + _AROUND) / _UNIT)
        for x in range(left, min(right, self.wide - 1) + 1):
            yield from range(x * self.tall + top, x * self.tall + min(bottom, self.tall - 1) + 1)

    def _mark(self, titles: Sequence[Box]) -> None:
        graph, placed = self.graph, self.placed
        for x in range(self.wide):  # lines keep off the edge of the paper
            for y in range(self.tall) if x in (0, self.wide - 1) else (0, self.tall - 1):
                self._wall(x * self.tall + y)
        depth = {frame.id: len(list(graph.above(frame.id))) for frame in graph.frames}
        for number, frame in sorted(enumerate(graph.frames, 1), key=lambda each: depth[each[1].id]):
            box = placed.frames[frame.id]
            for cell in self.cells(grown(box, _FRAME)):
                self.zone[cell] = number
            left, top, right, bottom = box
            half = _UNIT / 2
            for level in (top, bottom):
                for cell in self.cells((left - 0.1, level - half, right + 0.1, level + half)):
                    self.prices[0][cell] += _HUG
            for upright in (left, right):
                for cell in self.cells((upright - half, top - 0.1, upright + half, bottom + 0.1)):
                    self.prices[1][cell] += _HUG
        for box in (*(placed.box(leaf.id, leaf.foot) for leaf in graph.leaves), *titles):
            for cell in self.cells(grown(box, CLEAR - 1e-6)):
                self._wall(cell)

    def _wall(self, cell: int) -> None:
        self.prices[0][cell] = self.prices[1][cell] = _WALL
        self.walls[cell] = 1

    def use(self, cell: int, axis: int, own: int) -> None:
        """Let a line pass through a cell along an axis: others that cross it or run beside it pay for that."""
        if not self.used[axis][cell]:
            self._pay(cell, axis, 1)
        self.used[axis][cell] = own

    def free(self, cell: int, axis: int) -> None:
        """Take a line out of a cell."""
        if self.used[axis][cell]:
            self._pay(cell, axis, -1)
            self.used[axis][cell] = 0

    def _pay(self, cell: int, axis: int, sign: int) -> None:
        self.prices[1 - axis][cell] += sign * CROSS
        aside = self.tall if axis else 1
        for near in (cell - aside, cell + aside):
            self.prices[axis][near] += sign * _BESIDE

    def _ports(self, leaf: Leaf) -> Iterator[Port]:
        body, foot = (self.placed.box(leaf.id, shape) for shape in (leaf.body, leaf.foot))
        clear = _FRAME + 1e-6 if leaf.id in self.placed.frames else CLEAR
        for way, (dx, dy) in enumerate(_STEPS):
            low, high = (body[1], body[3]) if dx else (body[0], body[2])
            edge = foot[2 if dx > 0 else 3 if dy > 0 else 0 if dx else 1]
            at = (edge + _AROUND + (dx + dy) * clear) / _UNIT
            outside = ceil(at - 1e-9) if dx + dy > 0 else floor(at + 1e-9)
            middle = (low + high) / 2
            start = body[2 if dx > 0 else 0] if dx else foot[3] if dy > 0 else body[1]
            corner = max(_CORNER, (high - low) / 2 * (1 - leaf.share))
            first, last = ceil((low + corner + _AROUND) / _UNIT), floor((high - corner + _AROUND) / _UNIT)
            for index in range(first, last + 1) if first <= last else (round((middle + _AROUND) / _UNIT),):
                value = index * _UNIT - _AROUND
                cell = outside * self.tall + index if dx else index * self.tall + outside
                yield Port(cell, way, (start, value) if dx else (value, start), abs(value - middle))


class Course(Record):
    """The cells of a line from port to port, and what they cost; `forced` lies on what it should not.

    `crossed` is the part of the cost that comes from lines and texts which it crosses.
    """

    start: Port
    goal: Port
    cells: tuple[int, ...]
    cost: float
    forced: bool = False
    crossed: float = 0.0


def search(
    grid: Grid,
    starts: Sequence[tuple[Port, float]],
    goals: Sequence[tuple[Port, float]],
    own: int,
    foreign: Collection[int],
    *,
    soft: bool = False,
    straight: bool = False,
) -> Course | None:
    """The cheapest way between two sets of ports, each with what it costs.

    `own` is the number of the line or its bundle, `foreign` are the frames that hold none of its ends. A `soft` search
    may pass over texts, through the frames of others and along other lines where there is no other way, a `straight`
    one turns nowhere.
    """
    tall, text, used, column, row = grid.tall, grid.text, grid.used, grid.column, grid.row
    level, upright = used
    eager = _TIRED if grid.spent > _LONG else _EAGER if len(grid.graph.lines) <= _MANY else _HASTY
    closed = grid.closed(None if soft else foreign)
    zone = grid.zone if soft else ()
    ends: dict[int, tuple[Port, float]] = {}
    for port, price in goals:
        state = port.cell * 4 + (port.way + 2) % 4
        if state not in ends or price < ends[state][1]:
            ends[state] = (port, price)
    best: dict[int, float] = {}
    before: dict[int, int] = {}
    first: dict[int, Port] = {}
    queue: list[tuple[float, int]] = []
    for port, price in starts:
        state = port.cell * 4 + port.way
        if grid.walls[port.cell] or (used[port.way % 2][port.cell] not in (0, own) and not soft):
            continue
        if price < best.get(state, INFINITE):
            best[state], first[state] = price, port
            heappush(queue, (price, state))
    if not ends or not queue:
        return None
    moves = [_moves(grid, way, straight=straight) for way in range(4)]
    xs, ys = [state // 4 // tall for state in ends], [state // 4 % tall for state in ends]
    left, right, high, low = min(xs), max(xs), min(ys), max(ys)
    done: set[int] = set()
    ahead: tuple[float, int] | None = None  # straight on, which most often comes next
    while queue or ahead:
        state = (heappushpop(queue, ahead) if ahead else heappop(queue))[1]
        ahead = None
        if state in done:
            continue
        done.add(state)
        cost = best[state]
        if state < 0:
            grid.spent += len(done)
            return _traced(-state, before, first, ends, cost, soft)
        if state in ends and state in before:
            price = cost + ends[state][1]
            if price < best.get(-state, INFINITE):
                best[-state] = price
                heappush(queue, (price, -state))
        cell = state >> 2
        # no line turns where another one passes
        held = level[cell] not in (0, own) or upright[cell] not in (0, own)
        for turn, step, prices, lines, corner in moves[state & 3]:
            if corner and held and not soft:
                break
            near = cell + step
            following = near * 4 + turn
            if closed[near] or following in done:
                continue
            price = cost + prices[near]
            if corner:
                price += corner if state not in first else corner + _EARLY
                if held:
                    price += _ON
            along = lines[near]
            if along:
                if along == own:
                    price += _SHARED - prices[near]
                elif not soft:
                    continue
                else:
                    price += _ON
            if text[near]:
                if not soft:
                    continue
                price += TEXT
            if soft and zone[near] in foreign:
                price += _FOREIGN
            if price < best.get(following, INFINITE):
                best[following], before[following] = price, state
                x, y = column[near], row[near]
                dx = left - x if x < left else x - right if x > right else 0
                dy = high - y if y < high else y - low if y > low else 0
                if turn & 1:
                    away, beside = (y > low if turn == 1 else y < high), dx
                else:
                    away, beside = (x > right if turn == 0 else x < left), dy
                far = price + (dx + dy) * eager + (2 * TURN if away else TURN if beside else 0)
                if corner:
                    heappush(queue, (far, following))
                else:
                    ahead = far, following
    grid.spent += len(done)
    return None


_Move = tuple[int, int, list[float], list[int], float]


def _moves(grid: Grid, way: int, *, straight: bool) -> list[_Move]:
    """Where a line that runs some way may go on: the new way, how far that cell is by number, what it costs to pass
    there, who does, and what it costs to turn.
    """
    ways = (way,) if straight else (way, (way + 1) % 4, (way + 3) % 4)
    steps = (dx * grid.tall + dy for dx, dy in (_STEPS[turn] for turn in ways))
    return [
        (turn, step, grid.prices[turn % 2], grid.used[turn % 2], TURN if turn != way else 0.0)
        for turn, step in zip(ways, steps, strict=True)
    ]


def _traced(
    state: int,
    before: dict[int, int],
    first: dict[int, Port],
    ends: dict[int, tuple[Port, float]],
    cost: float,
    soft: bool,
) -> Course:
    goal, cells = ends[state][0], [state // 4]
    while state in before:
        state = before[state]
        cells.append(state // 4)
    return Course(first[state], goal, tuple(cells[::-1]), cost, soft)


def aside(port: Port) -> float:
    """What it costs to meet an entity away from the middle of its side."""
    return port.aside / _UNIT * 0.3


def least_cost(grid: Grid, starts: Sequence[Port], goals: Sequence[Port]) -> float:
    """What no way between two sets of ports costs less than, where it shares none with a bundle: as if nothing else
    were on the paper.
    """
    ends = [(*divmod(port.cell, grid.tall), (port.way + 2) % 4, aside(port)) for port in goals]
    least = INFINITE
    for port in starts:
        (x, y), (dx, dy), price = divmod(port.cell, grid.tall), _STEPS[port.way], aside(port)
        for u, v, way, more in ends:
            found = price + more + abs(u - x) + abs(v - y)
            if found < least:
                ahead, beside = (u - x) * dx + (v - y) * dy, (u - x) * dy + (v - y) * dx
                corners = 1 if (way - port.way) % 2 else 0 if way == port.way and not beside and ahead >= 0 else 2
                least = min(least, found + corners * TURN)
    return least
