"""Flows that share a trunk: stated buses, flows from one node to similar ones, and many-to-many flows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tikzgen.base.record import Record
from tikzgen.model.topology import (
    Entity,
    Flow,
    Topology,
)

_FEW_FLOWS = 2  # flows of one kind that leave or arrive; two run straight or share trunks
_MANY_FLOWS = 3  # from this number of flows of one kind that leave or arrive, they share trunks or are woven

_Hub = tuple[str, str, int]
"""A kind of flow, a node id, and its end: source (0) or target (1)."""


class Trunk(Record):
    """Trunk of a flow: the number of its bundle, or 0 without one.

    Flows of one bundle share a trunk; with `alike`, only if that is clearer. `woven` flows run from each of several
    sources to each of several targets.
    """

    bundle: int = 0
    woven: bool = False
    alike: bool = False


def shared_trunks(part: Topology) -> list[Trunk]:
    """Return the trunk of each flow."""
    flows = part.flows
    hubs: dict[_Hub, list[int]] = {}
    for index, flow in enumerate(flows):
        for place, end in enumerate((flow.source, flow.target)):
            if flow.source != flow.target and flow.route in ("auto", "bus") and flow.has_free_ends:
                hubs.setdefault((flow.kind, end, place), []).append(index)
    looks, few = (
        _looks(part),
        [flow.route == "auto" and flow.has_free_ends and _is_complete(flows, hubs, flow) for flow in flows],
    )
    found = [Trunk(woven=complete) for complete in few]
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
                    found[index] = Trunk(number, index in woven, served and flows[index].route == "auto")
    return found


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
