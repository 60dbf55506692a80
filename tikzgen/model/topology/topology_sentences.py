"""Sentences about topologies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from tikzgen.base.plain_words import count_of, join_words, list_names, spell_plural
from tikzgen.model.figure import FigureModel
from tikzgen.model.sentences import Known, Sentence
from tikzgen.model.topology.entities import Entity, Server
from tikzgen.model.topology.flow_products import Pair, Product, find_group, find_ring, split_into_products
from tikzgen.model.topology.flows_and_groups import Flow
from tikzgen.model.topology.node_shapes import SHAPES
from tikzgen.model.topology.topology import Topology
from tikzgen.model.topology.topology_layouts import Grid, Levels, Line, Ring, Star, Tree
from tikzgen.text.spoken_labels import label_to_unicode

_STATE_PHRASES = {"failed": "have failed", "idle": "are idle", "highlighted": "are highlighted"}
_STATES = {"failed": "has failed", "idle": "is idle", "highlighted": "is highlighted"}


def describe(content: Topology, figure: FigureModel, known: Known) -> Iterator[Sentence]:
    """Yield sentences about a topology, the most important one first."""
    people = [node for node in content.nodes if isinstance(node, Entity)]
    names = {node.id: label_to_unicode(node.label) or node.id for node in people}
    dots = {node.id: "others" for node in content.nodes if not isinstance(node, Entity)}
    yield Sentence(
        2 if known.subject else 0, f"{_describe_nodes(people, names) or 'dots'}{_describe_layout(content, names)}"
    )
    frames = {group.id: label_to_unicode(group.label) or group.id for group in content.groups}
    if content.flows:
        yield Sentence(0, f"Flows: {'; '.join(_describe_flows(content, figure, people, {**names, **dots, **frames}))}")
    for state, word in _STATES.items():
        if marked := [names[node.id] for node in people if node.state == state]:
            verb = word if len(marked) == 1 else _STATE_PHRASES[state]
            yield Sentence(1, f"{list_names(marked)} {verb}", named=True)
    if frames:
        inside = {**names, **frames}
        around = [
            f"{frames[group.id]} around {list_names([inside[one] for one in group.members if one in inside])}"
            for group in content.groups
        ]
        yield Sentence(1, f"Groups: {'; '.join(around)}")
    if notes := [text for note in content.notes if (text := label_to_unicode(note.text))]:
        yield Sentence(1, f"Notes: {'; '.join(notes)}")
    for node in people:
        if node.shape and SHAPES.package_of(node.shape):
            yield Sentence(2, f"{names[node.id]} is drawn as {SHAPES[node.shape].phrase}", named=True)
        if parts := [text for part in node.parts if (text := label_to_unicode(part.label))]:
            yield Sentence(2, f"{names[node.id]} holds {list_names(parts)}", named=True)
        if isinstance(node, Server) and node.rule and not node.icon:
            yield Sentence(2, f"Rule of {names[node.id]}: {label_to_unicode(node.rule)}", named=True)


def _describe_nodes(people: Sequence[Entity], names: dict[str, str]) -> str:
    """Return the nodes by role: `3 workers (GPU 0 to GPU 2) and 1 server (PS)`."""
    kinds = _by_kind(people).items()
    return join_words(
        f"{count_of(len(ids), kind)} ({list_names([names[each] for each in ids])})" for kind, ids in kinds
    )


def _by_kind(people: Sequence[Entity]) -> dict[str, list[str]]:
    """Return the ids of nodes by role, or by kind if they have no role."""
    kinds: dict[str, list[str]] = {}
    for node in people:
        kind = getattr(node, "kind", "node").replace("-", " ")
        kinds.setdefault(node.role.strip() or kind, []).append(node.id)
    return kinds


def _describe_layout(content: Topology, names: dict[str, str]) -> str:
    """Describe the layout of the nodes."""
    match content.arrangement:
        case Line(type="row"):
            return " in a row" if len(content.nodes) > 1 else ""
        case Line():
            return " in a column" if len(content.nodes) > 1 else ""
        case Grid():
            rows = content.arrangement.rows([node.id for node in content.nodes])
            return f" in a grid of {count_of(max(map(len, rows)), 'column')}"
        case Star(center=center):
            return f" around {names.get(center, center)}"
        case Ring():
            return " in a ring"
        case Tree(root=root):
            return f" in a tree under {names.get(root, root)}"
        case Levels(direction=direction):
            return f" in levels {'from left to right' if direction == 'right' else 'downwards'}"
    return ""


_PRODUCT_LIMIT = 4  # products that are listed separately


def _describe_flows(
    content: Topology, figure: FigureModel, people: Sequence[Entity], names: dict[str, str]
) -> Iterator[str]:
    """Yield a phrase for the flows of each kind and direction, in order of first appearance."""
    groups: dict[tuple[str, str], list[Flow]] = {}
    for flow in content.flows:
        way = {"backward": "forward"}.get(flow.direction, flow.direction)
        groups.setdefault((flow.kind, way), []).append(flow)
    kinds = _by_kind(people)
    for (kind, way), flows in groups.items():
        what = figure.kind(kind).plural or (kind if kind in ("data", "control") else f"{kind.replace('-', ' ')} flows")
        yield f"{what} {join_words(_describe_flow_products(flows, kinds, names, directed=way == 'forward'))}"


def _describe_flow_products(
    flows: Sequence[Flow], kinds: dict[str, list[str]], names: dict[str, str], *, directed: bool
) -> list[str]:
    """Return phrases for flows of one kind: a complete group, a ring, or products of sources and targets.

    `directed` flows run from their source to their target, others in both directions.
    """
    labels: dict[Pair, list[str]] = {}
    for flow in flows:
        ends = (flow.source, flow.target)
        own = labels.setdefault(ends[::-1] if flow.direction == "backward" else ends, [])
        own.extend([text] if (text := label_to_unicode(flow.label)) else [])
    pairs = list(labels)
    group = find_group(pairs, both_ways=not directed)
    ring = [] if group else find_ring(pairs)
    if (group or ring) and (label := _label_of(pairs, labels)) is not None:
        if len(group) == 2:
            return [f"between {join_words(names[name] for name in group)}{label}"]
        return [f"{'among' if group else 'in a ring of'} {_name_nodes(group or ring, kinds, names)}{label}"]
    products = [each for whole in split_into_products(pairs) for each in _by_label(whole, labels)]
    said: dict[str, list[str | None]] = {}
    left = 0
    for place, (sources, targets) in enumerate(products):
        begin, end = _name_nodes(sources, kinds, names), _name_nodes(targets, kinds, names)
        text = (
            f"from {begin} to {end}"
            if directed
            else f"between {_add_each_of(begin, sources)} and {_add_each_of(end, targets)}"
        )
        is_last = place == len(products) - 1
        if left or (len(said) >= _PRODUCT_LIMIT - 1 and not is_last):
            left += len(sources) * len(targets)
        else:
            said.setdefault(text, []).append(_label_of([*product(sources, targets)], labels))
    told = [f"{text}{_spell_times(own)}{''.join(dict.fromkeys(filter(None, own)))}" for text, own in said.items()]
    return [*told, count_of(left, "more flow")] if left else told


def _add_each_of(said: str, ids: Sequence[str]) -> str:
    """Return "each of …" for a list of names, to separate it from the name after it."""
    return f"each of {said}" if len(ids) > 1 and not said.startswith("the ") else said


def _spell_times(found: Sequence[object]) -> str:
    """Return the number of times, if several nodes have the same name."""
    return {1: "", 2: " twice"}.get(len(found), f" {len(found)} times")


def _by_label(whole: Product, labels: Mapping[Pair, Sequence[str]]) -> list[Product]:
    """Return the product, or a product per label if labels in one phrase would be ambiguous."""
    pairs = list(product(*whole))
    if _label_of(pairs, labels) is not None:
        return [whole]
    own: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs:
        own.setdefault(tuple(labels[pair]), []).append(pair)
    return [each for alike in own.values() for each in split_into_products(alike)]


def _label_of(pairs: Sequence[Pair], labels: Mapping[Pair, Sequence[str]]) -> str | None:
    """Return the labels of flows in parentheses: one for all, or one for each; None if ambiguous."""
    own = {tuple(labels[pair]) for pair in pairs}
    if len(own - {()}) < 2:
        return "".join(f" ({list_names(list(dict.fromkeys(each)))})" for each in own if each)
    each = [text for pair in pairs for text in labels[pair]]
    is_one_each = len(each) == len(pairs) == len(own) and all(len(label) == 1 for label in own)
    return f" ({list_names(each)})" if is_one_each else None


def _name_nodes(ids: Sequence[str], kinds: dict[str, list[str]], names: dict[str, str]) -> str:
    """Return one name for several nodes if they are all nodes of one role: `the workers`."""
    for kind, members in kinds.items() if len(ids) > 1 else ():
        if set(ids) == set(members) and kind != "node":
            return f"the {spell_plural(kind)}"
    return list_names([names[name] for name in ids], series="through")
