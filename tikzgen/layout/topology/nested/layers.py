"""Layers of a container's members, so that edges run forward, and the order within each layer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, pairwise
from types import MappingProxyType

from tikzgen.layout.topology.nested.nested_graph import Graph, Layers

_SWEEP_ROUNDS = 12  # sweeps over the layers, alternately forward and backward
_MUTUAL_COUNT = 3  # members with edges in both directions, from which a member is a hub


def assign_layers(
    graph: Graph, name: str, looks: Mapping[str, str] = MappingProxyType({}), *, down: bool = False
) -> Layers:
    """Assign the members of a container to layers: stated ones, or longest paths ordered by barycenters.

    Edges between members of one style do not separate layers, and neither do feedback edges. Hints along the direction
    of the layers separate them, and hints across it order their members.
    """
    frame = graph.containers[name]
    if frame.layers:
        return frame.layers
    links = [(one, other, graph.lines[index].feedback) for one, other, index in graph.links[name]]
    firm = [(one, other) for axis, one, other in graph.hints_inside.get(name, ()) if axis == int(down)]
    firm += [(one, other) for one, other, feedback in links if feedback is False]
    pairs = _one_way(list(dict.fromkeys((one, other) for one, other, feedback in links if not feedback)))
    for before, dots in pairwise(frame.members):  # dots get the edges of the member before them
        if dots in graph.dots and not any(dots in pair for pair in pairs):
            pairs += [
                (dots if one == before else one, dots if other == before else other)
                for one, other in pairs
                if before in (one, other)
            ]
    making = [(one, other) for one, other in pairs if looks.get(one, one) != looks.get(other, other)]
    shared = {member: row[0] for row in graph.same for member in row}
    layer = _longest_paths(frame.members, _turn_edges(making, firm) if firm else making, dict(graph.pins), shared)
    rows = [[member for member in frame.members if layer[member] == depth] for depth in sorted({*layer.values()})]
    found = _order_layers(rows, pairs, graph.keep)
    across = [(one, other) for axis, one, other in graph.hints_inside.get(name, ()) if axis != int(down)]
    return tuple(_order_row(row, across) for row in found) if across else found


def _turn_edges(pairs: Sequence[tuple[str, str]], firm: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return edges without a cycle: the firm ones first, and others reversed where they would run back."""
    after: dict[str, list[str]] = {}
    found = []
    for one, other in (*firm, *pairs):
        reached = [other]
        for member in reached:
            reached += [each for each in after.get(member, ()) if each not in reached]
        source, target = (other, one) if one in reached else (one, other)
        after.setdefault(source, []).append(target)
        found.append((source, target))
    return list(dict.fromkeys(found))


