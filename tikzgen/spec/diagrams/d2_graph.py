"""Reader of D2: shapes, containers, connections, tables; sequence diagrams are in `d2_sequence`."""

from __future__ import annotations

from typing import Any

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import replace
from tikzgen.spec.diagrams.d2_labels import list_leaves, read_d2_label, read_look
from tikzgen.spec.diagrams.d2_sequence import is_sequence, read_d2_sequence
from tikzgen.spec.diagrams.d2_syntax import D2Connection, D2Entry, parse_d2
from tikzgen.spec.diagrams.diagram_source import DiagramSource
from tikzgen.spec.diagrams.graph_parts import GraphGroup, GraphParts
from tikzgen.spec.diagrams.import_formats import ImportFormat, Syntax
from tikzgen.spec.diagrams.label_text import escape_dollars, is_color

_SIGNS = pattern_of(r"(?:^|\n)[ \t]*[^#\n]*(?:->|<-|--|:[ \t]|\{)")
_SHAPES = {
    **dict.fromkeys(("rectangle", "square"), "box"),
    "oval": "pill",
    **{name: name for name in ("circle", "diamond", "cylinder", "cloud", "text")},
    "queue": "cylinder",
    **dict.fromkeys(("sql_table", "class"), "table"),
}
_DIRECTIONS = {"right": "right", "down": "down", "left": "right", "up": "down"}
_WAYS = {"->": "forward", "<-": "backward", "<->": "both", "--": "none"}
_RESERVED = {
    *("tooltip", "link", "width", "height", "class", "classes", "vars", "layers", "scenarios", "steps", "icon"),
    *("constraint", "grid-rows", "grid-columns", "grid-gap", "vertical-gap", "horizontal-gap", "top", "left", "near"),
    *("style", "shape", "label", "direction", "source-arrowhead", "target-arrowhead"),
}
_MAX_TABLE_ROWS = 64
"""Maximum number of rows of a table, as of the parts of a node."""


class D2Diagram(ImportFormat):
    """Diagrams of D2."""

    phrase = "D2"
    suffixes = (".d2",)
    frame = "z\n{}\n"
    syntax = (
        Syntax("a", "node, a box"),
        Syntax("a: text", "`label`"),
        Syntax("a -> b -> c: text", "flows with a label"),
        Syntax("a <- b", "`direction: backward`"),
        Syntax("a <-> b", "`direction: both`"),
        Syntax("a -- b", "`direction: none`"),
        Syntax("a.b -> a.c", "group `a` with two nodes"),
        Syntax("a: text {\n  b -> c\n}", "group with a label"),
        Syntax("a: {\n  b -> _.c\n}", "`_` is the parent"),
        Syntax("a.shape: cylinder", "`shape`: also `queue`, `circle`, `oval`, `diamond`, `cloud`, `text`"),
        Syntax("a: {\n  shape: sql_table\n  id: int\n}", "parts in rows; also `class`"),
        Syntax(
            "a: {\n  shape: sql_table\n  id: int {constraint: primary_key}\n}", "part `id: int PK`; also `FK`, `UNQ`"
        ),
        Syntax("a.style.stroke: red", "`color`"),
        Syntax("a.style.border-radius: 8", "`shape: rounded`"),
        Syntax("a.style.multiple: true", "`replicas: 3`"),
        Syntax("a -> b: {style.stroke-dash: 3}", "`kind: dashed`; also `stroke`, `stroke-width`"),
        Syntax("a -> b\n(a -> b)[0].label: text", "`label`"),
        Syntax("classes: {\n  x: {shape: circle}\n}\na.class: x", "the attributes of the class; also of connections"),
        Syntax("direction: right\na -> b", "`layout`; also of a group"),
        Syntax("a: {\n  grid-columns: 2\n  b\n  c\n}", "`layout: {type: grid, columns: 2}` of the group"),
        Syntax("t: text {near: top-center}\na", "`title`"),
        Syntax("a: |md text |", "`label`; `|latex x^2 |` is a formula"),
        Syntax("shape: sequence_diagram\na -> b: text\nb -> a: text", "space-time diagram"),
        Syntax("shape: sequence_diagram\na.t -> b: x\nb -> a.t: y", "activation of `a`"),
        Syntax("shape: sequence_diagram\na -> b: x\na.note: text", "note at `a`"),
        Syntax("shape: sequence_diagram\na\nb\ng: {\n  a -> b: x\n}", "region with a label"),
        Syntax("a.shape: hexagon", "a box", is_taken=False),
        Syntax("a.style.fill: red", "a node without it", is_taken=False),
        Syntax("a.icon: https://example.org/a.svg", "a node without it", is_taken=False),
        Syntax("a -> b: {target-arrowhead.shape: diamond}", "an arrow head", is_taken=False),
        Syntax("vars: {\n  x: 1\n}\na", "nothing", is_taken=False),
        Syntax("...@other\na", "nothing: other files are never read", is_taken=False),
        Syntax("*.style.fill: red\na", "nothing", is_taken=False),
        Syntax("layers: {\n  x: {b}\n}\na", "nothing", is_taken=False),
    )

    def recognizes_text(self, text: str) -> bool:
        """Return whether the text has a connection, a map or a label; any such text may be D2."""
        return _SIGNS.search(text) is not None or text.strip().isidentifier()

    def read_diagram(self, source: DiagramSource) -> dict[str, Any]:
        """Return the data of a topology or of a space-time diagram."""
        entries = parse_d2(source)
        return read_d2_sequence(entries, source) if is_sequence(entries) else _D2Reader(source).read_entries(entries)


