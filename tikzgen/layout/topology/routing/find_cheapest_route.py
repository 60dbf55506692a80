"""Cheapest route of one edge over a grid, by weighted A*: short, with few bends and crossings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush, heappushpop
from itertools import pairwise
from math import inf

from tikzgen.base.record import Record
from tikzgen.layout.topology.routing.route_grid import STEPS, UNIT, Ends, Port, RouteGrid

TEXT_COST = 20.0  # cost of crossing a label, in steps of the grid
TURN_COST = 26.0  # cost of a bend, in steps of the grid
_EARLY_COST = 3.0  # extra cost of a bend at the start, in steps
_FOREIGN_COST = 14.0  # cost of crossing a foreign frame, in steps
_SHARED_COST = 0.25  # cost of each step on an edge of the same bundle
_ON_LINE_COST = 20.0  # cost of each step on any other edge
_USUAL_WEIGHT = 1.25  # weight of the heuristic: above 1, the search visits fewer cells
_TIRED_WEIGHT = 4.0  # weight after _PLACES_LIMIT visited cells, when edges block each other everywhere
_PLACES_LIMIT = 60_000  # visited cells, after which an edge in a dense grid has no clear route
_CALM_WEIGHT = 1.6  # weight in dense grids and in corridors, where routes differ less
_HASTY_WEIGHT = 2.5  # weight in a corridor after _PLACES_LIMIT visited cells
_BLOCKED_WEIGHT = 8.0  # weight without a clear route: an obstacle costs much more than a step


class FoundRoute(Record):
    """Cells of a route from port to port, and its cost; a `forced` route crosses obstacles.

    `crossed` is the part of the cost for crossed edges and labels.
    """

    start: Port
    goal: Port
    cells: tuple[int, ...]
    cost: float
    forced: bool = False
    crossed: float = 0.0

    def count_last_cells(self) -> int:
        """Return the number of cells of the last straight segment."""
        steps = [other - one for one, other in pairwise(self.cells)]
        return next((count for count, step in enumerate(reversed(steps)) if step != steps[-1]), len(steps))


def search(
    grid: RouteGrid,
    starts: Ends,
    goals: Ends,
    own: int,
    foreign: Collection[int],
    *,
    soft: bool = False,
    straight: bool = False,
    within: bytearray | None = None,
    reached: set[int] | None = None,
) -> FoundRoute | None:
    """Return the cheapest route between two sets of ports with costs, or None.

    `own` is the number of the edge or its bundle, and `foreign` are the frames that contain none of its ends. A `soft`
    search may cross labels and foreign frames, and follow other edges, at a cost. A `straight` route has no bends.
    `within` is a mask of cells closed outside of a corridor. A search without a result adds the visited cells to
    `reached`.
    """
    (level, upright), text = grid.used, grid.text
    closed = grid.closed_cells(None if soft else foreign) if within is None else within
    ends: dict[int, tuple[Port, float]] = {}
    for port, price in goals:
        state = port.cell * 4 + (port.way + 2) % 4
        if state not in ends or price < ends[state][1]:
            ends[state] = (port, price)
    best = [inf] * (4 * len(text))  # a visited state has a negative cost
    arrived: dict[int, float] = {}
    before: dict[int, int] = {}
    first: dict[int, Port] = {}
    queue: list[tuple[float, int]] = []
    for port, price in starts:
        state = port.cell * 4 + port.way
        if grid.walls[port.cell] or (grid.used[port.way % 2][port.cell] not in (0, own) and not soft):
            continue
        if price < best[state]:
            best[state], first[state] = price, port
            heappush(queue, (price, state))
    if not ends or not queue:
        return None
    passing: Sequence[_Passing] = [_Anyhow(grid, axis, own, foreign) for axis in (0, 1)] if soft else grid.open
    free, held = ([_moves(grid, way, passing, each) for way in range(4)] for each in _turns(soft, straight))
    leads = _leads(grid, list(ends), _eagerness(grid, soft=soft, narrow=within is not None))
    spent = 0
    ahead: tuple[float, int] | None = None  # straight on, usually the next state
    most = _PLACES_LIMIT if grid.dense and not soft else inf
    while (queue or ahead) and spent < most:
        state = (heappushpop(queue, ahead) if ahead else heappop(queue))[1]
        ahead = None
        if state < 0:
            grid.spent += spent + 1
            return _trace_route(-state, before, first, ends, arrived[-state], soft)
        cost = best[state]
        if cost < 0:
            continue
        best[state] = -1.0
        spent += 1
        if state in ends and state in before:
            price = cost + ends[state][1]
            if price < arrived.get(state, inf):
                arrived[state] = price
                heappush(queue, (price, -state))
        cell = state >> 2
        here, there = level[cell], upright[cell]
        # no edge bends at the crossing with another one
        others = (here and here != own) or (there and there != own)
        for turn, step, prices, lines, corner in (held if others else free)[state & 3]:
            near = cell + step
            if closed[near]:
                continue
            price = prices[near]
            if price == inf:
                if lines[near] != own or text[near]:
                    continue
                price = _SHARED_COST
            price += cost
            if corner:
                price += corner if state not in first else corner + _EARLY_COST
            following = near * 4 + turn
            if price < best[following]:
                best[following], before[following] = price, state
                lead, aside, along, beside = leads[turn]
                place = along[near]
                far = price + lead[place] + aside[place][beside[near]]
                if corner:
                    heappush(queue, (far, following))
                else:
                    ahead = far, following
    grid.spent += spent
    if reached is not None:
        reached.update(state >> 2 for state in before)
    return None


class _Anyhow(dict[int, float]):
    """Costs of passing cells along an axis for a soft search, computed at first use."""

    def __init__(self, grid: RouteGrid, axis: int, own: int, foreign: Collection[int]) -> None:
        self.grid, self.axis, self.own, self.foreign = grid, axis, own, foreign

    def __missing__(self, cell: int) -> float:
        grid, along = self.grid, self.grid.used[self.axis][cell]
        price = _SHARED_COST if along == self.own else grid.prices[self.axis][cell] + (_ON_LINE_COST if along else 0.0)
        price += TEXT_COST * (grid.text[cell] > 0) + _FOREIGN_COST * (grid.zone[cell] in self.foreign)
        self[cell] = price
        return price


_Passing = list[float] | _Anyhow
_Move = tuple[int, int, _Passing, list[int], float]


def _turns(soft: bool, straight: bool) -> tuple[float, float]:
    """Return the costs of a bend in free cells and in cells of other edges; infinity if not allowed."""
    return (inf, inf) if straight else (TURN_COST, TURN_COST + _ON_LINE_COST if soft else inf)


def _moves(grid: RouteGrid, way: int, passing: Sequence[_Passing], corner: float) -> list[_Move]:
    """Return the possible steps in a direction.

    A step has the new direction, the offset of the cell number, the costs of cells, their edges, and the cost of a
    bend.
    """
    ways = (way,) if corner == inf else (way, (way + 1) % 4, (way + 3) % 4)
    steps = (dx * grid.tall + dy for dx, dy in (STEPS[turn] for turn in ways))
    return [
        (turn, step, passing[turn % 2], grid.used[turn % 2], corner if turn != way else 0.0)
        for turn, step in zip(ways, steps, strict=True)
    ]


_Lead = tuple[list[float], list[list[float]], list[int], list[int]]


def _eagerness(grid: RouteGrid, *, soft: bool, narrow: bool) -> float:
    """Return the weight of the heuristic."""
    tired = grid.spent > _PLACES_LIMIT
    if soft:
        return _BLOCKED_WEIGHT
    if narrow:
        return _HASTY_WEIGHT if tired else _CALM_WEIGHT
    return _TIRED_WEIGHT if tired else _CALM_WEIGHT if grid.dense else _USUAL_WEIGHT


def _leads(grid: RouteGrid, ends: Sequence[int], eager: float) -> list[_Lead]:
    """Return the heuristic by direction: the estimated cost from a cell to the ends.

    For each direction: a cost by the coordinate along it, the rest by both coordinates, and the two coordinates of all
    cells.
    """
    sizes, places = (grid.wide, grid.tall), (grid.column, grid.row)
    reach, bare, turned = [], [], []
    for axis in (0, 1):
        at = [divmod(state // 4, grid.tall)[axis] for state in ends]
        low, high = min(at), max(at)
        steps = [max(low - place, place - high, 0) for place in range(sizes[axis])]
        reach.append((low, high))
        bare.append([step * eager for step in steps])
        turned.append([step * eager + (TURN_COST if step else 0.0) for step in steps])
    found = []
    for way, (dx, dy) in enumerate(STEPS):
        axis, (low, high) = way % 2, reach[way % 2]
        away = [place > high if dx + dy > 0 else place < low for place in range(sizes[axis])]
        lead = [price + (2 * TURN_COST if gone else 0.0) for price, gone in zip(bare[axis], away, strict=True)]
        aside = [bare[1 - axis] if gone else turned[1 - axis] for gone in away]
        found.append((lead, aside, places[axis], places[1 - axis]))
    return found


def _trace_route(
    state: int,
    before: dict[int, int],
    first: dict[int, Port],
    ends: dict[int, tuple[Port, float]],
    cost: float,
    soft: bool,
) -> FoundRoute:
    goal, cells = ends[state][0], [state // 4]
    while state in before:
        state = before[state]
        cells.append(state // 4)
    return FoundRoute(first[state], goal, tuple(cells[::-1]), cost, soft)


def cost_off_center(port: Port) -> float:
    """Return the cost of an end away from the middle of its side."""
    return port.aside / UNIT * 0.3


def least_cost(grid: RouteGrid, starts: Sequence[Port], goals: Sequence[Port]) -> float:
    """Return a lower bound of the route cost between two sets of ports, on an empty grid.

    The bound is not valid for an edge that shares its route with a bundle.
    """
    ends = [(*divmod(port.cell, grid.tall), (port.way + 2) % 4, cost_off_center(port)) for port in goals]
    least = inf
    for port in starts:
        (x, y), (dx, dy), price = divmod(port.cell, grid.tall), STEPS[port.way], cost_off_center(port)
        for u, v, way, more in ends:
            found = price + more + abs(u - x) + abs(v - y)
            if found < least:
                ahead, beside = (u - x) * dx + (v - y) * dy, (u - x) * dy + (v - y) * dx
                corners = 1 if (way - port.way) % 2 else 0 if way == port.way and not beside and ahead >= 0 else 2
                least = min(least, found + corners * TURN_COST)
    return least
