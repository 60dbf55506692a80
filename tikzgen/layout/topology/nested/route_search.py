"""The way of one line over a grid of cells: short, with few corners and crossings, on no other, through nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush, heappushpop
from math import inf

from tikzgen.base.record import Record
from tikzgen.layout.topology.nested.route_grid import STEPS, UNIT, Ends, Port, RouteGrid

TEXT_COST = 20.0  # steps of the grid that it costs to pass over a text
TURN_COST = 26.0  # steps of the grid that it costs to turn
_EARLY_COST = 3.0  # steps more, to turn right at the start
_FOREIGN_COST = 14.0  # steps, to pass through the frame of others
_SHARED_COST = 0.25  # steps, for each on a line of the same bundle
_ON_LINE_COST = 20.0  # steps, for each on any other line
_USUAL_WEIGHT = 1.25  # times the cost of the steps ahead: a greater guess makes the search shorter
_TIRED_WEIGHT = 4.0  # times, once it looked at _PLACES_LIMIT places: lines are in each other's way everywhere
_PLACES_LIMIT = 60_000  # places looked at; one line among many then is taken to have no clear way
_CALM_WEIGHT = 1.6  # times, among many lines, and in a corridor, where ways differ less
_HASTY_WEIGHT = 2.5  # times, in a corridor once it looked at so many places
_BLOCKED_WEIGHT = 8.0  # times, where no way is clear: what it passes over costs many times as much as a step


class FoundRoute(Record):
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
    """The cheapest way between two sets of ports, each with what it costs.

    `own` is the number of the line or its bundle, `foreign` are the frames that hold none of its ends. A `soft` search
    may pass over texts, through the frames of others and along other lines where there is no other way, a `straight`
    one turns nowhere. One `within` a corridor keeps to what is not closed there; where it finds none, the cells that it
    has `reached` are told.
    """
    (level, upright), text = grid.used, grid.text
    closed = grid.closed_cells(None if soft else foreign) if within is None else within
    ends: dict[int, tuple[Port, float]] = {}
    for port, price in goals:
        state = port.cell * 4 + (port.way + 2) % 4
        if state not in ends or price < ends[state][1]:
            ends[state] = (port, price)
    best = [inf] * (4 * len(text))  # what has been looked at has less than nothing
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
    ahead: tuple[float, int] | None = None  # straight on, which most often comes next
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
        # no line turns where another one passes
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
    """What cells cost a line along an axis that passes through whatever is there; looked up when it comes near."""

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
    """What it costs to turn, in free cells and in those of other lines; without end where that is not allowed."""
    return (inf, inf) if straight else (TURN_COST, TURN_COST + _ON_LINE_COST if soft else inf)


def _moves(grid: RouteGrid, way: int, passing: Sequence[_Passing], corner: float) -> list[_Move]:
    """Where a line that runs some way may go on: the new way, how far that cell is by number, what it costs to pass
    there, who does, and what it costs to turn.
    """
    ways = (way,) if corner == inf else (way, (way + 1) % 4, (way + 3) % 4)
    steps = (dx * grid.tall + dy for dx, dy in (STEPS[turn] for turn in ways))
    return [
        (turn, step, passing[turn % 2], grid.used[turn % 2], corner if turn != way else 0.0)
        for turn, step in zip(ways, steps, strict=True)
    ]


_Lead = tuple[list[float], list[list[float]], list[int], list[int]]


def _eagerness(grid: RouteGrid, *, soft: bool, narrow: bool) -> float:
    """How much nearer the goal seems to be for each step."""
    tired = grid.spent > _PLACES_LIMIT
    if soft:
        return _BLOCKED_WEIGHT
    if narrow:
        return _HASTY_WEIGHT if tired else _CALM_WEIGHT
    return _TIRED_WEIGHT if tired else _CALM_WEIGHT if grid.dense else _USUAL_WEIGHT


def _leads(grid: RouteGrid, ends: Sequence[int], eager: float) -> list[_Lead]:
    """How far the ends seem to be from a cell, by the way in which a line comes there.

    For each way, by the place along it: a part, and the rest by the place beside it; and the places of all cells.
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
    """What it costs to meet an entity away from the middle of its side."""
    return port.aside / UNIT * 0.3


def least_cost(grid: RouteGrid, starts: Sequence[Port], goals: Sequence[Port]) -> float:
    """What no way between two sets of ports costs less than, where it shares none with a bundle: as if nothing else
    were on the paper.
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