def _order_row(row: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return a layer in which each first member of a pair is before the second one; otherwise in its order."""
    left, found = [*row], []
    while left:
        later = {other for one, other in pairs if one in left}
        found.append(next((member for member in left if member not in later), left[0]))
        left.remove(found[-1])
    return tuple(found)


def _one_way(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Drop the later direction of mutual pairs at a hub, so that its partners share the layer before it."""
    named = {pair: place for place, pair in enumerate(pairs)}
    mutual = [pair for pair in pairs if pair[::-1] in named]
    answering = {one for one, many in Counter(one for one, _ in mutual).items() if many >= _MUTUAL_COUNT}
    later = {pair for pair in mutual if named[pair[::-1]] < named[pair] and not answering.isdisjoint(pair)}
    return [pair for pair in pairs if pair not in later]


def narrower(graph: Graph, name: str, layers: Layers, most: int, whole: Collection[int] = ()) -> Layers:
    """Return layers in rows of at most `most` members; members with only later neighbors are last.

    Layers with an index in `whole` are not cut.
    """
    depth = {member: place for place, layer in enumerate(layers) for member in layer}
    back: set[str] = set()
    for one, other, _ in graph.links[name]:
        if depth[one] != depth[other]:
            back.add(max(one, other, key=depth.__getitem__))
    found: list[tuple[str, ...]] = []
    for place, layer in enumerate(layers):
        if place in whole:
            found.append(layer)
            continue
        for part in ([one for one in layer if one in back], [one for one in layer if one not in back]):
            rows = -(-len(part) // most)
            size = -(-len(part) // max(1, rows))
            found += [tuple(part[start : start + size]) for start in range(0, len(part), max(1, size))]
    return tuple(found)


def _longest_paths(
    members: Sequence[str], pairs: Sequence[tuple[str, str]], pins: Mapping[str, int], shared: Mapping[str, str]
) -> dict[str, int]:
    """Return the layer of each member by longest paths or pins, after reversing edges that run back.

    Members share the layer of another one if `shared` names it.
    """
    if shared:
        ends = [(shared.get(one, one), shared.get(other, other)) for one, other in pairs]
        heads = list(dict.fromkeys(shared.get(member, member) for member in members))
        held = {shared.get(member, member): level for member, level in pins.items()}
        layer = _longest_paths(heads, [(one, other) for one, other in ends if one != other], held, {})
        return {member: layer[shared.get(member, member)] for member in members}
    order, forward = _forward(members, pairs)
    layer = {member: pins.get(member, 0) for member in members}
    after: dict[str, list[str]] = {member: [] for member in members}
    reached = {other for _, other in forward}
    for one, other in forward:
        after[one].append(other)
    for member in order:
        for other in after[member]:
            if other not in pins:
                layer[other] = max(layer[other], layer[member] + 1)
    for member in reversed(order):  # a member without predecessors is in the layer before its first successor
        if after[member] and member not in reached and member not in pins:
            layer[member] = max(0, min(layer[other] for other in after[member]) - 1)
    return layer


def _forward(members: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the members in topological order, and the edges with back edges reversed."""
    after: dict[str, list[str]] = {member: [] for member in members}
    for one, other in pairs:
        after[one].append(other)
    entered = {other for _, other in pairs}
    done: dict[str, bool] = {}
    order: list[str] = []
    forward: list[tuple[str, str]] = []
    for first in sorted(members, key=lambda member: member in entered):
        stack = [] if first in done else [(first, iter(after[first]))]
        while stack:
            member, others = stack[-1]
            done.setdefault(member, False)
            for other in others:
                forward.append((other, member) if done.get(other) is False else (member, other))
                if other not in done:
                    stack.append((other, iter(after[other])))
                    break
            else:
                done[member] = True
                order.append(member)
                stack.pop()
    return order[::-1], forward


def _order_layers(rows: list[list[str]], pairs: Sequence[tuple[str, str]], keep: Sequence[Sequence[str]]) -> Layers:
    """Return the order with the fewest crossings that sweeps find."""
    layer = {member: depth for depth, row in enumerate(rows) for member in row}
    beside: dict[str, list[str]] = {member: [] for member in layer}
    for one, other in pairs:
        if layer[one] != layer[other]:
            beside[one].append(other)
            beside[other].append(one)
    rows = [keep_order(row, keep) for row in rows]
    best = tuple(map(tuple, rows))
    least = count_crossings(best, layer, pairs)
    for sweep in range(_SWEEP_ROUNDS if least else 0):
        for depth in range(len(rows)) if sweep % 2 == 0 else reversed(range(len(rows))):
            at = {member: (place + 0.5) / len(row) for row in rows for place, member in enumerate(row)}
            rows[depth].sort(key=lambda member: _compute_mean([at[one] for one in beside[member]], at[member]))
            rows[depth] = keep_order(rows[depth], keep)
        now = tuple(map(tuple, rows))
        crossings = count_crossings(now, layer, pairs)
        if crossings < least:
            best, least = now, crossings
    return best


def keep_order(row: list[str], keep: Sequence[Sequence[str]]) -> list[str]:
    """Return a layer in which the members of each `keep` order have that order, in the same slots."""
    for order in keep:
        turns = iter([member for member in order if member in row])
        row = [next(turns) if member in order else member for member in row]
    return row


def _compute_mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def count_crossings(rows: Layers, layer: Mapping[str, int], pairs: Sequence[tuple[str, str]]) -> float:
    """Return the number of crossings between layers, plus a cost for long edges within layers."""
    at = {member: place for row in rows for place, member in enumerate(row)}
    ways = [sorted(pair, key=layer.__getitem__) for pair in pairs]
    across = [(one, other) for one, other in ways if layer[one] != layer[other]]
    found = sum(0.3 * (abs(at[one] - at[other]) - 1) for one, other in ways if layer[one] == layer[other])
    for (a, b), (c, d) in combinations(across, 2):
        found += max(layer[a], layer[c]) < min(layer[b], layer[d]) and (at[a] - at[c]) * (at[b] - at[d]) < 0
    return found
