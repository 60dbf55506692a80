"""A bus: a trunk out of the middle of one entity, a bar across it, and straight ends into all that it serves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf

from tikzgen.base.record import Record
from tikzgen.layout.topology.nested.route_grid import Port, RouteGrid
from tikzgen.layout.topology.nested.route_search import TEXT_COST, TURN_COST, FoundRoute, search

_STUB = 0.3  # cm of an end beyond the bar: there is an arrow
_OFF = 20.0  # what it costs to meet an entity beside the middle of its side, a cm
_SIDE = 1.0  # what it costs an end to lie one cell less on the side of the middle where the others do
_PORT_LIMIT = 4  # ports on a side that a trunk tries, those nearest to the middle
_ASIDE = 0.5  # cm from there at most for an end that is in line with the trunk
_TURN_LIMIT = 4  # turns of a trunk that has no straight way


class _Reach(Record):
    """A port, and what it costs to come from it straight to each place across the bars of an axis."""

    port: Port
    at: int
    prices: Mapping[int, float]


class _Bar(Record):
    """A bar along an axis at a place across it, with the ends that leave it, and what both cost."""

    axis: int
    place: int
    ends: tuple[_Reach, ...]
    cost: float

    def cell(self, grid: RouteGrid, at: int) -> int:
        """The cell of it that is there along its axis."""
        return at * grid.tall + self.place if self.axis == 0 else self.place * grid.tall + at

    def cells(self, grid: RouteGrid, more: Collection[int] = ()) -> Iterator[int]:
        """All its cells, as far as there is `more` than its ends."""
        places = [*more, *(end.at for end in self.ends)]
        return (self.cell(grid, at) for at in range(min(places), max(places) + 1))


def bus(
    grid: RouteGrid,
    hub: Sequence[Port],
    served: Sequence[Sequence[Port]],
    own: int,
    foreign: Sequence[Collection[int]],
) -> list[FoundRoute] | None:
    """The ways from an entity to all that it serves, by the ports of each; none where no clear bus is.

    `foreign` are for each the frames that its line has no business in. The trunk turns where it has no straight way.
    """
    beyond = frozenset().union(*foreign)
    straight: tuple[float, _Bar, _Reach] | None = None
    bent: _Bar | None = None
    for axis in (0, 1):
        rooms = [_reaches(grid, ports, axis, own, each) for ports, each in zip(served, foreign, strict=True)]
        trunks = list(_trunks(grid, hub, axis, own, beyond))
        for place in sorted(set.intersection(*({at for end in room for at in end.prices} for room in rooms))):
            for trunk in trunks:
                if place in trunk.prices:
                    bar = _bar(axis, place, rooms, trunk)
                    cost = bar.cost + trunk.prices[place] + _turns(bar, trunk)
                    if (not straight or cost < straight[0]) and _meets(bar, trunk):
                        cost += _length(grid, bar, own, beyond, [trunk.at])
                        straight = (cost, bar, trunk) if not straight or cost < straight[0] else straight
            bar = _bar(axis, place, rooms)
            cost = bar.cost + _length(grid, bar, own, beyond) + _far(grid, hub, bar)
            bent = _Bar(axis, place, bar.ends, cost) if cost < (bent.cost if bent else inf) else bent
    if straight and straight[0] < inf:
        cost, bar, trunk = straight
        return _courses(grid, bar, trunk.port, (trunk.port.cell,), trunk.at, cost)
    return _route_bent_bus(grid, hub, bent, own, beyond) if bent else None


def _trunks(grid: RouteGrid, ports: Sequence[Port], axis: int, own: int, foreign: Collection[int]) -> Iterator[_Reach]:
    """The straight ways out of an entity to a bar: across it, or along it where the bar itself runs on into a side."""
    for way in range(4):
        near = sorted((port for port in ports if port.way == way), key=lambda port: (port.aside, port.cell))[
            :_PORT_LIMIT
        ]
        for port in near:
            if way % 2 != axis:
                yield from _reaches(grid, [port], axis, own, foreign, least=0.0)
            else:
                place, at = _split_cell(grid, port.cell, axis)
                yield _Reach(port, at, {place: port.aside * _OFF})


def _reaches(
    grid: RouteGrid, ports: Sequence[Port], axis: int, own: int, foreign: Collection[int], least: float = _STUB
) -> list[_Reach]:
    """How far each port sees straight across the bars of an axis."""
    closed, along, found = grid.closed_cells(foreign), 1 - axis, []
    for port in ports:
        if port.way % 2 == axis:
            continue
        turn = 1 if port.way < 2 else -1
        step = turn * (1 if along else grid.tall)
        place, at = _split_cell(grid, port.cell, axis)
        cost, cell, prices = port.aside * _OFF, port.cell, {}
        while not closed[cell] and grid.used[along][cell] in (0, own):
            cost += grid.prices[along][cell] + TEXT_COST * (grid.text[cell] > 0)
            far_enough = abs(grid.point_of(cell)[along] - port.place[along]) >= least
            if far_enough and grid.used[axis][cell] in (0, own):
                prices[place] = cost
            cell, place = cell + step, place + turn
        if prices:
            found.append(_Reach(port, at, prices))
    return found


def _split_cell(grid: RouteGrid, cell: int, axis: int) -> tuple[int, int]:
    """Where a cell is across the bars of an axis, and where along them."""
    x, y = grid.column[cell], grid.row[cell]
    return (y, x) if axis == 0 else (x, y)


def _bar(axis: int, place: int, rooms: Sequence[Sequence[_Reach]], trunk: _Reach | None = None) -> _Bar:
    """A bar with the ends that meet it with the least cost; in line with a trunk where that is near their middles.

    Where others have the middles, all pass these on one side.
    """
    choices = []
    for room in rooms:
        open_ = [end for end in room if place in end.prices]
        choices.append([end for end in open_ if trunk and end.at == trunk.at and end.port.aside < _ASIDE] or open_)
    found = []
    for side in (_SIDE, -_SIDE):
        ends = tuple(min(each, key=lambda end: (end.prices[place] + side * end.at, end.port.cell)) for each in choices)
        found.append(_Bar(axis, place, ends, sum(end.prices[place] for end in ends)))
    return min(found, key=lambda bar: bar.cost)


def _turns(bar: _Bar, trunk: _Reach) -> float:
    """What it costs that lines turn into the bar and out of it again."""
    turned = sum(end.at != trunk.at for end in bar.ends)
    return TURN_COST * turned * (1 if trunk.port.way % 2 == bar.axis else 2)


def _meets(bar: _Bar, trunk: _Reach) -> bool:
    """Whether a trunk meets a bar: all ends lie before one that runs along it."""
    sign = 1 if trunk.port.way < 2 else -1
    return trunk.port.way % 2 != bar.axis or all((end.at - trunk.at) * sign > 0 for end in bar.ends)


def _length(grid: RouteGrid, bar: _Bar, own: int, foreign: Collection[int], more: Collection[int] = ()) -> float:
    """What a bar costs by its length and by what it crosses; without end where something is in its way."""
    closed, used, prices, cost = grid.closed_cells(foreign), grid.used[bar.axis], grid.prices[bar.axis], 0.0
    for cell in bar.cells(grid, more):
        if closed[cell] or used[cell] not in (0, own):
            return inf
        cost += prices[cell] + TEXT_COST * (grid.text[cell] > 0)
    return cost


def _far(grid: RouteGrid, hub: Sequence[Port], bar: _Bar) -> float:
    """How far a bar is from an entity, in steps."""
    ats = [end.at for end in bar.ends]
    places = (_split_cell(grid, port.cell, bar.axis) for port in hub)
    return min((abs(place - bar.place) + max(min(ats) - at, at - max(ats), 0) for place, at in places), default=inf)


def _route_bent_bus(
    grid: RouteGrid, hub: Sequence[Port], bar: _Bar, own: int, foreign: Collection[int]
) -> list[FoundRoute] | None:
    """A bus whose trunk turns on its way to the bar."""
    cells = list(bar.cells(grid))
    goals = [
        (Port(cell, way, grid.point_of(cell), 0.0), 0.0) for cell in cells for way in (bar.axis + 1, (bar.axis + 3) % 4)
    ]
    goals += [(Port(cells[end], bar.axis + 2 * (not end), grid.point_of(cells[end]), 0.0), 0.0) for end in (0, -1)]
    trunk = search(grid, [(port, port.aside * _OFF) for port in hub], goals, own, foreign)
    if trunk is None:
        return None
    steps = [other - one for one, other in pairwise(trunk.cells)]
    turns = sum(one != other for one, other in pairwise(steps))
    if turns > _TURN_LIMIT:
        return None
    _, at = _split_cell(grid, trunk.cells[-1], bar.axis)
    cost = bar.cost + trunk.cost + TURN_COST * (turns + 2) * len(bar.ends)
    return _courses(grid, bar, trunk.start, trunk.cells, at, cost)


def _courses(grid: RouteGrid, bar: _Bar, start: Port, trunk: Sequence[int], at: int, cost: float) -> list[FoundRoute]:
    """The ways over the bar, which the trunk meets there along it."""
    found = []
    for end in bar.ends:
        corners = [trunk[-1], bar.cell(grid, at), bar.cell(grid, end.at), end.port.cell]
        cells = [*trunk]
        for one, other in pairwise(corners):
            if one != other:
                step = (grid.tall if (other - one) % grid.tall == 0 else 1) * (1 if other > one else -1)
                cells += range(one + step, other + step, step)
        found.append(FoundRoute(start, end.port, tuple(cells), cost / len(bar.ends)))
    return found
