"""Removal of a node from a topology, with its flows, its group memberships and references to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tikzgen.base.errors import EditRefused, quote
from tikzgen.model.operations.parts_of_figures import Renames, copy_with
from tikzgen.model.topology.entities import DataSource, Server, Worker
from tikzgen.model.topology.flows_and_groups import Flow, Group
from tikzgen.model.topology.topology import Topology


def without_entity(topology: Topology, gone: str) -> tuple[Topology, Renames]:
    """Return a topology without a node, its flows, and the groups, braces and notes that become empty.

    Raise `EditRefused` if a layout requires the node.
    """
    layouts = [topology.layout, *(group.layout for group in topology.groups)]
    if any(gone in layout.required_nodes for layout in layouts if layout):
        message = f"{quote(gone)} holds the layout together"
        raise EditRefused("layout-needs-it", message, nearest="remove another one")
    nodes = [node for node in topology.nodes if node.id != gone]
    layout, flows, groups = topology.layout, topology.flows, topology.groups
    kinds: dict[str, type] = {one.id: type(one) for one in (*topology.nodes, *topology.groups)}
    leaving = [gone]
    for name in leaving:  # groups that become empty are removed with their last member
        layout, flows, groups = layout.without(name), _without_ends(flows, name, kinds), _without_member(groups, name)
        leaving += [one.id for one in groups if not one.members]
        groups = [one for one in groups if one.members]
    left: set[str | None] = {entry.id for entry in (*nodes, *groups)}
    spans = [copy_with(one, over=[name for name in one.over if name in left]) for one in topology.braces]
    spans = [one for one in spans if one.over]
    left |= {flow.id for flow in flows}
    notes = [one for one in topology.notes if one.about in (None, *left)]
    made = copy_with(topology, nodes=nodes, flows=flows, groups=groups, braces=spans, notes=notes, layout=layout)
    return made, dict.fromkeys(ids_of(topology) - ids_of(made))


def ids_of(topology: Topology) -> set[str]:
    """Return the ids of its nodes, flows and groups."""
    return {entry.id for entry in (*topology.nodes, *topology.flows, *topology.groups) if entry.id}


def _without_member(groups: Sequence[Group], gone: str) -> list[Group]:
    """Return the groups without a member."""
    return [
        copy_with(
            one,
            members=[name for name in one.members if name != gone],
            layout=one.layout and one.layout.without(gone),
        )
        for one in groups
    ]


def _without_ends(flows: list[Flow], gone: str, kinds: Mapping[str, type]) -> list[Flow]:
    """Return the flows that do not touch a node.

    A label that applies to similar flows moves to the next of them. `kinds` has the type of each end: workers, servers
    and data sources are similar to others of their type, other nodes only to themselves.
    """

    def is_same_label(old: str, new: str) -> bool:
        same = kinds.get(old) is kinds.get(new)
        return old == new or (same and (old == gone or kinds.get(old) in (Worker, Server, DataSource)))

    def speaks_for(flow: Flow, one: Flow) -> bool:
        return (
            one.kind == flow.kind and is_same_label(flow.source, one.source) and is_same_label(flow.target, one.target)
        )

    kept = [flow for flow in flows if gone not in (flow.source, flow.target)]
    for flow in flows:
        if flow.label and gone in (flow.source, flow.target):
            heir = next((at for at, one in enumerate(kept) if not one.label and speaks_for(flow, one)), None)
            if heir is not None:
                kept[heir] = copy_with(kept[heir], label=flow.label, **({"id": flow.id} if flow.id else {}))
    return kept
