"""A topology in sentences: who is there, what flows between them, which frames and failures there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tikzgen.describe.english import Known, Sentence, counted, joined, listed, plural
from tikzgen.describe.speech import spoken
from tikzgen.model.entities import Entity, Server
from tikzgen.model.topology import Flow, Grid, Levels, Line, Ring, Star, Topology, Tree

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure

__all__ = ["topology"]

_KINDS = {"data-source": "data source"}
_MANY = {"failed": "have failed", "idle": "are idle", "highlighted": "are highlighted"}
_STATES = {"failed": "has failed", "idle": "is idle", "highlighted": "is highlighted"}


def topology(content: Topology, figure: Figure, known: Known) -> Iterator[Sentence]:
    """What a topology shows, what matters most first."""
    people = [node for node in content.nodes if isinstance(node, Entity)]
    names = {node.id: spoken(node.label) or node.id for node in people}
    yield Sentence(2 if known.subject else 0, f"{_people(people, names) or 'dots'}{_place(content, names)}")
    if content.flows:
        yield Sentence(0, f"Flows: {'; '.join(_flows(content, figure, people, names))}")
    for state, word in _STATES.items():
        if marked := [names[node.id] for node in people if node.state == state]:
            verb = word if len(marked) == 1 else _MANY[state]
            yield Sentence(1, f"{listed(marked)} {verb}", named=True)
    frames = {group.id: spoken(group.label) or group.id for group in content.groups}
    if frames:
        inside = {**names, **frames}
        around = [
            f"{frames[group.id]} around {listed([inside[one] for one in group.members if one in inside])}"
            for group in content.groups
        ]
        yield Sentence(1, f"Frames: {'; '.join(around)}")
    for node in people:
        if parts := [text for part in node.parts if (text := spoken(part.label))]:
            yield Sentence(2, f"{names[node.id]} holds {listed(parts)}", named=True)
        if isinstance(node, Server) and node.rule:
            yield Sentence(2, f"Its rule: {spoken(node.rule)}")


def _people(people: Sequence[Entity], names: dict[str, str]) -> str:
    """The entities by what they are: `3 workers (GPU 0 to GPU 2) and 1 server (PS)`."""
    kinds: dict[str, list[str]] = {}
    for node in people:
        kinds.setdefault(node.role.strip() or _kind(node), []).append(names[node.id])
    return joined(f"{counted(len(found), kind)} ({listed(found)})" for kind, found in kinds.items())


def _kind(node: Entity) -> str:
    kind: str = getattr(node, "kind", "node")
    return _KINDS.get(kind, kind)


def _place(content: Topology, names: dict[str, str]) -> str:
    """How they stand."""
    match content.layout:
        case Line(type="row"):
            return " in a row" if len(content.nodes) > 1 else ""
        case Line():
            return " in a column" if len(content.nodes) > 1 else ""
        case Grid(columns=columns):
            return f" in a grid of {counted(columns, 'column')}"
        case Star(center=center):
            return f" around {names.get(center, center)}"
        case Ring():
            return " in a ring"
        case Tree(root=root):
            return f" in a tree under {names.get(root, root)}"
        case Levels(direction=direction):
            return f" in levels {'from left to right' if direction == 'right' else 'downwards'}"
    return ""


def _flows(content: Topology, figure: Figure, people: Sequence[Entity], names: dict[str, str]) -> Iterator[str]:
    """The flows by kind and way, in the order of the first of each."""
    groups: dict[tuple[str, str], list[Flow]] = {}
    for flow in content.flows:
        way = {"backward": "forward"}.get(flow.direction, flow.direction)
        groups.setdefault((flow.kind, way), []).append(flow)
    crowd = _Crowd(people, names)
    for (kind, way), flows in groups.items():
        ends = [
            (flow.target, flow.source) if flow.direction == "backward" else (flow.source, flow.target) for flow in flows
        ]
        sources, targets = (list(dict.fromkeys(side)) for side in zip(*ends, strict=True))
        said = list(dict.fromkeys(text for flow in flows if (text := spoken(flow.label))))
        label = f" ({listed(said)})" if said else ""
        what = figure.kind(kind).plural or (kind if kind in ("data", "control") else f"{kind.replace('-', ' ')} flows")
        if set(sources) == set(targets):
            yield f"{what} among {crowd.call(sources)}{label}"
        elif way == "forward":
            yield f"{what} from {crowd.call(sources)} to {crowd.call(targets)}{label}"
        else:
            yield f"{what} between {crowd.call(sources)} and {crowd.call(targets)}{label}"


class _Crowd:
    """Calls several entities by one name where they are all of a kind: `the workers`."""

    def __init__(self, people: Sequence[Entity], names: dict[str, str]) -> None:
        self._names = names
        self._kinds: dict[str, list[str]] = {}
        for node in people:
            self._kinds.setdefault(node.role.strip() or _kind(node), []).append(node.id)

    def call(self, ids: Sequence[str]) -> str:
        known = [name for name in ids if name in self._names]
        if len(known) > 1:
            for kind, members in self._kinds.items():
                if set(known) == set(members) and kind != "node":
                    return f"the {plural(kind)}"
        return listed([self._names[name] for name in known]) or joined(ids)
