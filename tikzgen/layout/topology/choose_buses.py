"""Flows that share a trunk: stated buses, flows from one node to similar ones, and many-to-many flows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tikzgen.base.record import Record, replace
from tikzgen.model.topology import (
    Entity,
    Flow,
    Ring,
    Star,
    Topology,
)

_FEW_FLOWS = 2  # flows of one kind that leave or arrive; two run straight or share trunks
_MANY_FLOWS = 3  # from this number of flows of one kind that leave or arrive, they share trunks or are woven

_STRAIGHT_FLOWS = 24  # maximum number of flows between two sets that run straight, without a trunk
_LEAST_FLOWS = 9  # flows from one set to another that need a trunk if there are opposite flows, or if the sets are one
_CANDIDATE_LIMIT = 16  # sets of targets that are tried, the most frequent ones first

_Hub = tuple[str, str, int]
"""A kind of flow, a node id, and its end: source (0) or target (1)."""


class Trunk(Record):
    """Trunk of a flow: the number of its bundle, or 0 without one.

    Flows of one bundle share a trunk; with `alike`, only if that is clearer. `woven` flows run from each of several
    sources to each of several targets, and flows of a `mesh` also share one trunk. Flows of one `complete` set (or 0)
    share a trunk unless all of them run straight.
    """

    bundle: int = 0
    woven: bool = False
    alike: bool = False
    mesh: bool = False
    complete: int = 0


def shared_trunks(part: Topology) -> list[Trunk]:
    """Return the trunk of each flow."""
    flows = part.flows
    sets = _find_complete_sets(part)
    meshes, complete = _number_flows(sets, needed=True), _number_flows(sets, needed=False)
    hubs: dict[_Hub, list[int]] = {}
    for index, flow in enumerate(flows):
        if index in meshes:
            continue
        for place, end in enumerate((flow.source, flow.target)):
            if flow.source != flow.target and flow.route in ("auto", "bus") and flow.has_free_ends:
                hubs.setdefault((flow.kind, end, place), []).append(index)
    looks, few = (
        _looks(part),
        [
            index not in meshes and flow.route == "auto" and flow.has_free_ends and _is_complete(flows, hubs, flow)
            for index, flow in enumerate(flows)
        ],
    )
    found = [
        Trunk(meshes[index], mesh=True) if index in meshes else Trunk(woven=woven, complete=complete.get(index, 0))
        for index, woven in enumerate(few)
    ]
    ordered = sorted(hubs.items(), key=lambda each: -len(each[1]))
    for served in (False, True):
        for hub, members in ordered:
            free = [index for index in members if not found[index].bundle and not few[index]]
            woven = [index for index in free if flows[index].route == "auto" and _is_woven(flows, hubs, hub, index)]
            stated = [index for index in free if flows[index].route == "bus"]
            joining = _served_flows(flows, looks, hub, free) if served else [*woven, *stated]
            single = {(flows[index].source, flows[index].target): index for index in joining}.values()
            if len(single) > 1:
                number = 1 + max(trunk.bundle for trunk in found)
                for index in single:
                    alike = served and flows[index].route == "auto"
                    found[index] = replace(found[index], bundle=number, woven=index in woven, alike=alike)
    return found


def list_circles(part: Topology) -> list[set[str]]:
    """Return the members of each group in a ring or star."""
    return [{*group.members} for group in part.groups if isinstance(group.layout, (Ring, Star))]


def find_meshes(part: Topology) -> dict[int, int]:
    """Return the bundles of flows from each of several nodes to each of several nodes that need a trunk, by flow."""
    return _number_flows(_find_complete_sets(part), needed=True)


def _number_flows(sets: Iterable[tuple[bool, Sequence[int]]], *, needed: bool) -> dict[int, int]:
    """Return the number of its set, from 1, for each flow of the sets that need a trunk, or of the others."""
    chosen = [members for needs, members in sets if needs is needed]
    return {index: number for number, members in enumerate(chosen, 1) for index in members}


def _find_complete_sets(part: Topology) -> list[tuple[bool, list[int]]]:
    """Return sets of flows from each of several nodes to each of several nodes, and whether they need a trunk.

    The flows of a set have one style. Up to 24 flows from one set of nodes to another may run straight without a trunk,
    unless there are opposite flows. Such a small set has no label or step, and each of its sides is in one group.
    Chords in a ring or star are never a set.
    Source: F. J. Newbery, "Edge Concentration", 1989.
    """
    nodes = {node.id for node in part.nodes}
    circles = list_circles(part)
    alike: dict[tuple[object, ...], dict[tuple[str, str], int]] = {}
    for index, flow in enumerate(part.flows if not isinstance(part.arrangement, (Ring, Star)) else ()):
        pair = str(flow.source), str(flow.target)
        around = any(circle.issuperset(pair) for circle in circles)
        if len({*pair} & nodes) == len(pair) and flow.route in ("auto", "bus") and flow.has_free_ends and not around:
            style = flow.kind, flow.direction, flow.label, flow.label_at, flow.side, flow.step
            pairs = alike.setdefault(style, {})
            pairs.setdefault(pair, index)
            if flow.direction in ("both", "none"):
                pairs.setdefault(pair[::-1], index)
    found = [biclique for pairs in alike.values() for biclique in _find_bicliques(pairs)]
    between: Counter[frozenset[frozenset[str]]] = Counter()
    sources: dict[frozenset[frozenset[str]], set[str]] = {}
    for sides, members in found:
        between[sides] += len(members)
        sources.setdefault(sides, set()).update(part.flows[index].source for index in members)
    mutual = {sides for sides, names in sources.items() if len(sides) == 1 or names >= frozenset().union(*sides)}
    needed = [between[sides] > _STRAIGHT_FLOWS or sides in mutual for sides, _ in found]
    held = {member: group.id for group in part.groups for member in group.members}
    plain = [
        not (part.flows[members[0]].label or part.flows[members[0]].step)
        and all(len({held.get(name) for name in side}) == 1 for side in sides)  # no trunk between frames
        for sides, members in found
    ]
    return [(needs, members) for needs, may, (_, members) in zip(needed, plain, found, strict=True) if needs or may]


def find_repeated_labels(part: Topology) -> frozenset[int]:
    """Return the flows of bundles whose label another flow has: the last one from the source of the first."""
    bundles: dict[int, list[int]] = {}
    for index, number in sorted(find_meshes(part).items()):
        bundles.setdefault(number, []).append(index)
    hubs = {number: part.flows[members[0]].source for number, members in bundles.items()}
    labeled = {
        number: max(index for index in members if part.flows[index].source == hubs[number])
        for number, members in bundles.items()
    }
    return frozenset(index for number, members in bundles.items() for index in members if index != labeled[number])


def _find_bicliques(pairs: Mapping[tuple[str, str], int]) -> Iterator[tuple[frozenset[frozenset[str]], list[int]]]:
    """Yield pairs of node sets, and the flows that join all nodes of both, largest first."""
    left = dict(pairs)
    while len(left) >= _LEAST_FLOWS:
        sources, targets = max(_list_candidates(left), key=lambda sides: len(sides[0]) * len(sides[1]))
        taken = (index for (one, other), index in left.items() if one in sources and other in targets)
        members = dict.fromkeys(taken)
        if len(members) < _LEAST_FLOWS or min(len(sources), len(targets)) < _FEW_FLOWS:
            return
        yield frozenset({sources, targets}), list(members)
        left = {pair: index for pair, index in left.items() if index not in members}


def _list_candidates(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield sets of sources and targets: a set of neighbors, and all nodes that have them."""
    joined: tuple[dict[str, set[str]], dict[str, set[str]]] = ({}, {})
    for pair in pairs:
        for end in (0, 1):
            joined[end].setdefault(pair[end], set()).add(pair[1 - end])
    for end, neighbors in enumerate(joined):
        tried = Counter(frozenset(others) for others in neighbors.values())
        tried.update(frozenset({one, *others}) for one, others in neighbors.items())
        for far, _ in sorted(tried.items(), key=lambda each: -each[1] * len(each[0]))[:_CANDIDATE_LIMIT]:
            near = frozenset(one for one, others in neighbors.items() if far <= others | {one})
            yield (far, near) if end else (near, far)


