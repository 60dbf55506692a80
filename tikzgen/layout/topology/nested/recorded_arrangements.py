"""Arrangements of a changed graph by the record of an earlier layout.

Old members keep their layer and order. New members get the layer of their edges, and the fewest crossings in it.
Source: K. Misue, P. Eades, W. Lai and K. Sugiyama, "Layout Adjustment and the Mental Map", 1995.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from tikzgen.base.plane import Point
from tikzgen.base.record import replace
from tikzgen.layout.topology.nested.layers import assign_layers, count_crossings, keep_order
from tikzgen.layout.topology.nested.nested_graph import Graph, GraphFrame, Layers
from tikzgen.layout.topology.nested.placed_nodes import Arrangement
from tikzgen.layout.topology.nested.similar_containers import (
    Arrangements,
    copy_arrangement,
    group_similar_containers,
    label_gaps_of,
)
from tikzgen.model.topology import LayersRecord, TopologyRecord

# Costs of a layer for a new member, in layers that its edges pass.
_SAME_LAYER_COST = 1.5  # of an edge within a layer; one that runs back costs its layers more
_NEW_LAYER_COST = 1.25
_FORBIDDEN_COST = 1e9  # of a layer that may not get the member
_ALIKE_WORTH = 0.75  # of a layer that has a node of the same style


def recorded_arrangements(graph: Graph, record: TopologyRecord) -> Arrangements | None:
    """Return the arrangements in a record, with the changes of the graph.

    Return None if a stated layer or order differs. Members keep their positions, unless a member was removed or joins
    similar members: then the gaps of a row are even.
    """
    members = {member for each in record.containers for layer in each.layers for member in layer}
    looks = {(graph.parents[one], graph.looks.get(one, one)) for one in members if one in graph.parents}
    added = (one for one in graph.parents if one not in members)
    stable = members <= graph.parents.keys() and not any(
        (graph.parents[one], graph.looks.get(one, one)) in looks or one in graph.containers for one in added
    )
    known = {each.group: each for each in record.containers}
    found: dict[str, Arrangement] = {}
    for name, frame in graph.containers.items():
        arranged = _arrange_container(graph, name, frame, known.get(name), stable=stable)
        if arranged is None:
            return None
        found[name] = replace(arranged, loose=record.gaps)
    for name, frame in graph.containers.items():
        if frame.like:
            found[name] = copy_arrangement(graph, found, name)
    for family in group_similar_containers(graph):
        rooms = label_gaps_of(graph, {name: found[name].layers for name in family})
        found |= {name: replace(found[name], rooms=rooms) for name in family}
    return found


def _arrange_container(
    graph: Graph, name: str, frame: GraphFrame, before: LayersRecord | None, *, stable: bool
) -> Arrangement | None:
    down = frame.direction == "down"
    if before is None or frame.cells or frame.like:
        return Arrangement(assign_layers(graph, name), down, cells=frame.cells)
    layers = frame.layers or _with_wishes(graph, _add_members(graph, name, before.layers))
    if layers is None:
        return None
    down = down if frame.direction else before.down
    kept = _list_positions(before) if stable and down == before.down else ()
    return Arrangement(
        layers, down, fold=before.fold, winding=before.winding, broken=before.broken and not frame.layers, kept=kept
    )


def _list_positions(before: LayersRecord) -> tuple[tuple[str, Point], ...]:
    """Return the recorded positions of members."""
    rows = zip(before.layers, before.along, before.across, strict=True) if before.along else ()
    each = ((member, along, at) for layer, along, row in rows for member, at in zip(layer, row, strict=True))
    return tuple((member, (at, along) if before.down else (along, at)) for member, along, at in each)


def _with_wishes(graph: Graph, layers: Layers) -> Layers | None:
    """Return the layers with the stated orders; None if a stated layer or order contradicts them."""
    depth = {member: place for place, layer in enumerate(layers) for member in layer}
    if any(depth.get(member, level) != level for member, level in graph.pins):
        return None
    shared = (*graph.keep, *graph.same)
    if any(len({depth[member] for member in order if member in depth}) > 1 for order in shared):
        return None
    return tuple(tuple(keep_order([*layer], graph.keep)) for layer in layers)


def _add_members(graph: Graph, name: str, before: Layers) -> Layers:
    """Return the layers without members that the container lacks, and with its new members."""
    members = graph.containers[name].members
    pairs = list(dict.fromkeys((one, other) for one, other, _ in graph.links[name]))
    rows = [kept for layer in before if (kept := [member for member in layer if member in members])]
    left = [member for member in members if not any(member in row for row in rows)]
    while left:
        depth = {member: place for place, row in enumerate(rows) for member in row}
        # members with placed neighbors before others
        member = next((one for one in left if any(one in pair and depth.keys() & pair for pair in pairs)), left[0])
        left.remove(member)
        if rows:
            _add_to_layer(graph, member, rows, pairs, depth)
        else:
            rows.append([member])
    return tuple(map(tuple, rows))


def _add_to_layer(
    graph: Graph,
    member: str,
    rows: list[list[str]],
    pairs: Sequence[tuple[str, str]],
    depth: Mapping[str, int],
) -> None:
    """Add a member to the layer that keeps its edges short and forward, with the fewest crossings."""
    sources = [depth[one] for one, other in pairs if other == member and one in depth]
    targets = [depth[other] for one, other in pairs if one == member and other in depth]
    earlier = [one for one in depth if graph.order[one] < graph.order[member]]
    last = depth[max(earlier, key=graph.order.__getitem__)] if earlier else 0

    def cost_at(level: float) -> float:
        steps = [*(level - one for one in sources), *(one - level for one in targets)]
        cost = sum(step - 1 if step > 0 else _SAME_LAYER_COST - step for step in steps) if steps else abs(level - last)
        if level != int(level):
            return cost + _NEW_LAYER_COST
        looks = {graph.looks.get(one) for one in rows[int(level)]}
        cost += _FORBIDDEN_COST * (graph.recorded is not None and graph.recorded.own_layers)
        return cost - _ALIKE_WORTH * (member in graph.looks and graph.looks[member] in looks)

    level = min((step / 2 for step in range(-1, 2 * len(rows))), key=lambda each: (cost_at(each), each != int(each)))
    if level != int(level):  # between two layers
        rows.insert(ceil(level), [member])
        return
    row = rows[int(level)]
    after = {**depth, member: int(level)}
    known = [pair for pair in pairs if after.keys() >= {*pair}]

    def cost_of_place(place: int) -> tuple[float, int]:
        tried = (*rows[: int(level)], [*row[:place], member, *row[place:]], *rows[int(level) + 1 :])
        turned = sum((graph.order[one] < graph.order[member]) != (at < place) for at, one in enumerate(row))
        return count_crossings(tuple(map(tuple, tried)), after, known), turned

    row.insert(min(range(len(row) + 1), key=cost_of_place), member)
