"""Choice of a direction and a number of bands per container: short edges, few crossings, good shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice, pairwise, product
from math import hypot, inf

from tikzgen.base.plane import Point, compute_bounding_box, is_segment_across_box, lines_cross
from tikzgen.base.record import NOTHING, replace
from tikzgen.layout.topology.nested.layers import assign_layers, narrower
from tikzgen.layout.topology.nested.nested_graph import ROOT, Graph, Layers
from tikzgen.layout.topology.nested.placed_nodes import (
    BLANK_CM,
    RECORD_DIGITS,
    Arrangement,
    Placed,
    interpolate_placements,
    interpolate_places,
    list_gap_changes,
)
from tikzgen.layout.topology.nested.places_in_layers import APART, LaidOutContainer
from tikzgen.layout.topology.nested.similar_containers import (
    Arrangements,
    copy_arrangement,
    group_similar_containers,
    label_gaps_of,
    place_with_equal_sizes,
)
from tikzgen.layout.topology.nested.stated_places import stated_places

Placing = Callable[[float], Placed]
"""Placement for a factor on its usual gaps."""
_Pick = tuple[int, bool, int, bool]
"""Choice for a container: maximum members per layer (or `_ANY`, `_TOGETHER`), down, number of bands, winding."""
_ANY = 0
_TOGETHER = -1
_MOST_MEMBERS = (1, 2, 3)  # members per layer at most, tried if the width is short
_MOST_IN_ROW = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15)  # the same for large graphs, and meshes, which have a bar per row
_LONG_COUNT = 24  # members of a layer or of a chain, above which it may be cut into more rows
_MOST_CUTS = 12  # rows into which it may be cut
_SPARING_OFFSET = 100  # added to the members per layer, if layers stay whole whose nodes fit side by side
_FEW_COUNT = 60  # nodes plus edges, above which a graph is large
TIGHT = (0.9, 0.8, 0.7, 0.6)  # times the usual gaps, tried if the width is short
_MANY = 4096  # combinations of directions that are tried, times the edges of the graph
_DRAWN = 6  # number of the most promising arrangements in which neighbors are swapped
_EFFORT = 12000  # swaps that are tried, times the size of the graph
_CROSSING_COST = 1.5  # cost of two crossing edges, in cm of edge
_STRIKE_COST = 1.0  # cost of an edge through a node, in cm of edge
_WIDTH_COST = 30.0  # cm of edge per cm of width beyond the maximum
_HEIGHT_COST = 4.0  # cm of edge per cm of height beyond the maximum
_AREA_COST = 0.12  # cm of edge per square cm
_UNUSED_COST = 1.5  # cm of edge per cm of unused width to fill
_ORDER_COST = 2.0  # cm of edge per pair out of its input order
_FOLD_COST = 4.0  # cost of reading bands or rows of layers, in cm of edge, once for similar containers
_ROW_COST = 0.15  # cost of each row of a large graph with cut layers, in cm of edge per node and edge
_HINT_COST = 1000.0  # cost of a hint that positions contradict, in cm of edge
_WINDING_COST = 1.0  # additional cost if some bands run backward, in cm of edge


class _Known:
    """Cache of earlier results for a graph, valid for any maximum size."""

    def __init__(self) -> None:
        self.blocks: dict[tuple[object, ...], LaidOutContainer] = {}
        self.drawn: dict[tuple[object, ...], tuple[Placed, float]] = {}


@lru_cache(maxsize=8)
def _known_facts(graph: Graph) -> _Known:
    return _Known()


def placements(graph: Graph) -> Iterator[Placing]:
    """Yield placings, the most promising first; only the stated one, unless frames overlap in it.

    A graph that is larger than a page has its long layers in rows: a small one if no width was requested, and a large
    one if most of its edges share trunks, because others have no room between the rows.
    """
    usual = _iterate_placements(graph)
    first = next(usual)
    in_rows = graph.has_mesh or graph.shares_trunks if graph.size > _FEW_COUNT else not graph.fill
    if in_rows and not graph.compact and _is_large(graph, first(1.0)):
        yield from _iterate_placements(replace(graph, compact=True))
        return
    yield first
    yield from usual


def _iterate_placements(graph: Graph) -> Iterator[Placing]:
    if stated := stated_places(graph, 1.0):
        yield partial(_place_as_stated, graph, stated)
        return
    known = _known_facts(graph.anywhere)
    families = group_similar_containers(graph)
    start: dict[str, Arrangement] = {}
    for name, frame in graph.containers.items():
        start[name] = Arrangement(assign_layers(graph, name), frame.direction == "down", cells=frame.cells)
    for name, frame in graph.containers.items():
        if frame.like:
            start[name] = copy_arrangement(graph, start, name)
    rows: dict[str, dict[int, Layers]] = {name: {_ANY: way.layers} for name, way in start.items()}
    usual = place_with_equal_sizes(graph, start, families, known.blocks)
    wide, large = usual.width > graph.width, _is_large(graph, usual)
    closest = {name: replace(way, loose=TIGHT[-1]) for name, way in start.items()}
    cut = wide and place_with_equal_sizes(graph, closest, families, known.blocks).width > graph.width
    if not graph.has_wishes:
        looks = graph.looks | {frame: family[0] for family in families for frame in family}
        for name, layers in rows.items():
            layers[_TOGETHER] = assign_layers(graph, name, looks)
            if graph.compact and large:
                plain = start[name].layers
                fitting = {depth for depth, layer in enumerate(plain) if _side_by_side(graph, layer) <= graph.width}
                mosts = _MOST_IN_ROW if graph.has_mesh or graph.size > _FEW_COUNT else _MOST_MEMBERS
                layers |= {most: narrower(graph, name, plain, most) for most in mosts}
                layers |= {_SPARING_OFFSET + most: narrower(graph, name, plain, most, fitting) for most in mosts}
    rooms = {
        (family[0], most): label_gaps_of(graph, {name: rows[name][most] for name in family})
        for family in families
        for most in rows[family[0]]
    }
    choices = [
        list(_iterate_choices(graph, start[family[0]], rows[family[0]], family[0], cut=cut)) for family in families
    ]

    def worth(ways: Arrangements) -> float:
        key = graph.fill, *ways.values()
        if key not in known.drawn:
            placed = place_with_equal_sizes(graph, ways, families, known.blocks)
            misread = _count_misread(graph, ways) + _HINT_COST * len(placed.list_broken_hints(graph))
            known.drawn[key] = placed, _compute_cost(graph, placed) + misread
        placed, cost = known.drawn[key]
        return cost + _on_paper(graph, placed)

    found: dict[tuple[Arrangement, ...], tuple[float, int, Arrangements]] = {}

    def worth_of(ways: Arrangements) -> float:
        key = tuple(ways.values())
        if key not in found:
            found[key] = (worth(ways), len(found), ways)
        return found[key][0]

    def apply_picks(picks: Sequence[_Pick]) -> Arrangements:
        ways = dict(start)
        for family, (most, down, fold, winding) in zip(families, picks, strict=True):
            changed = {"down": down, "fold": fold, "winding": winding, "broken": most > 0}
            for name in family:
                layers = assign_layers(graph, name, down=down) if name in graph.hints_inside else rows[name][most]
                ways[name] = replace(start[name], layers=layers, rooms=rooms[family[0], most], **changed)
        return ways

    count = 1
    for options in choices:
        count *= len(options)
    if count * graph.size <= _MANY:
        for each in product(*choices):
            worth_of(apply_picks(each))
    else:
        roots = [[first, *(each[0] for each in choices[1:])] for first in choices[0]]
        roots.sort(key=lambda one: worth_of(apply_picks(one)))
        large = graph.size > _FEW_COUNT
        for picks in roots[:1] if large else roots:
            for _ in range(2):
                before = [*picks]
                for place in range(0 if large else 1, len(choices)):
                    tries = [[*picks[:place], pick, *picks[place + 1 :]] for pick in choices[place]]
                    picks = min(tries, key=lambda one: worth_of(apply_picks(one)))
                if picks == before:
                    break
    best = sorted(found.values(), key=lambda each: each[:2])[:_DRAWN]
    swaps = _EFFORT // max(1, graph.size**2 // 4) // len(best)
    better = [_swap_neighbors(graph, ways, worth, cost, swaps) for cost, _, ways in best]
    for _, ways in sorted(better, key=lambda each: each[0]):
        yield partial(_place_with_wider_gaps, graph, ways, families, known.blocks)


def _is_large(graph: Graph, placed: Placed) -> bool:
    return placed.width > graph.width or placed.height > graph.height


def _side_by_side(graph: Graph, layer: Sequence[str]) -> float:
    """Return the width of nodes in a row, in cm; infinity with a frame, whose width is not known yet."""
    if not all(member in graph.by_id for member in layer):
        return inf
    feet = (graph.by_id[member].foot for member in layer)
    return sum(right - left + APART for left, _, right, _ in feet) - APART


def _place_with_wider_gaps(
    graph: Graph,
    ways: Arrangements,
    families: list[list[str]],
    known: dict[tuple[object, ...], LaidOutContainer],
    loose: float,
) -> Placed:
    """Return the placement with a factor on the gaps."""
    looser = {name: replace(way, loose=loose) for name, way in ways.items()} if loose != 1.0 else ways
    gaps = looser[ROOT].loose
    stated = {name: way for name, way in ways.items() if graph.containers[name].layers}
    folded = tuple((name, way.fold) for name, way in stated.items() if way.fold > 1)
    broken = tuple(name for name, way in stated.items() if way.broken)

    def place(more: float, kept: Mapping[str, tuple[tuple[str, Point], ...]] = NOTHING) -> Placed:
        changed = {name: replace(way, more=(more, more), kept=kept.get(name, ())) for name, way in looser.items()}
        return place_with_equal_sizes(graph, changed, families, known)

    blank = BLANK_CM * gaps
    usual = place(0.0, {name: way.kept for name, way in ways.items()})
    for changes in list_gap_changes(blank):
        least, most = map(place, changes)
        between = interpolate_places(least, most, changes)
        kept = {name: dict(way.kept) or _round_places(between.get(name, {})) for name, way in ways.items()}
        least, most = (
            place(more, _shift_kept(kept, end.places, between))
            for more, end in zip(changes, (least, most), strict=True)
        )
        placed = interpolate_placements(least, most, changes, blank)
        if placed.is_like(usual):
            break
    misread = _count_misread(graph, ways) + _HINT_COST * len(placed.list_broken_hints(graph))
    return replace(placed, arranged=looser, misread=misread, folded=folded, broken=broken)


def _round_places(places: Mapping[str, Point]) -> dict[str, Point]:
    """Return positions as a record has them, so that a recorded layout is found again without a difference."""
    return {member: (round(x, RECORD_DIGITS), round(y, RECORD_DIGITS)) for member, (x, y) in places.items()}


def _shift_kept(
    kept: Mapping[str, Mapping[str, Point]],
    ends: Mapping[str, Mapping[str, Point]],
    between: Mapping[str, Mapping[str, Point]],
) -> dict[str, tuple[tuple[str, Point], ...]]:
    """Return kept positions, shifted as far as gaps that are smaller or larger shift them in a new layout."""
    found: dict[str, list[tuple[str, Point]]] = {}
    for name, places in kept.items():
        for member, (x, y) in places.items():
            if member in ends.get(name, {}):
                (x0, y0), (x1, y1) = between[name][member], ends[name][member]
                found.setdefault(name, []).append((member, (x + x1 - x0, y + y1 - y0)))
    return {name: tuple(each) for name, each in found.items()}


def _place_as_stated(graph: Graph, usual: Placed, loose: float) -> Placed:
    """Return the stated placement with a factor on the gaps; the usual one where frames would overlap."""
    found = stated_places(graph, loose)
    placed, gaps = (found, loose) if found else (usual, 1.0)
    blank = BLANK_CM * gaps
    changes, _ = list_gap_changes(blank)
    least, most = (stated_places(graph, gaps, (more, more)) or placed for more in changes)
    return interpolate_placements(least, most, changes, blank)


def place_as_arranged(graph: Graph, ways: Arrangements) -> Placed:
    """Return the placement of one arrangement of the containers."""
    families, known = group_similar_containers(graph), _known_facts(graph.anywhere)
    return _place_with_wider_gaps(graph, ways, families, known.blocks, 1.0)


def _iterate_choices(
    graph: Graph, start: Arrangement, rows: Mapping[int, Layers], name: str, *, cut: bool
) -> Iterator[_Pick]:
    """Yield the choices of a container: similar nodes together, directions, bands and windings.

    Stated arrangements have bands only if `cut`, because the layout is too wide even with the narrowest gaps.
    """
    frame = graph.containers[name]
    if len(frame.members) == 1 or frame.cells:
        yield _ANY, start.down, 1, False
        return
    directions = [frame.direction == "down"] if frame.direction else [False, True]
    straight = [False]
    if 1 < len(rows.get(_TOGETHER, ())) < len(start.layers):
        yield from product([_TOGETHER], directions, [1], straight)
    if len(rows.get(_TOGETHER, ())) == 1 < len(start.layers):
        yield from product([_TOGETHER], directions, _list_cuts(len(frame.members))[1:], straight)
    if True in directions and not frame.fold:
        broken = {rows[most]: most for most in rows if most > 0 and rows[most] != start.layers}
        yield from product(broken.values(), [True], [1], straight)
    if frame.fold:
        folds = [frame.fold]
    elif len(start.layers) == 1:
        folds = _list_cuts(len(frame.members)) if cut or not frame.layers else [1]
    else:
        least = 1 if frame.layers else 2
        is_chain = len(start.layers) > _LONG_COUNT and all(len(layer) == 1 for layer in start.layers)
        most = _MOST_CUTS if is_chain else 3
        bands = [many for many in range(2, most + 1) if len(start.layers) >= least * many]
        folds = [1, *(bands if cut or not frame.layers else ())]
    yield from product([_ANY], directions, folds, straight)
    if len(start.layers) > 1 and not frame.fold:
        yield from product([_ANY], directions, folds[1:], [True])


def _list_cuts(count: int) -> list[int]:
    """Return the numbers of rows into which a layer of `count` members may be cut."""
    most = _MOST_CUTS if count > _LONG_COUNT else 4
    return [1, *(many for many in range(2, most + 1) if count >= 3 * many - 2 and count > 3)]


def _on_paper(graph: Graph, found: Placed) -> float:
    """Return the cost of the difference between a placement and the requested size."""
    cost = _WIDTH_COST * max(0.0, found.width + 0.3 - graph.width)
    cost += _HEIGHT_COST * max(0.0, found.height - graph.height)
    cost += _AREA_COST * found.width * found.height
    return cost + _UNUSED_COST * graph.left_over(found.width)


def _compute_cost(graph: Graph, found: Placed) -> float:
    """Return the length of the edges plus the costs of their crossings, in cm of edge."""
    courses = [(found.start(*line.ends), found.start(*line.ends[::-1])) for line in graph.lines]
    cost = sum(
        abs(x1 - x0) * 0.5 + abs(y1 - y0) * 0.5 + hypot(x1 - x0, y1 - y0) * 0.5 for (x0, y0), (x1, y1) in courses
    )
    ordered = sorted((*compute_bounding_box(course), index) for index, course in enumerate(courses))
    crossing = struck = 0
    for place, (_, top, right, bottom, index) in enumerate(ordered, 1):
        ends, (start, goal) = graph.lines[index].ends, courses[index]
        for left, high, _, deep, near in islice(ordered, place, None):
            if left > right:
                break  # later boxes start at least as far right
            if high <= bottom and top <= deep and lines_cross(start, goal, *courses[near]):
                crossing += graph.lines[near].source not in ends and graph.lines[near].target not in ends
    for leaf in graph.leaves:
        x0, y0, x1, y1 = box = found.box(leaf.id, leaf.foot)
        for left, top, right, bottom, index in ordered:
            if left > x1:
                break
            if right >= x0 and top <= y1 and bottom >= y0 and leaf.id not in graph.lines[index].ends:
                struck += is_segment_across_box(*courses[index], box)
    return cost + _CROSSING_COST * crossing + _STRIKE_COST * struck


def _count_misread(graph: Graph, arranged: Arrangements) -> float:
    """Return the cost of members out of their input order, and of bands and rows."""
    turned = sum(_count_inversions(layer, graph.order) for way in arranged.values() for layer in way.layers)
    folded = {
        (way.down, way.fold, len(way.layers), way.winding)
        for name, way in arranged.items()
        if (way.broken or (way.fold > 1 and len(way.layers) > 1)) and not graph.containers[name].fold
    }
    rows = [len(way.layers) for way in arranged.values() if way.broken and graph.size > _FEW_COUNT]
    bands = sum(_FOLD_COST + _WINDING_COST * winding for *_, winding in folded)
    return _ORDER_COST * turned + bands + _ROW_COST * graph.size * max(rows, default=0)


def _count_inversions(layer: tuple[str, ...], order: Mapping[str, int]) -> int:
    """Return the number of neighbors that are out of their input order."""
    return sum(order[one] > order[other] for one, other in pairwise(layer))


def _swap_neighbors(
    graph: Graph,
    ways: Arrangements,
    worth: Callable[[Arrangements], float],
    cost: float,
    tries: int,
) -> tuple[float, Arrangements]:
    """Swap neighbors in layers while that lowers the cost; return the cost and the arrangements."""
    copied = {one for name, frame in graph.containers.items() if frame.like for one in (name, frame.like)}
    improved = True
    while improved and tries > 0:
        improved = False
        for name in graph.containers:
            if graph.containers[name].layers or graph.containers[name].cells or name in copied:
                continue
            for depth in range(len(ways[name].layers)):
                for place in range(len(ways[name].layers[depth]) - 1):
                    if tries <= 0:
                        return cost, ways
                    if not graph.dots.isdisjoint(ways[name].layers[depth][place : place + 2]):
                        continue
                    layers = [list(layer) for layer in ways[name].layers]
                    row = layers[depth]
                    if any(row[place] in order and row[place + 1] in order for order in graph.keep):
                        continue
                    row[place], row[place + 1] = row[place + 1], row[place]
                    other = {**ways, name: replace(ways[name], layers=tuple(map(tuple, layers)))}
                    tries -= 1
                    now = worth(other)
                    if now < cost - 1e-6:
                        cost, ways, improved = now, other, True
    return cost, ways