def _is_complete(flows: Sequence[Flow], hubs: Mapping[_Hub, Sequence[int]], flow: Flow) -> bool:
    """Return whether a flow belongs to a complete bipartite set with two sources or two targets."""
    if flow.source == flow.target:
        return False
    targets = {flows[one].target for one in hubs[flow.kind, flow.source, 0]}
    sources = {flows[one].source for one in hubs[flow.kind, flow.target, 1]}
    if min(len(sources), len(targets)) != _FEW_FLOWS:
        return False
    leaving = [[flows[one] for one in hubs[flow.kind, source, 0]] for source in sorted(sources)]
    alike = all({one.target for one in each} == targets for each in leaving)
    return alike and sum(bool(one.label) for each in leaving for one in each) < 2


def _is_woven(flows: Sequence[Flow], hubs: Mapping[_Hub, Sequence[int]], hub: _Hub, index: int) -> bool:
    """Return whether a flow leaves a source with many flows for a target with many flows."""
    flow = flows[index]
    labels = sum(bool(flows[one].label) for one in hubs[hub])
    ends = ((flow.kind, flow.source, 0), (flow.kind, flow.target, 1))
    return hub[2] == 0 and labels < 2 and min(len(hubs[end]) for end in ends) >= _MANY_FLOWS


def _served_flows(flows: Sequence[Flow], looks: Mapping[str, object], hub: _Hub, members: Sequence[int]) -> list[int]:
    """Return the largest set of flows in one direction between a node and similar nodes.

    The set is empty if it is small, or if two of its flows have a label or a step. It is also empty if a pair has flows
    in both directions, because only their ends distinguish them.
    """
    alike: dict[object, list[int]] = {}
    for index in members:
        flow = flows[index]
        other = (flow.source, flow.target)[1 - hub[2]]
        alike.setdefault((looks[other], flow.direction), []).append(index)
    back = {(flow.target, flow.source) for flow in flows}
    found = max(alike.values(), key=len, default=[])
    texts = [flows[index] for index in found if flows[index].label or flows[index].step is not None]
    mutual = any((flows[index].source, flows[index].target) in back for index in found)
    return found if len(found) >= _MANY_FLOWS and len(texts) < 2 and not mutual else []


def _looks(part: Topology) -> dict[str, object]:
    """Return a key per node and group: its appearance and the sizes of its groups; similar ones share it."""
    holders = {member: group for group in part.groups for member in group.members}

    def around(name: str) -> tuple[int, ...]:
        group = holders.get(name)
        return (len(group.members), *around(group.id)) if group else ()

    found: dict[str, object] = {group.id: ("frame", len(group.members), around(group.id)) for group in part.groups}
    for node in part.nodes:
        look = (node.kind, node.icon, node.shape) if isinstance(node, Entity) else (node.kind,)
        found[node.id] = (*look, around(node.id))
    return found
