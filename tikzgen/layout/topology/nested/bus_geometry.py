"""Routes of a bus: a trunk out of a node, a bar across it, and straight ends to the served nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import inf

from tikzgen.base.record import Record, replace
from tikzgen.layout.topology.nested.nested_graph import Graph, GraphEdge
from tikzgen.layout.topology.nested.placed_nodes import Placed
from tikzgen.layout.topology.routing.find_cheapest_route import TEXT_COST, TURN_COST, FoundRoute, search
from tikzgen.layout.topology.routing.route_grid import Port, RouteGrid

_STUB = 0.3  # cm of an end beyond the bar, for an arrowhead
_OFF = 20.0  # cost per cm between an end and the middle of its side
_SIDE = 1.0  # cost per cell, so that all ends are on one side of the occupied middles
_OTHER_SIDE = 5.0  # cost of an end on the other side of the middle, if another bus may run through the channel
_OTHER_LIMIT = 4  # ends on the other side, from which a bus changes its side
_PORT_LIMIT = 4  # ports on a side that a trunk tries, nearest to the middle
_ASIDE = 0.5  # maximum cm between the middle and an end that is aligned with the trunk
_CHANNEL_CM = 2.0  # cm between the junction of a mesh and its trunk, at most
_BARS_LIMIT = 4  # places of a bar for which a trunk is searched
_TURN_LIMIT = 4  # maximum bends of a trunk without a straight route


Channel = tuple[int, float, float]
"""The axis along a bar, and an interval of its coordinate on the other axis, in cm."""


class _Reach(Record):
    """A port, and the costs of a straight line from it to each coordinate across an axis."""

    port: Port
    at: int
    prices: Mapping[int, float]


class _Bar(Record):
    """A bar along an axis, its coordinate across it, its ends, and their total cost."""

    axis: int
    place: int
    ends: tuple[_Reach, ...]
    cost: float

    def cell(self, grid: RouteGrid, at: int) -> int:
        """Return the cell of the bar at a coordinate along its axis."""
        return at * grid.tall + self.place if self.axis == 0 else self.place * grid.tall + at

    def cells(self, grid: RouteGrid, more: Collection[int] = ()) -> Iterator[int]:
        """Return the cells of the bar, between its outermost ends and `more` coordinates."""
        places = [*more, *(end.at for end in self.ends)]
        return (self.cell(grid, at) for at in range(min(places), max(places) + 1))


def find_channel(graph: Graph, placed: Placed, lines: Sequence[GraphEdge]) -> Channel | None:
    """Return the space around the junction of a mesh, between its sides or next to them, or None."""
    nodes = {name for line in lines if line.mesh for name in line.ends}
    for mesh, at in zip(graph.meshes, placed.junctions, strict=True):
        if at is None or nodes != {*mesh.sides[0], *mesh.sides[1]}:
            continue
        feet = [[placed.box(name, graph.by_id[name].foot) for name in side] for side in mesh.sides]
        for axis in (0, 1):
            low, high = at[axis] - _CHANNEL_CM, at[axis] + _CHANNEL_CM
            for side in feet:
                least, most = min(box[axis] for box in side), max(box[axis + 2] for box in side)
                low, high = (max(low, most), high) if most <= at[axis] else (low, min(high, least))
            if low < at[axis] < high:
                return 1 - axis, low, high
    return None


def bus(
    grid: RouteGrid,
    hub: Sequence[Port],
    served: Sequence[Sequence[Port]],
    own: int,
    foreign: Sequence[Collection[int]],
    channel: Channel | None = None,
) -> list[FoundRoute] | None:
    """Return the routes from a node to the nodes that it serves, or None without a clear bus.

    `served` has the ports of each node, and `foreign` the frames that its edge must not enter. The trunk bends if it
    has no straight route. A `channel` contains the bar.
    """
    beyond, other_side = frozenset().union(*foreign), _OTHER_SIDE if channel else 0.0
    sides = [_find_side(grid, served, axis, own, foreign) for axis in (0, 1)]
    if channel:
        axis, low, high = channel
        held = {one: cost for one, cost in sides[axis].bounds.items() if low < grid.find_coordinate(one) < high}
        sides = [replace(sides[axis], bounds=held)]
    straight: tuple[tuple[float, ...], _Bar, _Reach] | None = None
    for side in sides:
        trunks = list(_find_trunks(grid, hub, side.axis, own, beyond))
        options = [
            (bound + trunk.prices[place], place, number)
            for place, bound in side.bounds.items()
            for number, trunk in enumerate(trunks)
            if place in trunk.prices
        ]
        for bound, place, number in sorted(options):
            most, trunk = straight[0][0] if straight else inf, trunks[number]
            if bound > most:
                break
            bar = _bar(side.axis, place, side.rooms, trunk, other_side)
            cost = bar.cost + trunk.prices[place] + _count_turns(bar, trunk)
            if cost <= most and _meets(bar, trunk):
                cost += _measure_length(grid, bar, own, beyond, [trunk.at])
                key = cost, side.axis, place, number  # of equal costs, the first place counts
                straight = (key, bar, trunk) if cost < inf and (not straight or key < straight[0]) else straight
    if straight:
        (cost, *_), bar, trunk = straight
        return _make_courses(grid, bar, trunk.port, (trunk.port.cell,), trunk.at, cost)
    bent: tuple[tuple[float, ...], _Bar] | None = None
    for side in sides:
        for bound, place in sorted((bound, place) for place, bound in side.bounds.items()):
            if bent and bound > bent[0][0]:
                break
            bar = _bar(side.axis, place, side.rooms, None, other_side)
            cost = bar.cost + _measure_length(grid, bar, own, beyond) + _far(grid, hub, bar)
            order = cost, side.axis, place
            bent = (order, replace(bar, cost=cost)) if cost < inf and (not bent or order < bent[0]) else bent
    return _route_bent_bus(grid, hub, bent[1], own, beyond) if bent else None


def comb(
    grid: RouteGrid,
    hub: Sequence[Port],
    served: Sequence[Sequence[Port]],
    own: int,
    foreign: Sequence[Collection[int]],
    *,
    merged: bool,
) -> list[FoundRoute] | None:
    """Return the routes from a node to nodes in several rows or columns, each with its bar, or None.

    Later bars begin at earlier lines. If `merged`, rows may share a bar, and the node may be between them.
    """
    axes = (0, 1) if merged else [axis for axis in (0, 1) if _is_outside(hub, served, 1 - axis)][:1]
    found = [ways for axis in axes if (ways := _route_comb(grid, hub, served, own, foreign, axis, merged=merged))]
    return min(found, key=lambda ways: sum(way.cost for way in ways), default=None)


def _is_outside(hub: Sequence[Port], served: Sequence[Sequence[Port]], axis: int) -> bool:
    """Return whether a node is before or after all nodes that it serves, on an axis."""
    ends, places = ([port.place[axis] for ports in each for port in ports] for each in ([hub], served))
    return max(ends) < min(places) or max(places) < min(ends)


def _route_comb(
    grid: RouteGrid,
    hub: Sequence[Port],
    served: Sequence[Sequence[Port]],
    own: int,
    foreign: Sequence[Collection[int]],
    axis: int,
    *,
    merged: bool,
) -> list[FoundRoute] | None:
    """Return the routes with bars along an axis, or None."""
    found: dict[int, FoundRoute] = {}
    tree: dict[int, tuple[Port, tuple[int, ...]]] = {}
    for row in _group_rows(grid, hub, served, own, foreign, axis, merged=merged):
        ports, walls = [served[index] for index in row], [foreign[index] for index in row]
        if not tree:
            ways = bus(grid, hub, ports, own, walls)
        else:
            ways = _branch_off(grid, tree, _find_side(grid, ports, axis, own, walls), own, frozenset().union(*walls))
        if not ways:
            return None
        found |= dict(zip(row, ways, strict=True))
        for way in ways:
            reach = len(way.cells) - way.count_last_cells()
            tree |= {
                cell: (way.start, way.cells[: at + 1]) for at, cell in enumerate(way.cells[:reach]) if cell not in tree
            }
    return [found[index] for index in range(len(served))]


def _group_rows(
    grid: RouteGrid,
    hub: Sequence[Port],
    served: Sequence[Sequence[Port]],
    own: int,
    foreign: Sequence[Collection[int]],
    axis: int,
    *,
    merged: bool,
) -> list[list[int]]:
    """Return the indices of nodes in rows along an axis, from the hub outward; one bar serves a row."""

    def locate(ports: Sequence[Port]) -> float:
        return round(min(port.place[1 - axis] for port in ports if port.way % 2 != axis), 2)

    rows: dict[float, list[int]] = {}
    for index, ports in enumerate(served):
        rows.setdefault(locate(ports), []).append(index)
    found: list[list[int]] = []
    middle = locate(hub)
    for at in sorted(rows, key=lambda at: (abs(at - middle), at)):
        joined = [*found[-1], *rows[at]] if found and merged else []
        sides = joined and _find_side(
            grid, [served[index] for index in joined], axis, own, [foreign[index] for index in joined]
        )
        if sides and sides.bounds:
            found[-1] = joined
        else:
            found.append(rows[at])
    return found


def _branch_off(
    grid: RouteGrid,
    tree: Mapping[int, tuple[Port, tuple[int, ...]]],
    side: _Side,
    own: int,
    foreign: Collection[int],
) -> list[FoundRoute] | None:
    """Return routes over a new bar, which begins at a cell of the `tree`: the routes to these cells."""
    used = grid.used
    starts = [
        (Port(cell, way, grid.point_of(cell), 0.0), 0.0)
        for cell in tree
        if {used[0][cell], used[1][cell]} <= {0, own}
        for way in range(4)
    ]
    ports = [port for port, _ in starts[::4]]
    bars = []
    for place in side.bounds:
        bar = _bar(side.axis, place, side.rooms, None, 0.0)
        cost = bar.cost + _measure_length(grid, bar, own, foreign)
        if cost < inf:
            bars.append((cost + _far(grid, ports, bar), place, bar))
    for cost, _, bar in sorted(bars, key=lambda each: each[:2])[:_BARS_LIMIT]:
        trunk = search(grid, starts, _list_goals(grid, bar), own, foreign)
        if trunk:
            start, before = tree[trunk.cells[0]]
            at = grid.split_cell(trunk.cells[-1], bar.axis)[1]
            return _make_courses(grid, bar, start, (*before[:-1], *trunk.cells), at, cost + trunk.cost)
    return None


class _Side(Record):
    """The lines from served nodes across an axis, and a lower bound of the cost of a bar at each possible place."""

    axis: int
    rooms: Sequence[Sequence[_Reach]]
    bounds: Mapping[int, float]


def _find_side(
    grid: RouteGrid, served: Sequence[Sequence[Port]], axis: int, own: int, foreign: Sequence[Collection[int]]
) -> _Side:
    rooms = [_measure_reaches(grid, ports, axis, own, each) for ports, each in zip(served, foreign, strict=True)]
    least: list[dict[int, float]] = []
    for room in rooms:
        prices: dict[int, float] = {}
        for place, price in (entry for end in room for entry in end.prices.items()):
            prices[place] = min(price, prices.get(place, price))
        least.append(prices)
    places = sorted(set.intersection(*map(set, least)))
    return _Side(axis, rooms, {place: sum(prices[place] for prices in least) for place in places})


def _find_trunks(
    grid: RouteGrid, ports: Sequence[Port], axis: int, own: int, foreign: Collection[int]
) -> Iterator[_Reach]:
    """Yield the straight trunks out of a node: across the bar, or along it if the bar starts at a side."""
    for way in range(4):
        near = sorted((port for port in ports if port.way == way), key=lambda port: (port.aside, port.cell))[
            :_PORT_LIMIT
        ]
        for port in near:
            if way % 2 != axis:
                yield from _measure_reaches(grid, [port], axis, own, foreign, least=0.0)
            else:
                place, at = grid.split_cell(port.cell, axis)
                yield _Reach(port, at, {place: port.aside * _OFF})


def _measure_reaches(
    grid: RouteGrid, ports: Sequence[Port], axis: int, own: int, foreign: Collection[int], least: float = _STUB
) -> list[_Reach]:
    """Return the straight lines from ports across an axis, with their costs."""
    closed, along, found = grid.closed_cells(foreign), 1 - axis, []
    for port in ports:
        if port.way % 2 == axis:
            continue
        turn = 1 if port.way < 2 else -1
        step = turn * (1 if along else grid.tall)
        place, at = grid.split_cell(port.cell, axis)
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


def _bar(axis: int, place: int, rooms: Sequence[Sequence[_Reach]], trunk: _Reach | None, other_side: float) -> _Bar:
    """Return a bar with its cheapest ends, aligned with a trunk if that is near the middles of sides.

    If the middles are occupied, all ends are on one side of them; an end on the `other_side` has that cost.
    """
    choices = []
    for room in rooms:
        open_ = [end for end in room if place in end.prices]
        choices.append([end for end in open_ if trunk and end.at == trunk.at and end.port.aside < _ASIDE] or open_)
    found = []
    for side in (_SIDE, -_SIDE):
        prices = partial(_rate_end, place, side, other_side)
        ends = tuple(min(each, key=prices) for each in choices)
        found.append(_Bar(axis, place, ends, sum(end.prices[place] for end in ends)))
    # in a channel, the side should not change if a box gets slightly smaller
    before, after = found
    return before if before.cost <= after.cost + _OTHER_LIMIT * other_side else after


def _rate_end(place: int, side: float, other_side: float, end: _Reach) -> tuple[float, int]:
    """Return the cost of an end of a bar, for ends before (positive `side`) or after the middles of sides."""
    return end.prices[place] + side * end.at + other_side * (end.port.before != (side > 0)), end.port.cell


def _count_turns(bar: _Bar, trunk: _Reach) -> float:
    """Return the cost of the bends where routes enter and leave the bar."""
    turned = sum(end.at != trunk.at for end in bar.ends)
    return TURN_COST * turned * (1 if trunk.port.way % 2 == bar.axis else 2)


def _meets(bar: _Bar, trunk: _Reach) -> bool:
    """Return whether a trunk meets a bar; a trunk along the bar must be before all ends."""
    sign = 1 if trunk.port.way < 2 else -1
    return trunk.port.way % 2 != bar.axis or all((end.at - trunk.at) * sign > 0 for end in bar.ends)


def _measure_length(
    grid: RouteGrid, bar: _Bar, own: int, foreign: Collection[int], more: Collection[int] = ()
) -> float:
    """Return the cost of a bar for its length and its crossings; infinity if it is blocked."""
    closed, used, prices, cost = grid.closed_cells(foreign), grid.used[bar.axis], grid.prices[bar.axis], 0.0
    for cell in bar.cells(grid, more):
        if closed[cell] or used[cell] not in (0, own):
            return inf
        cost += prices[cell] + TEXT_COST * (grid.text[cell] > 0)
    return cost


def _far(grid: RouteGrid, hub: Sequence[Port], bar: _Bar) -> float:
    """Return the distance from a node to a bar, in cells."""
    ats = [end.at for end in bar.ends]
    places = (grid.split_cell(port.cell, bar.axis) for port in hub)
    return min((abs(place - bar.place) + max(min(ats) - at, at - max(ats), 0) for place, at in places), default=inf)


def _route_bent_bus(
    grid: RouteGrid, hub: Sequence[Port], bar: _Bar, own: int, foreign: Collection[int]
) -> list[FoundRoute] | None:
    """Return the routes of a bus with a trunk that bends, or None."""
    trunk = search(grid, [(port, port.aside * _OFF) for port in hub], _list_goals(grid, bar), own, foreign)
    if trunk is None:
        return None
    steps = [other - one for one, other in pairwise(trunk.cells)]
    turns = sum(one != other for one, other in pairwise(steps))
    if turns > _TURN_LIMIT:
        return None
    _, at = grid.split_cell(trunk.cells[-1], bar.axis)
    cost = bar.cost + trunk.cost + TURN_COST * (turns + 2) * len(bar.ends)
    return _make_courses(grid, bar, trunk.start, trunk.cells, at, cost)


def _list_goals(grid: RouteGrid, bar: _Bar) -> list[tuple[Port, float]]:
    """Return the cells of a bar at which a trunk may end, as ports: across it, or along it at its ends."""
    cells = list(bar.cells(grid))
    found = [
        (Port(cell, way, grid.point_of(cell), 0.0), 0.0) for cell in cells for way in (bar.axis + 1, (bar.axis + 3) % 4)
    ]
    ends = [(Port(cells[end], bar.axis + 2 * (not end), grid.point_of(cells[end]), 0.0), 0.0) for end in (0, -1)]
    return found + ends


def _make_courses(
    grid: RouteGrid, bar: _Bar, start: Port, trunk: Sequence[int], at: int, cost: float
) -> list[FoundRoute]:
    """Return the routes over the bar, which the trunk meets at a coordinate along it."""
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
