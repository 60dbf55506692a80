"""Nodes, groups and flows of a diagram, collected in the order of the diagram, as data of a topology."""

from __future__ import annotations

from typing import Any

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.spec.diagrams.diagram_source import DiagramSource, Located
from tikzgen.spec.diagrams.label_text import escape_dollars

_NAMES_WITH_ICON = pattern_of(r"(?:w|worker|gpu|rank|ps|server|data|dataset|dots)-?\d*")
"""Ids from which a spec infers a kind of node with an icon."""

THICK_PT = 1.3
"""Width of a thick flow in pt."""


class GraphGroup:
    """An open or closed group: the names of its members in their order."""

    def __init__(self, key: str, offset: int, label: str | None = None) -> None:
        self.key = key
        self.offset = offset
        self.label = label
        self.mentioned: dict[str, None] = {}
        self.layout: dict[str, Any] | None = None


class FlowEnds(Record):
    """Ends of a flow before the final ids are known."""

    source: str
    target: str
    offset: int
    fields: dict[str, Any]


class GraphParts:
    """The parts of a topology by their names in the diagram. A name is a node unless a group has it."""

    def __init__(self, source: DiagramSource) -> None:
        self._source = source
        self.direction = "auto"
        self.is_reversed = False
        self._nodes: dict[str, Located] = {}
        self._groups: dict[str, GraphGroup] = {}
        self._open: set[str] = set()  # groups whose end was not read; a mention inside does not make them members
        self._owners: dict[str, str] = {}
        self._flows: list[FlowEnds] = []
        self._notes: list[Located] = []
        self._kinds: dict[str, dict[str, Any]] = {}
        self._loops: set[str] = set()

    def add_node(self, name: str, offset: int, **fields: Any) -> None:
        """Add a node, or fields to a node that exists."""
        if name not in self._nodes:
            self._source.count_part(offset)
            self._nodes[name] = Located(offset)
        self._nodes[name].update(fields)

    def fields_of(self, name: str) -> Located:
        """Return the fields of a node."""
        return self._nodes[name]

    def find_group(self, name: str) -> GraphGroup | None:
        """Return the group of a name."""
        return self._groups.get(name)

    def open_group(self, key: str, offset: int, label: str | None = None) -> GraphGroup:
        """Return the group of a name; a group that exists is continued."""
        if key not in self._groups:
            self._source.count_part(offset)
            self._groups[key] = GraphGroup(key, offset, label)
        self._open.add(key)
        return self._groups[key]

    def close_group(self, group: GraphGroup, parent: GraphGroup | None) -> None:
        """Make the mentioned names members of a group, unless another group owns them."""
        for name in group.mentioned:
            if name not in self._open and not self._is_inside(group.key, name):
                self._owners.setdefault(name, group.key)
        self._open.discard(group.key)
        if parent is not None:
            parent.mentioned[group.key] = None

    def add_flow(self, source: str, target: str, offset: int, **fields: Any) -> None:
        """Add a flow between two names."""
        self._source.count_part(offset)
        self._flows.append(FlowEnds(source, target, offset, fields))

    def add_note(self, offset: int, **fields: Any) -> None:
        """Add a note."""
        self._source.count_part(offset)
        self._notes.append(Located(offset, **fields))

    def _name_kind(self, look: dict[str, Any]) -> str:
        """Return the name of the kind of flow with a style: `dashed`, `thick`, `red-dotted`."""
        words = ["thick" if field == "width" else str(value).strip("#") for field, value in look.items()]
        name = "-".join(word if word[:1].isalpha() else f"c{word}" for word in words).lower()
        self._kinds[name] = look
        return name

    def make_data(self) -> dict[str, Any]:
        """Return the data of a spec. Raise `SpecError` for a diagram without nodes."""
        groups = self._make_groups()
        kept = {group["id"] for group in groups}
        nodes = [self._make_node(name, node) for name, node in self._nodes.items() if name not in self._groups]
        if not nodes:
            self._source.refuse_empty("the diagram has no nodes", "add a node")
        known = kept | {node["id"] for node in nodes}
        flows = [flow for ends in self._flows if (flow := self._make_flow(ends, known))]
        figure: dict[str, Any] = {}
        if self._kinds:
            figure["kinds"] = self._kinds
        content: dict[str, Any] = {"type": "topology"}
        if self.direction != "auto":
            content["layout"] = {"type": "auto", "direction": self.direction}
        content |= {"nodes": nodes} | ({"groups": groups} if groups else {}) | ({"flows": flows} if flows else {})
        if self._notes:
            content["notes"] = self._notes
        return {**figure, "panels": [{"content": content}]}

    def _make_node(self, name: str, node: Located) -> Located:
        """Return a node with its id; its name is the label, unless the diagram states one."""
        own = self._source.id_of(name, node.offset)
        fields = dict(node)
        label = fields.pop("label", escape_dollars(name))
        kind = {"kind": "node"} if _NAMES_WITH_ICON.fullmatch(own) else {}
        return Located(node.offset, **kind, id=own, **({} if label == own else {"label": label}), **fields)

    def _make_groups(self) -> list[Located]:
        """Return the groups with members; report the others."""
        members: dict[str, list[str]] = {key: [] for key in self._groups}
        for name in (*self._nodes, *self._groups):
            owner = self._owners.get(name)
            if owner is not None and (name in self._groups or name in self._nodes):
                members[owner].append(name)
        for key, group in self._groups.items():
            order = {name: index for index, name in enumerate(group.mentioned)}
            members[key] = sorted(dict.fromkeys(members[key]), key=lambda name, order=order: order[name])  # type: ignore[misc]
        empty = self._find_empty_groups(members)
        directed = self._find_groups_with_flows()
        made = []
        for key, group in self._groups.items():
            if key in empty:
                if not members[key]:
                    self._source.report(f"group {quote(key)} has no nodes", group.offset, "add a node to it")
                continue
            own = self._source.id_of(key, group.offset)
            inside = [self._source.id_of(name, group.offset) for name in members[key] if name not in empty]
            label = escape_dollars(key) if group.label is None else group.label
            layout = group.layout or ({"type": "auto", "direction": self.direction} if key in directed else None)
            fields = {"layout": layout} if layout else {}
            made.append(Located(group.offset, id=own, **({"label": label} if label else {}), members=inside, **fields))
        return made

    def _find_empty_groups(self, members: dict[str, list[str]]) -> set[str]:
        """Return the groups without nodes, also not in groups inside."""
        empty = {key for key, names in members.items() if not names}
        while found := {
            key for key, names in members.items() if key not in empty and all(name in empty for name in names)
        }:
            empty |= found
        return empty

    def _find_groups_with_flows(self) -> set[str]:
        """Return the groups with a flow between two of their members, if the diagram has a direction."""
        found: set[str] = set()
        for flow in self._flows if self.direction != "auto" else ():
            found |= set(self._list_owners(flow.source)) & set(self._list_owners(flow.target))
        return found

    def _list_owners(self, name: str) -> list[str]:
        """Return the groups around a node or a group, from the inside to the outside."""
        found: list[str] = []
        while name in self._owners:
            name = self._owners[name]
            found.append(name)
        return found

    def _is_inside(self, name: str, group: str) -> bool:
        """Return whether a node or a group is in a group, at any depth."""
        return group in self._list_owners(name)

    def _make_flow(self, ends: FlowEnds, known: set[str]) -> Located | None:
        source, target = (self._source.id_of(name, ends.offset) for name in (ends.source, ends.target))
        fields = dict(ends.fields)
        if look := fields.pop("look", {}):
            fields["kind"] = self._name_kind(look)
        if not {source, target} <= known:
            self._source.report("a connection ends at a group without nodes", ends.offset, "add a node to the group")
            return None
        inner = fields.pop("parts", ("", ""))
        if self._is_inside(ends.source, ends.target) or self._is_inside(ends.target, ends.source):
            self._source.report("a connection ends at a group around its other end", ends.offset)
            return None
        if source == target and source in self._loops:
            self._source.report("a second connection from a node to itself", ends.offset, "join both labels")
            return None
        self._loops |= {source} & {target}
        if all(inner) and source == target:
            self._source.report("a connection between parts of one node", ends.offset, "draw the parts as nodes")
            return None
        source, target = (
            f"{end}.part({part})" if part else end for end, part in zip((source, target), inner, strict=True)
        )
        if self.is_reversed and source != target:
            source, target = target, source
            turned = {"forward": "backward", "backward": "forward"}
            way = fields.pop("direction", "forward")
            way = turned.get(way, way)
            fields = {**fields} if way == "forward" else {"direction": way, **fields}
        return Located(ends.offset, source=source, target=target, **fields)
