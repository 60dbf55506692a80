"""Best layout of a graph: several placements, each with its routes and labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import islice, product
from math import inf

from tikzgen.base.record import replace
from tikzgen.layout.topology.nested.arrangements import TIGHT, Placing, place_as_arranged, placements
from tikzgen.layout.topology.nested.meshes import add_junctions, drop_junctions, restore_edges, share_trunks
from tikzgen.layout.topology.nested.nested_graph import Graph
from tikzgen.layout.topology.nested.placed_nodes import Placed
from tikzgen.layout.topology.nested.placement_with_lines import Layout, extent_of, laid_directly, laid_lines
from tikzgen.layout.topology.nested.recorded_arrangements import recorded_arrangements
from tikzgen.layout.topology.routing.routes import direct_routes

_LOOSE = (1.25, 1.6, 2.0)  # times the usual gaps, tried if labels have no room
_WIDTH_TRIES = 3  # placements drawn for a requested width; more only until one is clear
_NEARLY = 0.25  # cm by which a placement may exceed the maximum or the requested width
_NARROWER = 3  # times that a search with less width compensates for edges next to the outer nodes
_TRIES = 6  # placements that are drawn
_APART = 3  # number of the best placements that are also drawn without unrequested trunks
_MANY = 60  # edges; with more, of which less than half could share a trunk, there are no unrequested trunks
_DENSE_LIMIT = 40  # edges, above which a graph with more than `_EDGES_PER_NODE_RATIO` edges per node has straight edges
_EDGES_PER_NODE_RATIO = 3  # edges per node
_PLACES_LIMIT = 140_000  # cells visited by route searches, after which no more layouts are tried
_FAULTS_PER_LINE = 0.15  # faults per edge, from which wider gaps are tried once, regardless of the time
_WORTH = 8.0  # cost of a fault, in cm of edge
_SHORT = 1.0  # cost of 1 cm of a requested width that is not used


@lru_cache(maxsize=64)
def laid_out(graph: Graph) -> Layout:
    """Return the best layout found. Offsets move nodes in the best layout without offsets."""
    if graph.has_mesh and not graph.meshes:
        return restore_edges(graph, laid_out(share_trunks(graph)))
    if graph.at_rest != graph:
        rest = laid_out(graph.at_rest)
        return _route_placement(graph, rest.placed.with_offsets(graph), apart=rest.apart)
    if graph.recorded and (ways := recorded_arrangements(add_junctions(graph), graph.recorded)):
        placed = drop_junctions(graph, place_as_arranged(add_junctions(graph), ways))
        if not placed.list_broken_hints(graph):
            return _route_placement(_without_many_trunks(graph), placed, apart=not graph.recorded.trunks)
    best = tried = _search_layout(graph)
    width = graph.width
    for _ in range(_NARROWER):
        over = tried.wide - graph.width
        if tried.sketched or not 0 < over < width / 2 or best.wide <= graph.width or tried.spent >= _PLACES_LIMIT / 2:
            break
        width = round(width - over, 3)  # edges next to the outer nodes need room as well
        tried = _search_layout(replace(graph, width=width))
        if not tried.faults and tried.wide < best.wide:
            best = tried
    return best


def with_trunks(graph: Graph) -> Graph:
    """Return the graph in which edges of a complete set share a trunk, unless all of them are straight.

    They also share none if the layout with trunks has more faults.
    """
    sets: dict[int, list[int]] = {}
    for index, line in enumerate(graph.lines):
        if line.complete:
            sets.setdefault(line.complete, []).append(index)
    free = replace(graph, recorded=None).at_rest
    ways = laid_out(free).ways if sets else ()
    bent = {number for number, members in sets.items() if any(len(ways[index].points) > 2 for index in members)}
    if not bent:
        return graph
    first = 1 + max(line.bundle for line in graph.lines)
    lines = tuple(
        replace(line, complete=0, mesh=True, woven=False, bundle=first + line.complete)
        if line.complete in bent
        else line
        for line in graph.lines
    )
    shared = replace(free, lines=lines).at_rest
    return replace(graph, lines=lines) if laid_out(shared).faults <= laid_out(free).faults else graph


def _without_many_trunks(graph: Graph) -> Graph:
    """Return the graph without unrequested trunks if it is large and few of its edges could share one."""
    many = len(graph.lines) > max(_MANY, 2 * sum(line.alike for line in graph.lines))
    return graph.without_free_trunks if many else graph


def _search_layout(graph: Graph) -> Layout:
    """Return the best of several placements, or a sketch if none fits the maximum width."""
    graph = _without_many_trunks(graph)
    placings: list[Placing] = [
        partial(_place, graph, placing) for placing in islice(placements(add_junctions(graph)), _TRIES)
    ]
    worth = partial(_worth, graph)
    spaced = (placing(gaps) for gaps in (1.0, *TIGHT) for placing in placings)
    if graph.paper < inf and not any(placed.least_width <= graph.paper + _NEARLY for placed in spaced):
        return _sketch_placement(
            graph, min((placing(gaps) for placing in placings for gaps in TIGHT), key=_least_width)
        )
    if _is_dense(graph):
        return _route_placement(graph, placings[0](1.0))
    found: list[tuple[Layout, Placing]] = []
    spent = 0
    for count, placing in enumerate(placings):
        if graph.fill and count >= _WIDTH_TRIES and any(not one.faults for one, _ in found):
            break
        placed = placing(1.0)
        if graph.fill and placed.least_width > graph.width + _NEARLY:
            continue  # too wide
        found.append((_route_placement(graph, placed), placing))
        spent += found[-1][0].spent
        if spent * (len(found) + 1) > _PLACES_LIMIT * len(found):
            break
    found.sort(key=lambda one: worth(one[0]))
    if graph.without_free_trunks != graph:
        for place, (layout, placing) in enumerate(found[:_APART]):
            if spent < _PLACES_LIMIT:
                apart = _route_placement(graph, layout.placed, apart=True)
                spent += apart.spent
                found[place] = min(layout, apart, key=worth), placing
        found.sort(key=lambda one: worth(one[0]))
    best = found[0][0] if found else None
    for tried, (loose, (_, placing)) in enumerate(product(_LOOSE, found)):
        if not best or not best.faults:
            break
        if _foreseen(graph, best, spent) > _PLACES_LIMIT and (
            tried or best.fixable_faults < _FAULTS_PER_LINE * len(graph.lines)
        ):
            break
        placed = placing(loose)
        if graph.fill and placed.least_width > graph.width + _NEARLY:
            continue
        again = _route_placement(graph, placed)
        spent += again.spent
        best = min(best, again, key=worth)
    if best and not (_is_large(graph, best) and _foreseen(graph, best, spent) <= _PLACES_LIMIT):
        return best
    ordered = [placing for _, placing in found]
    return _closer(graph, [*ordered, *(one for one in placings if one not in ordered)], best, spent)


def _least_width(placed: Placed) -> float:
    return placed.least_width


def _place(graph: Graph, placing: Placing, gaps: float) -> Placed:
    """Return the placement without the junctions that made room for trunks.

    At the usual gaps, prefer the largest of the narrower ones with which it fits a width to fill.
    """
    placed = placing(gaps)
    if graph.fill and gaps == 1.0 and placed.width > graph.width:
        narrower = (placing(tight) for tight in TIGHT)
        placed = next((one for one in narrower if one.width <= graph.width), placed)
    return drop_junctions(graph, placed)


def _foreseen(graph: Graph, best: Layout, spent: int) -> int:
    """Return the visited cells after one more layout; without the cost of it if a width was requested."""
    return spent if graph.fill else spent + best.spent


def _closer(graph: Graph, placings: Sequence[Placing], best: Layout | None, spent: int) -> Layout:
    """Return the best layout with narrower gaps, or the given one."""
    worth = partial(_worth, graph)
    spaced = [placing(tight) for placing in placings for tight in TIGHT]
    fitting = [placed for placed in spaced if placed.least_width <= graph.width + _NEARLY] if graph.fill else spaced
    if best is None:
        fitting = fitting or [min(spaced, key=_least_width)]
        best = _route_placement(graph, fitting.pop(0))
    for placed in fitting:
        if not (best.faults and graph.fill) and (spent + best.spent > _PLACES_LIMIT or not _is_large(graph, best)):
            break
        again = _route_placement(graph, placed)
        spent += again.spent
        if (graph.fill or again.faults <= best.faults) and worth(again) < worth(best):
            best = again
    return best


def _route_placement(graph: Graph, placed: Placed, *, apart: bool = False) -> Layout:
    """Return a placement with its routes; if labels have no room, try to route their edges first.

    Edges that are `apart` share no trunks that were not requested.
    """
    if apart:
        return replace(_route_placement(graph.without_free_trunks, placed), apart=True)
    dense = _is_dense(graph)
    slanting = dense or (graph.slanting and not graph.meshes)
    straight = laid_directly(graph, placed, stated=False, loosely=dense) if slanting else None
    if straight and dense:
        return straight
    found = _least_faulty(graph, placed, frozenset())
    short = frozenset(found.unplaced_labels)
    if short and 2 * found.spent < _PLACES_LIMIT:
        found = min(found, _least_faulty(graph, placed, short), key=partial(_worth, graph))
    if straight is None or straight.faults > found.faults:
        return found
    return straight if _worth(graph, straight) < _worth(graph, found) else found


def _is_dense(graph: Graph) -> bool:
    """Return whether a graph has so many edges without a shared trunk that a search of routes would take minutes."""
    count = len(graph.lines)
    return not graph.meshes and count > _DENSE_LIMIT and count > _EDGES_PER_NODE_RATIO * len(graph.leaves)


def _least_faulty(graph: Graph, placed: Placed, early: frozenset[int]) -> Layout:
    """Return the layout of a placement that has the fewest faults, then the least excess width."""
    return min(
        laid_lines(graph.anywhere, placed, early), key=lambda one: (one.faults, max(0.0, one.wide - graph.width))
    )


def _is_large(graph: Graph, layout: Layout) -> bool:
    """Return whether a layout exceeds the maximum size."""
    left, top, right, bottom = layout.extent
    return right - left > graph.width or bottom - top > graph.height


def _worth(graph: Graph, layout: Layout) -> float:
    """Return the cost of a layout, including excess size, unused width and faults."""
    wide, tall = layout.extent[2] - layout.extent[0], layout.extent[3] - layout.extent[1]
    over = 20 * max(0.0, wide - graph.width) + 12 * max(0.0, tall - graph.height)
    return layout.cost + over + _SHORT * graph.left_over(wide) + _WORTH * layout.faults


def _sketch_placement(graph: Graph, placed: Placed) -> Layout:
    """Return a layout without labels, for the error that the placement is too wide.

    Edges and labels only add to the width.
    """
    ways = direct_routes(graph, placed, (), stated=False, loosely=True) or ()
    none = (None,) * len(ways)
    return Layout(placed, ways, none, none, extent_of(placed, ways, none), 0.0, 0.0, direct=True, sketched=True)
