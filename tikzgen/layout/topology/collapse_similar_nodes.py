"""Runs of similar nodes, drawn as the first ones, three dots, and the last one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from tikzgen.model.topology import AnyEntity, Dots, Entity, Flow, Row, Topology

_LOOKS = ("kind", "icon", "shape", "color", "state", "role", "replicas", "pin", "offset")


def leave_out_many(topology: Topology, linked: Collection[str]) -> Topology:
    """Return the topology with dots for the nodes that `collapse` omits; always keep the ends of links."""
    if topology.collapse is None and all(group.collapse is None for group in topology.groups):
        return topology
    stretches = list(_stretches(topology, {*linked, *_required_names(topology)}))
    taken = {part.id for part in (*topology.nodes, *topology.groups, *topology.flows)}
    dots: dict[str, str] = {}
    for stretch in stretches:
        plain = len(stretches) == 1 and "dots" not in taken
        dots.update(dict.fromkeys(stretch, "dots" if plain else f"{stretch[0]}-dots"))
    if not dots:
        return topology
    nodes = {index: _instead(node, dots) for index, node in enumerate(topology.nodes)}
    drawn: dict[str, int] = {}
    for index, node in nodes.items():
        drawn.setdefault(node.id, index)
    flows = dict(_flows(topology, dots))

    def drawn_of(row: Sequence[str | None]) -> Row:
        """Return the drawn members of a row or level, each once, with its empty cells."""
        seen = dict.fromkeys(dots.get(one, one) if one else place for place, one in enumerate(row))
        return [name if isinstance(name, str) else None for name in seen]

    groups = [
        group.model_copy(
            update={"members": drawn_of(group.members), "layout": group.layout and group.layout.with_rows(drawn_of)}
        )
        for group in topology.groups
    ]
    changes = {
        "nodes": [nodes[index] for index in drawn.values()],
        "flows": list(flows.values()),
        "groups": groups,
        "braces": [span.model_copy(update={"over": drawn_of(span.over)}) for span in topology.braces],
        "layout": topology.layout.with_rows(drawn_of),
    }
    return topology.drawn_as(changes, {"nodes": [*drawn.values()], "flows": [*flows]})


def _required_names(topology: Topology) -> Iterator[str]:
    """Yield the nodes that the layout requires, and the subjects of notes."""
    yield from (note.about for note in topology.notes if note.about)
    for layout in (topology.layout, *(group.layout for group in topology.groups)):
        yield from sorted(layout.required_nodes) if layout else ()


def _stretches(topology: Topology, kept: Collection[str]) -> Iterator[list[str]]:
    """Yield runs of nodes that dots replace; keep a node if a label of its flows is on no drawn flow."""
    texts, linked = _flow_texts(topology), set(_linked_ends(topology, kept))
    for most, run in _runs(topology):
        drawn = {text for name in (*run[: most - 1], run[-1]) for text in texts[name]}
        needed = {name for name in run if name in kept or name in linked or not texts[name] <= drawn}
        hidden = [place for place in range(most - 1, len(run) - 1) if run[place] not in needed]
        for _, each in groupby(enumerate(hidden), lambda pair: pair[1] - pair[0]):
            yield [run[place] for _, place in each]


def _flow_texts(topology: Topology) -> dict[str, set[tuple[int, object, int | None]]]:
    """Return the labels and steps of the flows that leave or enter each node and each group."""
    texts: dict[str, set[tuple[int, object, int | None]]] = {
        part.id: set() for part in (*topology.nodes, *topology.groups)
    }
    for flow in topology.flows:
        if flow.label or flow.step:
            texts[flow.source].add((0, flow.label, flow.step))
            texts[flow.target].add((1, flow.label, flow.step))
    return texts


def _linked_ends(topology: Topology, kept: Collection[str]) -> Iterator[str]:
    """Yield the end nodes of flows that links end on."""
    for flow in topology.flows:
        if flow.id in kept:
            yield from (flow.source, flow.target)


def _runs(topology: Topology) -> Iterator[tuple[int, list[str]]]:
    """Yield runs of adjacent similar nodes with the maximum number to draw.

    Their flows have the same kinds and the same or similar other ends.
    """
    crowds = list(_crowds(topology))
    looks = {node.id: _look(node) for node in topology.nodes} | {group.id: (group.id,) for group in topology.groups}
    first = {name: run[0] for _, members in crowds for run in _group_similar(members, looks) for name in run}
    joined: dict[str, list[tuple[int, str, str, str]]] = {name: [] for name in looks}
    for flow in topology.flows:
        joined[flow.source].append((0, first.get(flow.target, flow.target), flow.kind, flow.route))
        joined[flow.target].append((1, first.get(flow.source, flow.source), flow.kind, flow.route))
    signs = {name: (first[name], *sorted(joined[name])) for name in first}
    yield from ((most, run) for most, members in crowds for run in _group_similar(members, signs))


def _crowds(topology: Topology) -> Iterator[tuple[int, list[str]]]:
    """Yield the maximum number to draw and the members, for each group and for the nodes without one."""
    held = {member for group in topology.groups for member in group.members}
    loose = [node.id for node in topology.nodes if node.id not in held]
    inside = [(group.collapse or topology.collapse, group.members) for group in topology.groups]
    yield from ((most, members) for most, members in [(topology.collapse, loose), *inside] if most)


def _group_similar(members: Sequence[str], signs: Mapping[str, object]) -> list[list[str]]:
    return [list(run) for _, run in groupby(members, signs.__getitem__)]


def _look(node: AnyEntity) -> tuple[object, ...]:
    """Return the visible properties of a node, without the words of its labels; dots equal no other node."""
    if not isinstance(node, Entity):
        return (node.id,)
    texts = (bool(node.label), bool(node.sublabel), len(node.parts))
    return (*(getattr(node, name) for name in _LOOKS), *texts)


def _instead(node: AnyEntity, dots: Mapping[str, str]) -> AnyEntity:
    return Dots(id=dots[node.id]) if node.id in dots else node


def _flows(topology: Topology, dots: Mapping[str, str]) -> Iterator[tuple[int, Flow]]:
    """Yield the drawn flows with their indices.

    A flow of an omitted node moves to the dots, if the drawn node would otherwise have no flow of its kind.
    """
    busy = set()
    for flow in topology.flows:
        if dots.keys().isdisjoint((flow.source, flow.target)):
            busy |= {(flow.kind, 0, flow.source), (flow.kind, 1, flow.target)}
    for index, flow in enumerate(topology.flows):
        source, target = dots.get(flow.source, flow.source), dots.get(flow.target, flow.target)
        if (source, target) == (flow.source, flow.target):
            yield index, flow
        elif flow.source not in dots or flow.target not in dots:
            alone = (flow.kind, 0, source) if target in dots.values() else (flow.kind, 1, target)
            if alone not in busy:
                busy.add(alone)
                yield index, flow.model_copy(update={"source": source, "target": target})
