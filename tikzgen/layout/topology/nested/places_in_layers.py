"""Positions of the members of a container in layers, with gaps between layers and between members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf

from tikzgen.base.plane import Box, Point
from tikzgen.base.record import NOTHING, Record
from tikzgen.layout.topology.nested.nested_graph import Graph, Layers, count_tracks
from tikzgen.layout.topology.nested.placed_nodes import Arrangement

APART = 0.55  # cm between neighbors
_FRAMED_CM = 0.15  # cm more next to a frame
_GAP = {"right": 0.85, "down": 0.75}  # cm between layers, for an arrow
_LINE = 0.09  # cm more for each edge between two layers after the first
_LINES = 12  # maximum number of such edges
NEARLY = 0.15  # cm
_PAIRED = 8.0  # times the usual weight, for a paired node
_SAME = 0.002  # cm: gaps may be so much smaller than needed if they were recorded
_KEPT = 100.0  # times the usual weight, for a member with a recorded position
_PLACE_DIGITS = 8  # digits of kept positions, without the errors of sums
_SWEEP_ROUNDS = 30  # sweeps over the coordinates


class LaidOutContainer(Record):
    """A laid-out container around its anchor: its box, and all anchors and frames in it.

    `places` are the positions of its members in layers, for it and for the containers in it.
    """

    box: Box
    anchors: Mapping[str, Point]
    frames: Mapping[str, Box]
    places: Mapping[str, Mapping[str, Point]] = NOTHING


_Wire = tuple[str, str, float, float, int]
"""Two members, the coordinate of the edge at each of them across the layers, and its index."""


def places_in_layers(
    graph: Graph, name: str, way: Arrangement, layers: Layers, blocks: Mapping[str, LaidOutContainer]
) -> dict[str, Point]:
    """Return the positions of members in layers that follow each other, with gaps between members."""
    axis = 1 if way.down else 0
    depth = {member: place for place, layer in enumerate(layers) for member in layer}
    wires: list[_Wire] = [
        (
            one,
            other,
            blocks[one].anchors[graph.lines[at].source][1 - axis],
            blocks[other].anchors[graph.lines[at].target][1 - axis],
            at,
        )
        for one, other, at in graph.links[name]
        if one in depth and other in depth
    ]
    along = _along(graph, way, layers, depth, wires, blocks)
    across = _across(graph, way, layers, depth, wires, blocks)
    if way.kept:
        across = _keep_across(graph, way, layers, wires, blocks, across)
    return {
        member: (across[member], along[member]) if way.down else (along[member], across[member]) for member in depth
    }


def _along(
    graph: Graph,
    way: Arrangement,
    layers: Layers,
    depth: Mapping[str, int],
    wires: Sequence[_Wire],
    blocks: Mapping[str, LaidOutContainer],
) -> dict[str, float]:
    """Return the position of each member along the layers, with room for edges and labels between layers."""
    axis = 1 if way.down else 0
    found: dict[str, float] = {}
    edge = shift = 0.0
    kept = {member: at[axis] for member, at in way.kept}
    for place, layer in enumerate(layers):
        at = edge - min(blocks[member].box[axis] for member in layer)
        if way.kept:
            before = next((kept[member] for member in layer if member in kept), -inf)
            if at < before + shift + _SAME:
                at = before + shift
            elif before > -inf:
                shift = at - before
            at = round(at, _PLACE_DIGITS)
        found.update(dict.fromkeys(layer, at))
        between = [
            graph.lines[index]
            for one, other, _, _, index in wires
            if min(depth[one], depth[other]) <= place < max(depth[one], depth[other])
        ]
        gap = _GAP["down" if way.down else "right"]
        labels = [line.label[axis] for line in between if line.label[axis]]
        labels += [room[axis] for room in way.rooms[place : place + 1] if room[axis] and way.fold == 1]
        gap = max([gap, *(label + (0.45 if way.down else 0.55) for label in labels)])
        gap += _LINE * min(max(count_tracks(between, shared=way.broken) - 1, 0), _LINES)
        gap += 0.3 if any(line.marked for line in between) else 0.0
        edge = at + max(blocks[member].box[axis + 2] for member in layer) + gap * way.loose + way.more[axis]
    return found


def _across(
    graph: Graph,
    way: Arrangement,
    layers: Layers,
    depth: Mapping[str, int],
    wires: Sequence[_Wire],
    blocks: Mapping[str, LaidOutContainer],
) -> dict[str, float]:
    """Return the positions within layers: near the medians of their neighbors, with gaps."""
    axis = 0 if way.down else 1
    beside: dict[str, list[tuple[str, float]]] = {member: [] for member in depth}
    for one, other, here, there, _ in wires:
        far = abs(depth[one] - depth[other])
        if far:
            # edges over several layers bend, and similar frames align: their middles suffice
            aside = there - here if far == 1 and not _are_alike(graph, one, other, blocks, axis) else 0.0
            beside[one].append((other, aside))
            beside[other].append((one, -aside))
    offsets = [_list_offsets(graph, way, layer, wires, blocks) for layer in layers]
    if way.broken:
        offsets = _align_columns(layers, offsets, beside)
    at: dict[str, float] = {}
    for layer, places in zip(layers, offsets, strict=True):
        middle = (places[0] + blocks[layer[0]].box[axis] + places[-1] + blocks[layer[-1]].box[axis + 2]) / 2
        at.update((member, place - middle) for member, place in zip(layer, places, strict=True))
    free = {member for member, others in beside.items() if not others}
    place = {
        member: value
        for layer, places in zip(layers, offsets, strict=True)
        for member, value in zip(layer, places, strict=True)
    }
    for one, other, _, _, _ in wires:  # a member with edges only in its layer stays near its neighbor
        for member, by in ((one, other), (other, one)):
            if member in free and by not in free:
                beside[member].append((by, place[member] - place[by]))
    pulls = _pulls(graph, layers, depth, wires)
    needed = _members_per_layer(layers, depth, beside)
    stale = [True] * len(layers)
    for sweep in range(_SWEEP_ROUNDS if any(beside.values()) else 0):
        for number in range(len(layers))[:: -1 if sweep % 2 else 1]:
            if not stale[number]:
                continue  # none of its neighbors has moved
            stale[number] = False
            layer = layers[number]
            before = [at[member] for member in layer]
            wants = [
                median([at[other] + by for other, by in beside[member]], here)
                for member, here in zip(layer, before, strict=True)
            ]
            places = _separate_places(wants, offsets[number], [pulls.get(member, 1.0) for member in layer])
            if places != before:
                at.update(zip(layer, places, strict=True))
                for following in needed[number]:
                    stale[following] = True
        if not any(stale):
            break
    for start, end in _find_cut_layers(layers, beside) if way.broken else ():
        first = at[layers[start][0]]
        for row, places in zip(layers[start + 1 : end], offsets[start + 1 : end], strict=True):
            at.update((member, first + place) for member, place in zip(row, places, strict=True))
    return at


def _keep_across(
    graph: Graph,
    way: Arrangement,
    layers: Layers,
    wires: Sequence[_Wire],
    blocks: Mapping[str, LaidOutContainer],
    usual: Mapping[str, float],
) -> dict[str, float]:
    """Return the recorded positions within layers, as far as members have room.

    New members are near their neighbors.
    """
    axis = 0 if way.down else 1
    kept = {member: at[axis] for member, at in way.kept}
    beside: dict[str, list[float]] = {}
    for one, other, here, there, _ in wires:
        for member, by, aside in ((one, other, there - here), (other, one, here - there)):
            if member not in kept and by in kept:
                beside.setdefault(member, []).append(kept[by] + aside)
    found: dict[str, float] = {}
    for layer in layers:
        shifts = sorted(kept[member] - usual[member] for member in layer if member in kept)
        shift = shifts[len(shifts) // 2] if shifts else 0.0
        wants = [kept.get(one, median(beside.get(one, []), usual[one] + shift)) for one in layer]
        offsets = _list_offsets(graph, way, layer, wires, blocks)
        gaps = zip(pairwise(wants), pairwise(offsets), strict=True)
        if any(there - here < second - first - _SAME for (here, there), (first, second) in gaps):
            wants = _separate_places(wants, offsets, [_KEPT if one in kept else 1.0 for one in layer])
        found.update((member, round(want, _PLACE_DIGITS)) for member, want in zip(layer, wants, strict=True))
    return found


def _list_offsets(
    graph: Graph,
    way: Arrangement,
    layer: Sequence[str],
    wires: Sequence[_Wire],
    blocks: Mapping[str, LaidOutContainer],
) -> list[float]:
    """Return the positions of the members of a layer at their least distances, from 0 on."""
    axis = 0 if way.down else 1
    found = [0.0]
    for one, other in pairwise(layer):
        room = blocks[one].box[axis + 2] - blocks[other].box[axis]
        found.append(found[-1] + room + _between(graph, way, one, other, wires))
    return found


def _align_columns(
    rows: Layers, offsets: list[list[float]], beside: Mapping[str, Sequence[tuple[str, float]]]
) -> list[list[float]]:
    """Return offsets with one distance in the rows of a cut layer, whose members have the same neighbors."""
    found = [*offsets]
    for start, end in _find_cut_layers(rows, beside):
        pitch = max((there - here for row in offsets[start:end] for here, there in pairwise(row)), default=0.0)
        found[start:end] = [[pitch * place for place in range(len(row))] for row in rows[start:end]]
    return found


def _find_cut_layers(rows: Layers, beside: Mapping[str, Sequence[tuple[str, float]]]) -> list[tuple[int, int]]:
    """Return the first row, and the row after the last, of layers whose members have the same neighbors."""
    near = [{frozenset(other for other, _ in beside[member]) for member in row} for row in rows]
    found = [(0, 1)]
    for place in range(1, len(rows)):
        if len(near[place]) == 1 and near[place] == near[place - 1]:
            found[-1] = (found[-1][0], place + 1)
        else:
            found.append((place, place + 1))
    return [(start, end) for start, end in found if end - start > 1]


def _members_per_layer(
    layers: Layers, depth: Mapping[str, int], beside: Mapping[str, Sequence[tuple[str, float]]]
) -> list[list[int]]:
    """Return, for each layer, the layers with positions that depend on it.

    Members without neighbors depend on their own layer.
    """
    found: list[dict[int, None]] = [{} for _ in layers]
    for member, others in beside.items():
        for other in [one for one, _ in others] or [member]:
            found[depth[other]][depth[member]] = None
    return [list(each) for each in found]


def _are_alike(graph: Graph, one: str, other: str, blocks: Mapping[str, LaidOutContainer], axis: int) -> bool:
    """Return whether two members are frames with equally many members and the same size on an axis."""
    frames = [graph.containers[name] for name in (one, other) if name in graph.containers]
    if len(frames) < 2 or len(frames[0].members) != len(frames[1].members):
        return False
    first, second = (blocks[name].box[axis + 2] - blocks[name].box[axis] for name in (one, other))
    return abs(first - second) < NEARLY


def median(values: list[float], otherwise: float) -> float:
    if not values:
        return otherwise
    values.sort()
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def _pulls(graph: Graph, layers: Layers, depth: Mapping[str, int], wires: Sequence[_Wire]) -> dict[str, float]:
    """Return the weights of paired nodes, which pull more than others towards their neighbors.

    A paired node is the only one in a layer without frames that has edges in both directions with an adjacent layer.
    These edges run side by side if both nodes align.
    """
    near = {graph.lines[index].ends for one, other, _, _, index in wires if abs(depth[one] - depth[other]) == 1}
    paired = {one for one, other in near if (other, one) in near}
    plain = [layer for layer in layers if all(member in graph.by_id for member in layer)]
    among = [paired.intersection(layer) for layer in plain]
    return {member: _PAIRED for found in among if len(found) == 1 for member in found}


def _separate_places(wants: Sequence[float], offsets: Sequence[float], pulls: Sequence[float]) -> list[float]:
    """Return the positions closest to `wants` with minimum offsets; neighbors in conflict share a mean."""
    blocks: list[tuple[float, float, int]] = []
    for want, offset, pull in zip(wants, offsets, pulls, strict=True):
        blocks.append((want - offset, pull, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (value, weight, count), (first, heavy, many) = blocks.pop(), blocks.pop()
            blocks.append(((first * heavy + value * weight) / (heavy + weight), heavy + weight, many + count))
    means = [value for value, _, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _between(graph: Graph, way: Arrangement, one: str, other: str, wires: Sequence[_Wire]) -> float:
    """Return the gap of neighbors in a layer, with room for edges between them and labels next to them."""
    gap = APART + _FRAMED_CM * (one in graph.containers or other in graph.containers)
    axis = 0 if way.down else 1
    for first, second, _, _, index in wires:
        label = graph.lines[index].label
        if graph.lines[index].mesh:  # its label is next to its trunk
            continue
        if {first, second} == {one, other}:
            gap = max(gap, label[axis] + (0.55 if way.down else 0.5), 0.8)
        elif way.down and (one in (first, second) or other in (first, second)):
            gap = max(gap, min(1.6, label[0] * 0.55 + 0.25))
    return gap * way.loose + way.more[axis]
