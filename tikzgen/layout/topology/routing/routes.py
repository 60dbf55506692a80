"""Routes of all edges: buses and short edges first, then rerouting while that improves a route."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from math import dist

from tikzgen.base.plane import Box
from tikzgen.base.record import Record
from tikzgen.layout.topology.nested.nested_graph import Graph, Route
from tikzgen.layout.topology.nested.placed_nodes import Placed
from tikzgen.layout.topology.routing.direct_routes import direct_ways
from tikzgen.layout.topology.routing.reroute_edges import Router

_AGAIN = 2  # times that each edge of a sparse grid may get a better route
_GAIN_COST = 0.5  # minimum saving of a new route, in steps of the grid
_PLACES_LIMIT = 120_000  # visited cells, after which no edge is rerouted
_KNOT = 26.0  # extra steps allowed per pair of edges at one node to remove their crossing
_PAIRED = 2.0  # extra steps allowed per pair of opposite edges that run side by side
_FAR = 5.0  # cm: longer edges of many-to-many bundles are not straight, because they cross too many edges
_FARTHER = 9.0  # cm: the same for other woven edges


class Routed(Record):
    """Routes of all edges, possible boxes of their labels, and the number of visited cells."""

    ways: tuple[Route, ...]
    texts: tuple[Box | None, ...]
    spent: int


@lru_cache(maxsize=64)
def direct_routes(
    graph: Graph, placed: Placed, titles: tuple[Box, ...], *, stated: bool, loosely: bool
) -> tuple[Route, ...] | None:
    """Return the direct routes of all edges; None if an edge has none and `loosely` is false.

    The check of a stated topology and its drawing share the cached result.
    """
    every = range(len(graph.lines))
    loops = {index for index in every if graph.lines[index].is_loop}
    others = [index for index in every if index not in loops]
    direct = direct_ways(graph, placed, titles, others, stated=stated, loosely=loosely)
    if loosely:  # overlapping nodes have no sides between them
        direct = {index: direct.get(index) or _nowhere(graph, placed, index) for index in others}
    if len(direct) + len(loops) < len(every):
        return None
    return tuple(_loop(graph, placed, graph.lines[one].source) if one in loops else direct[one] for one in every)


def routes(graph: Graph, placed: Placed, titles: Sequence[Box], early: Collection[int] = ()) -> list[Routed]:
    """Return the orthogonal routes of all edges; the variant with more parallel opposite edges is first.

    `titles` are the labels of frames, and `early` the edges to route first. The variant is omitted if it adds no such
    pair.
    """
    router = Router(graph, placed, titles)
    far = []
    for index, line in enumerate(graph.lines):
        (x0, y0), (x1, y1) = (placed.anchors[name] for name in (line.source, line.target))
        far.append((line.is_loop, index not in early, round(abs(x1 - x0) + abs(y1 - y0), 3), index))
    woven = [index for index, line in enumerate(graph.lines) if line.woven]
    direct = direct_ways(graph, placed, titles, woven)
    whole = _find_clear_sets(graph, direct)
    for index, way in direct.items():
        if index in whole or dist(*way.points) < (_FAR if graph.lines[index].bundle else _FARTHER):
            router.direct[index] = way
    order = [index for loops, _, _, index in sorted(far) if not loops and index not in router.direct]
    for lines in router.trunks(order):
        router.route_lines(lines)
    for index in order:
        if index not in router.courses:
            router.route_lines((index,))
    bent = [index for index, line in enumerate(graph.lines) if line.straight and router.bends(index)]
    for index, way in direct_ways(graph, placed, titles, bent).items():
        router.lift(index)
        router.direct[index] = way
    gains, missed = 0, dict[tuple[int, ...], int]()  # number of improvements when an edge found no better route
    for _ in range(0 if router.grid.dense else _AGAIN):
        for lines in sorted(router.units(), key=lambda lines: (-sum(map(router.cost, lines)) / len(lines), lines)):
            if router.grid.spent < _PLACES_LIMIT and missed.get(lines) != gains:
                if router.again(lines, _GAIN_COST):
                    gains += 1
                else:
                    missed[lines] = gains
        if not gains:
            break
    for one, other in router.siblings():
        if router.grid.spent < _PLACES_LIMIT and router.cross(one, other):
            router.again((one, other), -_KNOT, router.swap_ports(one, other))
    found = [_collect_routes(router)]
    twins = () if router.grid.dense else router.twins()
    joined = [_join(router, *pair) for pair in twins if not router.side_by_side(*pair)]
    if any(joined):
        found.insert(0, _collect_routes(router))
    return found


def _find_clear_sets(graph: Graph, direct: Mapping[int, Route]) -> set[int]:
    """Return the edges of complete sets, from some nodes to some others, that all have direct routes."""
    targets: dict[str, dict[str, int]] = {}
    for index, line in enumerate(graph.lines):
        if line.woven:
            targets.setdefault(line.source, {})[line.target] = index
    alike: dict[frozenset[str], list[int]] = {}
    for reached in targets.values():
        alike.setdefault(frozenset(reached), []).extend(reached.values())
    sets = [found for names, found in alike.items() if len(found) > len(names) and direct.keys() >= {*found}]
    return {index for found in sets for index in found}


def _collect_routes(router: Router) -> Routed:
    """Return the current routes."""
    every = range(len(router.graph.lines))
    ways = tuple(_route_of(router, router.graph, router.placed, index) for index in every)
    return Routed(ways, tuple(map(router.texts.get, every)), router.grid.spent)


def _join(router: Router, one: int, other: int) -> bool:
    """Route two opposite edges side by side if the cost allows it; reroute the edges in their way."""
    for given in router.neighboring_ports(one, other):
        if router.grid.spent >= _PLACES_LIMIT:
            break
        ports = [port for each in given.values() for port in each.values()]
        others = {index for port in ports for index in router.taken.get(port, ())} - {one, other}
        if others & {index for bus in router.buses for index in bus}:
            continue
        if router.again((*given, *sorted(others)), -_PAIRED, given, tuple(given)):
            return True
    return False


def _route_of(router: Router, graph: Graph, placed: Placed, index: int) -> Route:
    """Return the route of an edge as it is drawn."""
    line = graph.lines[index]
    if line.is_loop:
        return _loop(graph, placed, line.source)
    if index in router.direct:
        return router.direct[index]
    course = router.courses.get(index)
    if course is None:
        return _nowhere(graph, placed, index)
    return Route(router.points(course), (course.start.way, course.goal.way), course.forced)


def _nowhere(graph: Graph, placed: Placed, index: int) -> Route:
    """Return a straight line between anchors for an edge without a route."""
    one, other = (placed.anchors[name] for name in graph.lines[index].ends)
    return Route((one, other), (0, 0), forced=True)


def _loop(graph: Graph, placed: Placed, name: str) -> Route:
    """Return a loop out of the upper side of a node and back, off the middle if nodes are above it."""
    left, top, right, _ = placed.box(name, graph.by_id[name].body)
    half, middle = min(0.3, (right - left) / 4), (left + right) / 2
    x, y = placed.anchors[name]
    if any(abs(placed.anchors[one][0] - x) < y - placed.anchors[one][1] for one in graph.neighbors[name]):
        half, middle = half / 2, right - half
    up = top - 0.4
    corners = ((middle - half, top), (middle - half, up), (middle + half, up), (middle + half, top))
    return Route(corners, (3, 3))
