"""Corridors of a dense grid: blocks of cells that an edge best passes, and its route within them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import reduce
from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from operator import itemgetter, or_

from tikzgen.layout.topology.routing.find_cheapest_route import TURN_COST, FoundRoute, search
from tikzgen.layout.topology.routing.route_grid import BLOCK_CELLS, Ends, RouteGrid

_GOAL_WEIGHT = 1.5  # times the cost of the blocks ahead: a greater guess makes the search shorter
_TRIES = 4  # corridors to try; each avoids the steps that blocked the previous ones

_Pass = tuple[int, int]
"""Two adjacent blocks, in the order of the route."""


class Corridors:
    """Blocks, numbered `x * tall + y` like cells; a search state is a block and the axis of the edge."""

    def __init__(self, grid: RouteGrid) -> None:
        self.grid, self.tall = grid, -(-grid.tall // BLOCK_CELLS)
        self.wide = -(-grid.wide // BLOCK_CELLS)
        self._lanes = [[list(self._rows(block)), list(self._columns(block))] for block in range(self.wide * self.tall)]
        self._zones = [[[_bits(grid.zone[lane]) for lane in each] for each in lanes] for lanes in self._lanes]
        # by axis and block: minimum costs of a straight passage, by the crossed frames as bits
        self._prices = [[self._least_cost_through(axis, block) for block in range(len(self._lanes))] for axis in (0, 1)]

    def find_route(self, starts: Ends, goals: Ends, own: int, foreign: Collection[int]) -> FoundRoute | None:
        """Return the route of an edge in the cheapest corridor that has one; None after a few corridors."""
        self._refresh()
        barred: set[_Pass] = set()
        ends = dict.fromkeys(self.grid.block[port.cell] for port, _ in (*starts, *goals))
        for _ in range(_TRIES):
            corridor = self._corridor(starts, goals, foreign, barred)
            reached: set[int] = set()
            closed = self._closed_but(dict.fromkeys([*corridor, *ends]), foreign)
            way = search(self.grid, starts, goals, own, foreign, within=closed, reached=reached) if corridor else None
            seen = {self.grid.block[cell] for cell in reached}
            blocked = [step for step in pairwise(corridor) if step[0] in seen and step[1] not in seen]
            if way is not None or not blocked:
                return way
            barred.update(blocked)
        return None

    def _columns(self, block: int) -> Iterator[slice]:
        """Yield the cells of a block by columns."""
        tall = self.grid.tall
        x, y = block // self.tall * BLOCK_CELLS, block % self.tall * BLOCK_CELLS
        for column in range(x, min(x + BLOCK_CELLS, self.grid.wide)):
            yield slice(column * tall + y, column * tall + min(y + BLOCK_CELLS, tall))

    def _rows(self, block: int) -> Iterator[slice]:
        """Yield the cells of a block by rows."""
        tall = self.grid.tall
        x, y = block // self.tall * BLOCK_CELLS, block % self.tall * BLOCK_CELLS
        last = min(x + BLOCK_CELLS, self.grid.wide) - 1
        for row in range(y, min(y + BLOCK_CELLS, tall)):
            yield slice(x * tall + row, last * tall + row + 1, tall)

    def _closed_but(self, blocks: Iterable[int], foreign: Collection[int]) -> bytearray:
        """Return the cells closed to an edge that stays in some blocks, as a mask."""
        usual = self.grid.closed_cells(foreign)
        closed = bytearray(b"\x01") * len(usual)
        for block in blocks:
            for column in self._lanes[block][1]:
                closed[column] = usual[column]
        return closed

    def _refresh(self) -> None:
        """Update the costs of blocks that have changed."""
        for axis, stale in enumerate(self.grid.stale):
            for block in sorted(stale):
                self._prices[axis][block] = self._least_cost_through(axis, block)
            stale.clear()

    def _least_cost_through(self, axis: int, block: int) -> list[tuple[int, float]]:
        """Return the minimum costs of a straight passage of a block, by crossed frames, cheapest first."""
        passing, prices = self.grid.open[axis], dict[int, float]()
        for zones, lane in zip(self._zones[block][axis], self._lanes[block][axis], strict=True):
            prices[zones] = min(sum(passing[lane]), prices.get(zones, inf))
        return sorted(((zones, price) for zones, price in prices.items() if price < inf), key=itemgetter(1))

    def _corridor(self, starts: Ends, goals: Ends, foreign: Collection[int], barred: Collection[_Pass]) -> list[int]:
        """Return the blocks of the cheapest corridor in order, or an empty list."""
        number, shut = self.grid.block, sum(1 << frame for frame in foreign)
        ends = {number[port.cell] * 2 + port.way % 2 for port, _ in goals}
        last = {state >> 1 for state in ends}
        far = self._far(last)
        best: dict[int, float] = {}
        before: dict[int, int] = {}
        queue: list[tuple[float, int]] = []

        def reach(state: int, price: float, by: int | None) -> None:
            if price < best.get(state, inf):
                best[state] = price
                if by is not None:
                    before[state] = by
                heappush(queue, (price + far[state >> 1], state))

        for port, price in starts:
            reach(number[port.cell] * 2 + port.way % 2, price, None)
        done: set[int] = set()
        while queue:
            state = heappop(queue)[1]
            if state in done:
                continue
            done.add(state)
            if state in ends:
                break
            block, axis, cost = state >> 1, state & 1, best[state]
            reach(state ^ 1, cost + TURN_COST, state)
            prices, step = self._prices[axis], 1 if axis else self.tall
            for near in (block - step, block + step):
                if not 0 <= near < len(prices) or (block, near) in barred:
                    continue
                if near in last:
                    reach(near * 2 + axis, cost + BLOCK_CELLS, state)
                    continue
                for zones, price in prices[near]:
                    if not zones & shut:
                        reach(near * 2 + axis, cost + price, state)
                        break
        else:
            return []
        self.grid.spent += len(done)
        return _trace_blocks(state, before)

    def _far(self, goals: Collection[int]) -> list[float]:
        """Return the estimated cost from each block to the goals."""
        places = [divmod(block, self.tall) for block in goals]
        across, down = (
            [_GOAL_WEIGHT * BLOCK_CELLS * max(min(at) - place, place - max(at), 0) for place in range(size)]
            for size, at in zip((self.wide, self.tall), zip(*places, strict=True), strict=True)
        )
        return [one + other for one in across for other in down]


def _bits(zones: Iterable[int]) -> int:
    return reduce(or_, (1 << zone for zone in zones))


def _trace_blocks(state: int, before: Mapping[int, int]) -> list[int]:
    """Return the blocks that lead to a state, each once."""
    found = [state >> 1]
    while state in before:
        state = before[state]
        if state >> 1 != found[-1]:
            found.append(state >> 1)
    return found[::-1]