class _D2Object:
    """A shape or a container, with its fields and its children by their names in lowercase."""

    def __init__(self, name: str, path: str, offset: int) -> None:
        self.name = name
        self.path = path
        self.offset = offset
        self.shape = ""
        self.fields: dict[str, Any] = {}
        self.label: str | None = None
        self.layout: dict[str, Any] | None = None
        self.is_title = False
        self.is_row = False
        self.value = ""
        self.children: dict[str, _D2Object] = {}


class _D2Edge:
    def __init__(self, source: _D2Object, target: _D2Object, way: str, offset: int, label: str) -> None:
        self.source = source
        self.target = target
        self.way = way
        self.offset = offset
        self.label = label
        self.look: dict[str, Any] = {}


class _D2Reader:
    def __init__(self, source: DiagramSource) -> None:
        self._source = source
        self._root = _D2Object("", "", 0)
        self._objects: list[_D2Object] = []
        self._edges: list[_D2Edge] = []
        self._parts = GraphParts(source)
        self._title = ""
        self._classes: dict[str, tuple[D2Entry, ...]] = {}

    def read_entries(self, entries: tuple[D2Entry, ...]) -> dict[str, Any]:
        """Read the entries of a file."""
        self._parts.direction = "down"
        classes = [entry for entry in entries if entry.path == ("classes",) and entry.has_map]
        self._classes = {each.path[0]: each.entries for entry in classes for each in entry.entries if each.path}
        self._read_map(tuple(entry for entry in entries if entry not in classes), [self._root])
        emitted: dict[str, GraphGroup] = {}
        for each in self._objects:
            self._emit(each, emitted)
        for each in reversed([one for one in self._objects if one.path in emitted]):
            group, parent = emitted[each.path], each.path.rpartition("\0")[0]
            self._parts.close_group(group, None)
            if parent in emitted:
                self._parts.close_group(emitted[parent], None)
        for edge in self._edges:
            self._emit_edge(edge)
        return ({"title": self._title} if self._title else {}) | self._parts.make_data()

    def _read_map(self, entries: tuple[D2Entry, ...], scope: list[_D2Object]) -> None:
        """Read the entries of an object, whose parents and itself are the scope."""
        for entry in entries:
            if entry.connections:
                self._read_connections(entry, scope)
            elif entry.path[0].lower() in _RESERVED and not (scope[-1].shape == "table" and len(entry.path) == 1):
                self._set_attribute(scope[-1], entry)
            else:
                self._read_field(entry, scope)

    def _read_field(self, entry: D2Entry, scope: list[_D2Object]) -> None:
        """Read an object, or an attribute of an object below: `a.b.shape: circle`."""
        split = next((at for at, step in enumerate(entry.path) if step.lower() in _RESERVED), len(entry.path))
        chain = self._find_objects(entry.path[:split], scope, entry.offset)
        if split < len(entry.path):
            rest = entry.path[split:]
            self._set_attribute(
                chain[-1], D2Entry(entry.offset, rest, (), None, entry.value, entry.entries, entry.has_map)
            )
            return
        own = chain[-1]
        if entry.value is not None:
            if entry.value.text == "null" and not entry.value.language:
                self._source.report("unsupported value null", entry.value.offset)
            else:
                own.label = own.value = read_d2_label(entry.value, self._source)
        for each in entry.entries:  # the shape decides how the other entries are read
            if each.path == ("shape",) and not each.connections:
                self._set_attribute(own, each)
        inside = tuple(each for each in entry.entries if each.path != ("shape",) or each.connections)
        self._read_map(inside, chain)

    def _find_objects(self, path: tuple[str, ...], scope: list[_D2Object], offset: int) -> list[_D2Object]:
        """Return the objects on a path, from the root; create missing ones."""
        chain = list(scope)
        for step in path:
            if step == "_":
                if len(chain) == 1:
                    self._source.refuse('"_" outside of a container', offset, "remove it")
                chain.pop()
                continue
            inside = chain[-1].children
            if step.lower() not in inside:
                self._source.check_count(len(self._objects), offset)
                above = chain[-1].path
                inside[step.lower()] = _D2Object(step, f"{above}\0{step}" if above else step, offset)
                inside[step.lower()].is_row = chain[-1].shape == "table"
                self._objects.append(inside[step.lower()])
                self._source.check_depth(len(chain), offset)
            chain.append(inside[step.lower()])
        return chain

    def _set_attribute(self, own: _D2Object, entry: D2Entry) -> None:
        """Set attributes of an object or of the diagram; report the others."""
        for name, leaf in self._list_attributes((entry,)):
            text = leaf.value.text if leaf.value else ""
            if name == "label" and leaf.value:
                own.label = read_d2_label(leaf.value, self._source)
            elif name == "shape":
                self._set_shape(own, text, leaf.offset)
            elif name == "direction" and text in _DIRECTIONS:
                self._set_direction(own, text, leaf.offset)
            elif name == "near" and text == "top-center":
                own.is_title = True
            elif name == "grid-columns" and text.isdigit() and own is not self._root:
                own.layout = {"type": "grid", "columns": int(text)}
            elif name == "style.stroke" and is_color(text):
                own.fields["color"] = text
            elif name == "style.border-radius" and text.isdigit():
                own.fields |= {"shape": "rounded"} if int(text) and not own.shape else {}
            elif name == "constraint" and own.is_row and text in _CONSTRAINTS:
                own.value = f"{own.value} {_CONSTRAINTS[text]}".lstrip()
            elif name == "style.multiple" and text in ("true", "false"):
                own.fields |= {"replicas": _STACK_COUNT} if text == "true" else {}
            else:
                self._source.report(f"unsupported attribute {quote(name)}", leaf.offset)

    def _list_attributes(self, entries: tuple[D2Entry, ...]) -> list[tuple[str, D2Entry]]:
        """Return attributes with their paths: the attributes of a class, then others, which replace them."""
        leaves = list_leaves(entries)
        names = [leaf.value.text for name, leaf in leaves if name == "class" and leaf.value]
        known = [each for each in names if each in self._classes]
        inherited = [leaf for each in known for leaf in list_leaves(self._classes[each])]
        return inherited + [(name, leaf) for name, leaf in leaves if not (known and name == "class")]

    def _set_shape(self, own: _D2Object, name: str, offset: int) -> None:
        if name.lower() not in _SHAPES:
            self._source.report(f"shape {quote(name)}", offset, "`tikzgen import --partial` draws a box")
        own.shape = _SHAPES.get(name.lower(), "box")

    def _set_direction(self, own: _D2Object, name: str, offset: int) -> None:
        if own is self._root:
            self._parts.direction = _DIRECTIONS[name]
            self._parts.is_reversed = name in ("left", "up")
        elif name in ("left", "up"):
            self._source.report(f"direction {quote(name)} of a container", offset, "use right or down")
        else:
            own.layout = {"type": "auto", "direction": name}

    def _read_connections(self, entry: D2Entry, scope: list[_D2Object]) -> None:
        if entry.index is not None:
            self._change_connection(entry, scope)
            return
        label = read_d2_label(entry.value, self._source) if entry.value else ""
        look, inner_label = read_look(self._list_attributes(entry.entries), self._source)
        for each in entry.connections:
            self._source.check_count(len(self._edges), entry.offset)
            source = self._find_objects(each.source, scope, entry.offset)[-1]
            target = self._find_objects(each.target, scope, entry.offset)[-1]
            way = _WAYS[each.arrow]
            edge = _D2Edge(source, target, way, entry.offset, label if inner_label is None else inner_label)
            edge.look = look
            self._edges.append(edge)

    def _change_connection(self, entry: D2Entry, scope: list[_D2Object]) -> None:
        """Set attributes of a connection that exists: `(a -> b)[0].label: text`."""
        found = self._find_edges(entry.connections[0], scope, entry.offset)
        if entry.index is None or entry.index >= len(found):
            self._source.report(f"unknown connection {entry.index}", entry.offset, "the first connection is 0")
            return
        edge = found[entry.index]
        if not entry.path and entry.value:
            edge.label = read_d2_label(entry.value, self._source)
        attributes = self._list_attributes((replace(entry, connections=()),) if entry.path else entry.entries)
        look, label = read_look(attributes, self._source)
        edge.look = edge.look | look
        edge.label = edge.label if label is None else label

    def _find_edges(self, connection: D2Connection, scope: list[_D2Object], offset: int) -> list[_D2Edge]:
        ends = [self._find_objects(path, scope, offset)[-1] for path in (connection.source, connection.target)]
        return [
            edge for edge in self._edges if [edge.source, edge.target] == ends and edge.way == _WAYS[connection.arrow]
        ]

    def _emit(self, own: _D2Object, emitted: dict[str, GraphGroup]) -> None:
        """Add the node or the group of an object."""
        parent = own.path.rpartition("\0")[0]
        if parent and self._find_by_path(parent).shape == "table":
            return
        if parent in emitted:
            emitted[parent].mentioned[own.path] = None
        label = escape_dollars(own.name) if own.label is None else own.label
        if own.is_title and not own.children:
            self._title = label
        elif own.children and own.shape != "table":
            emitted[own.path] = self._parts.open_group(own.path, own.offset, label)
            emitted[own.path].layout = own.layout
            if own.fields or own.shape not in ("", "box"):
                self._source.report(f"style of the container {quote(own.name)}", own.offset)
        else:
            fields = dict(own.fields)
            if own.shape == "table":
                fields.pop("shape", None)
                fields |= self._make_rows(own)
            elif own.shape not in ("", "box"):
                fields["shape"] = own.shape
            self._parts.add_node(own.path, own.offset, label=label, **fields)

    def _find_by_path(self, path: str) -> _D2Object:
        own = self._root
        for step in path.split("\0"):
            own = own.children[step.lower()]
        return own

    def _make_rows(self, own: _D2Object) -> dict[str, Any]:
        """Return the parts of a table or a class."""
        rows = list(own.children.values())
        if len(rows) > _MAX_TABLE_ROWS:
            self._source.refuse(f"more than {_MAX_TABLE_ROWS} rows in a table", own.offset, "split the table")
        parts = [{"label": ": ".join([escape_dollars(row.name), *([row.value] if row.value else [])])} for row in rows]
        return {"parts": parts, "cells": "rows"} if parts else {}

    def _emit_edge(self, edge: _D2Edge) -> None:
        names, parts = [], []
        for end in (edge.source, edge.target):
            parent = end.path.rpartition("\0")[0]
            owner = self._find_by_path(parent) if parent else self._root
            is_row = owner.shape == "table"
            names.append(parent if is_row else end.path)
            parts.append(str([*owner.children.values()].index(end) + 1) if is_row else "")
            if end.is_title:
                self._source.report("a connection ends at the title", edge.offset, "remove near")
                return
        fields: dict[str, Any] = {"label": edge.label} if edge.label else {}
        fields |= {"look": edge.look} if edge.look else {}
        fields |= {"direction": edge.way} if edge.way != "forward" else {}
        self._parts.add_flow(names[0], names[1], edge.offset, parts=tuple(parts), **fields)


_CONSTRAINTS = {"primary_key": "PK", "foreign_key": "FK", "unique": "UNQ"}
"""Constraints of columns, as D2 abbreviates them."""
_STACK_COUNT = 3
"""Number of copies in the stack of `style.multiple`."""
