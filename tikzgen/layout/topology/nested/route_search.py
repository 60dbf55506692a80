"""The way of one line through the grid: short, with few corners and crossings, on no other line, through nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush

from tikzgen.base.record import Record
from tikzgen.layout.topology.nested.route_grid import STEPS, UNIT, Grid, Port

TEXT = 20.0  # what it costs to pass over a text, in steps of the grid,
_TURN, _EARLY, _FRAME = 16.0, 3.0, 14.0  # to turn, to turn right at the start, to pass through the frame of others,
_SHARED, _ON = 0.25, 60.0  # on a line of the same bundle, on any other one
_EAGER, _HASTY = 1.25, 1.6  # how much nearer the goal seems to be for each step: the search looks about less,
_TIRED, _LONG = 4.0, 60_000  # and least after so many places, for then lines are in each other's way everywhere,
_MANY = 60  # where there are more lines than these, much less
INFINITE = float("inf")


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
    tall, text, used, price_of, column, row = grid.tall, grid.text, grid.used, grid.prices, grid.column, grid.row
    eager = _TIRED if grid.spent > _LONG else _EAGER if len(grid.graph.lines) <= _MANY else _HASTY
    closed = grid.closed(None if soft else foreign)
    zone = grid.zone if soft else ()
    moves = [dx * tall + dy for dx, dy in STEPS]
    turns = [(way,) if straight else (way, (way + 1) % 4, (way + 3) % 4) for way in range(4)]
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
    xs, ys = [state // 4 // tall for state in ends], [state // 4 % tall for state in ends]
    left, right, high, low = min(xs), max(xs), min(ys), max(ys)
    done: set[int] = set()
    while queue:
        state = heappop(queue)[1]
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
        cell, way = state >> 2, state & 3
        # no line turns where another one passes
        level, upright = used[0][cell], used[1][cell]
        held = (level and level != own) or (upright and upright != own)
        for turn in turns[way][:1] if held and not soft else turns[way]:
            near = cell + moves[turn]
            following = near * 4 + turn
            if closed[near] or following in done:
                continue
            axis = turn & 1
            price = cost + price_of[axis][near]
            if turn != way:
                price += _TURN if state not in first else _TURN + _EARLY
                if held:
                    price += _ON
            along = used[axis][near]
            if along:
                if along == own:
                    price += _SHARED - price_of[axis][near]
                elif not soft:
                    continue
                else:
                    price += _ON
            if text[near]:
                if not soft:
                    continue
                price += TEXT
            if soft and zone[near] in foreign:
                price += _FRAME
            if price < best.get(following, INFINITE):
                best[following], before[following] = price, state
                x, y = column[near], row[near]
                dx = left - x if x < left else x - right if x > right else 0
                dy = high - y if y < high else y - low if y > low else 0
                corners = 0
                if (
                    (x < left and turn == 2)
                    or (x > right and turn == 0)
                    or (y < high and turn == 3)
                    or (y > low and turn == 1)
                ):
                    corners = 2  # it leads away
                elif (dx and dy) or (dx if axis else dy):
                    corners = 1
                heappush(queue, (price + (dx + dy) * eager + corners * _TURN, following))
    grid.spent += len(done)
    return None


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
    return port.aside / UNIT * 0.3
