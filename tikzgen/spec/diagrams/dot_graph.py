"""Reader of graphs in DOT, the language of Graphviz."""

from __future__ import annotations

import re
from typing import Any

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.spec.diagrams.diagram_source import MAX_LABEL_CHARS, DiagramSource
from tikzgen.spec.diagrams.dot_attributes import DotAttributes, DotValue, read_node_fields, spell_part_id
from tikzgen.spec.diagrams.dot_tokens import DotToken, split_dot
from tikzgen.spec.diagrams.graph_parts import THICK_PT, GraphGroup, GraphParts
from tikzgen.spec.diagrams.import_formats import ImportFormat, Syntax

_BEGIN = pattern_of(r"(?:[ \t\n]+|//[^\n]*\n|#[^\n]*\n)*(?:strict[ \t\n]+)?(?:di)?graph\b[^{;]{0,200}\{", re.IGNORECASE)
_COMPASS = {"n": "top", "s": "bottom", "e": "right", "w": "left"}
_KEYWORDS = ("node", "edge", "graph", "digraph", "subgraph", "strict")


class DotGraph(ImportFormat):
    """Graphs of Graphviz."""

    phrase = "DOT"
    suffixes = (".dot", ".gv")
    frame = "digraph {{\nz\n{}\n}}\n"
    syntax = (
        Syntax("a", "node, `shape: pill`"),
        Syntax("a -> b -> c", "flows"),
        Syntax("a -> {b c}", "a flow to each"),
        Syntax('a [label="text\\nline"]', "`label`"),
        Syntax("a [shape=box]", "a box"),
        Syntax("a [shape=circle]", "`shape`: also `diamond`, `cylinder`, `plaintext`"),
        Syntax("a [shape=box, style=rounded]", "`shape: rounded`"),
        Syntax('a [shape=record, label="<p> x|y"]', "parts; `a:p` is a part"),
        Syntax("a [color=red]", "`color`"),
        Syntax('a -> b [label="text"]', "`label`"),
        Syntax("a -> b [dir=both]", "`direction`"),
        Syntax("a -> b [arrowhead=none]", "`direction: none`"),
        Syntax("a -> b [style=dashed]", "a kind; also `dotted`, `bold`, and `color`"),
        Syntax("a:e -> b:w", "`from_side`, `to_side`"),
        Syntax("node [shape=box]; a", "defaults"),
        Syntax("a -> b [color=red]; a -> b", "two flows; one flow in a `strict` graph"),
        Syntax("rankdir=LR", "`layout: {type: auto, direction: right}`"),
        Syntax('label="text"', "`title`"),
        Syntax('subgraph cluster_x { label="text"; a }', "group"),
        Syntax("compound=true; subgraph cluster_x { a } b -> a [lhead=cluster_x]", "flow to the group"),
        Syntax("{rank=same; a; b}", "nodes", is_taken=False),
        Syntax("a [fillcolor=red]", "a node without it", is_taken=False),
        Syntax("a [shape=hexagon]", "a box", is_taken=False),
        Syntax("node [fontname=Arial]; a", "a node without it", is_taken=False),
        Syntax("nodesep=1", "nothing", is_taken=False),
        Syntax("a -> b [weight=2]", "a flow without it", is_taken=False),
        Syntax("a -> b [style=invis]", "nothing", is_taken=False),
        Syntax("a [label=<<b>text</b>>]", "text", is_taken=False),
    )

    def recognizes_text(self, text: str) -> bool:
        """Return whether the text begins with `graph`, `digraph` or `strict`, and a brace follows."""
        return _BEGIN.match(text.removeprefix("\ufeff")) is not None or text.lstrip().startswith("/*")

    def read_diagram(self, source: DiagramSource) -> dict[str, Any]:
        """Return the data of a topology."""
        return _DotReader(source).read_graph()


class _Scope:
    """A graph or a subgraph: its defaults, and the nodes that it names."""

    def __init__(self, group: GraphGroup | None, outer: _Scope | None) -> None:
        self.group = group
        self.node_defaults: DotAttributes = dict(outer.node_defaults) if outer else {}
        self.edge_defaults: DotAttributes = dict(outer.edge_defaults) if outer else {}
        self.names: dict[str, None] = {}


_Ends = list[tuple[str, str]]
"""Names of nodes at one end of an edge, each with its port."""
_Edge = tuple[tuple[str, str], tuple[str, str], int, DotAttributes]
"""Tail and head with their ports, the offset and the attributes of an edge."""


class _DotReader:
    def __init__(self, source: DiagramSource) -> None:
        self._source = source
        self._tokens = split_dot(source)
        self._at = 0
        self._parts = GraphParts(source)
        self._attributes: dict[str, DotAttributes] = {}
        self._title = ""
        self._edges: list[_Edge] = []
        self._is_directed = True
        self._is_strict = False

    def read_graph(self) -> dict[str, Any]:
        """Read the graph of a file."""
        self._is_strict = self._accept_word("strict")
        token = self._read_token()
        if token.text.lower() not in ("graph", "digraph"):
            self._refuse_token(token, '"graph" or "digraph"')
        self._is_directed = token.text.lower() == "digraph"
        if self._token.kind != "sign":
            self._read_token()
        self._require_sign("{")
        self._parts.direction = "down"
        self._read_statements(_Scope(None, None), 1)
        if self._token.kind != "end":
            self._refuse_token(self._token, "one graph in a file")
        for name, attributes in self._attributes.items():
            fields = read_node_fields(name, attributes, self._source, self._parts.direction)
            self._parts.fields_of(name).update(fields)
        for tail, head, offset, attributes in self._join_equal_edges() if self._is_strict else self._edges:
            self._add_flow(tail, head, offset, attributes)
        return ({"title": self._title} if self._title else {}) | self._parts.make_data()

    def _join_equal_edges(self) -> list[_Edge]:
        """Return the edges of a strict graph: one between two nodes, with the attributes of all."""
        joined: dict[Any, _Edge] = {}
        for edge in self._edges:
            names = (edge[0][0], edge[1][0])
            key = names if self._is_directed else frozenset(names)
            first = joined.setdefault(key, edge)
            joined[key] = (*first[:3], first[3] | edge[3])
        return list(joined.values())

    @property
    def _token(self) -> DotToken:
        return self._tokens[self._at]

    def _read_token(self) -> DotToken:
        token = self._token
        self._at += token.kind != "end"
        return token

    def _accept(self, sign: str) -> bool:
        found = self._token.kind == "sign" and self._token.text == sign
        self._at += found
        return found

    def _accept_word(self, word: str) -> bool:
        found = self._token.kind == "name" and self._token.text.lower() == word
        self._at += found
        return found

    def _require_sign(self, sign: str) -> None:
        if not self._accept(sign):
            self._refuse_token(self._token, quote(sign))

    def _refuse_token(self, token: DotToken, expected: str) -> None:
        found = "the end of the file" if token.kind == "end" else quote(token.text)
        self._source.refuse(f"expected {expected}, found {found}", token.offset, "compare with the grammar of DOT")

    def _read_statements(self, scope: _Scope, depth: int) -> None:
        """Read the statements up to the closing brace."""
        self._source.check_depth(depth, self._token.offset)
        while not self._accept("}"):
            if self._token.kind == "end":
                self._refuse_token(self._token, '"}"')
            self._read_statement(scope, depth)
            self._accept(";") or self._accept(",")

    def _read_statement(self, scope: _Scope, depth: int) -> None:
        token = self._token
        word = token.text.lower() if token.kind == "name" else ""
        after = self._tokens[self._at + 1] if token.kind != "end" else token
        if word in ("node", "edge", "graph") and after.text == "[":
            self._read_token()
            attributes = self._read_attributes()
            if word == "graph":
                self._set_graph_attributes(scope, attributes)
            else:
                defaults = scope.node_defaults if word == "node" else scope.edge_defaults
                defaults.update(attributes)
        elif token.kind != "sign" and after.kind == "sign" and after.text == "=":
            self._read_token()
            self._read_token()
            self._set_graph_attributes(scope, {token.text.lower(): self._read_value()})
        else:
            self._read_edges(scope, depth)

    def _set_graph_attributes(self, scope: _Scope, attributes: DotAttributes) -> None:
        """Set attributes of the graph or of a group."""
        for name, value in attributes.items():
            if name == "label":
                label = value.read_label(self._source)
                if scope.group is None:
                    self._title = label
                else:
                    scope.group.label = label
            elif name == "rankdir" and value.text in ("LR", "RL", "TB", "BT") and scope.group is None:
                self._parts.direction = "right" if value.text in ("LR", "RL") else "down"
                self._parts.is_reversed = value.text in ("RL", "BT")
            elif name != "compound":
                self._source.report(f"unsupported attribute {quote(name)} of a graph", value.offset)

    def _read_edges(self, scope: _Scope, depth: int) -> None:
        """Read a node, or edges between nodes and subgraphs, and their attributes."""
        begin = self._token.offset
        chain = [self._read_ends(scope, depth)]
        signs: list[DotToken] = []
        while self._token.kind == "sign" and self._token.text in ("->", "--"):
            signs.append(self._read_token())
            chain.append(self._read_ends(scope, depth))
        attributes = self._read_attributes()
        for sign, tails, heads in zip(signs, chain, chain[1:], strict=False):
            if (sign.text == "->") != self._is_directed:
                expected = "->" if self._is_directed else "--"
                self._refuse_token(sign, quote(expected))
            for tail in tails:
                for head in heads:
                    self._edges.append((tail, head, begin, scope.edge_defaults | attributes))
                    self._source.check_count(len(self._edges), begin)
        if not signs and len(chain[0]) == 1 and attributes:
            self._attributes[chain[0][0][0]].update(attributes)

    def _read_ends(self, scope: _Scope, depth: int) -> _Ends:
        token = self._token
        if self._accept_word("subgraph"):
            name = self._read_token().text if self._token.kind in ("name", "text") else ""
            self._require_sign("{")
            return self._read_subgraph(scope, name, token.offset, depth)
        if self._accept("{"):
            return self._read_subgraph(scope, "", token.offset, depth)
        if token.kind not in ("name", "text") or (token.kind == "name" and token.text.lower() in _KEYWORDS):
            self._refuse_token(token, "a node")
        self._read_token()
        name = token.text[:MAX_LABEL_CHARS]
        if name not in self._attributes:
            self._attributes[name] = dict(scope.node_defaults)
        self._parts.add_node(name, token.offset)
        scope.names[name] = None
        if scope.group is not None:
            scope.group.mentioned[name] = None
        port = []
        while self._accept(":"):
            port.append(self._read_token().text)
        return [(name, ":".join(port))]

    def _read_subgraph(self, scope: _Scope, name: str, offset: int, depth: int) -> _Ends:
        """Read a subgraph; return its nodes."""
        inner = _Scope(scope.group, scope)
        if name.startswith("cluster"):
            inner.group = self._parts.open_group(name[:MAX_LABEL_CHARS], offset, "")
        self._read_statements(inner, depth + 1)
        if inner.group is not None and inner.group is not scope.group:
            self._parts.close_group(inner.group, scope.group)
        scope.names.update(inner.names)
        return [(each, "") for each in inner.names]

    def _read_attributes(self) -> DotAttributes:
        """Read lists of attributes in brackets."""
        found: DotAttributes = {}
        while self._accept("["):
            while not self._accept("]"):
                token = self._read_token()
                if token.kind in ("sign", "end"):
                    self._refuse_token(token, 'an attribute or "]"')
                self._require_sign("=")
                found[token.text.lower()] = self._read_value()
                self._accept(";") or self._accept(",")
        return found

    def _read_value(self) -> DotValue:
        token = self._read_token()
        if token.kind in ("sign", "end"):
            self._refuse_token(token, "a value")
        text = token.text
        while token.kind == "text" and self._accept("+"):
            text += self._read_token().text
        return DotValue(text[: 4 * MAX_LABEL_CHARS], token.offset, is_html=token.kind == "html")

    def _add_flow(self, tail: tuple[str, str], head: tuple[str, str], offset: int, given: DotAttributes) -> None:
        """Add the flow of an edge, with the attributes that have a counterpart."""
        attributes = dict(given)
        fields: dict[str, Any] = {}
        ends = []
        for (name, port), group, side in ((tail, "ltail", "from_side"), (head, "lhead", "to_side")):
            own = attributes.pop("tailport" if group == "ltail" else "headport", None)
            port = own.text if own else port
            end, value = name, attributes.pop(group, None)
            if value is not None and self._parts.find_group(value.text):
                end = value.text
            elif port and (part := self._find_part(name, port)):
                ends.append((end, part))
                continue
            elif port in _COMPASS:
                fields[side] = _COMPASS[port]
            elif port and not self._is_label_port(name, port):
                hint = "use n, s, e, w or a part of a record"
                self._source.report(f"port {quote(port)} of {quote(name)}", offset, hint)
            ends.append((end, ""))
        fields |= self._read_edge_fields(attributes)
        self._parts.add_flow(ends[0][0], ends[1][0], offset, parts=(ends[0][1], ends[1][1]), **fields)

    def _find_part(self, name: str, port: str) -> str:
        """Return the id of the part of a record at a port, or an empty string."""
        own = spell_part_id(port.split(":")[0])
        parts = self._parts.fields_of(name).get("parts", [])
        return own if any(part.get("id") == own for part in parts) else ""

    def _is_label_port(self, name: str, port: str) -> bool:
        """Return whether a port is the first one of a record, whose text is the label of the node."""
        label = self._attributes[name].get("label")
        return label is not None and label.text.lstrip(" {").startswith(f"<{port}>")

    def _read_edge_fields(self, attributes: DotAttributes) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        look: dict[str, Any] = {}
        way = "forward" if self._is_directed else "none"
        for name, value in attributes.items():
            if name in ("label", "xlabel"):
                fields["label"] = value.read_label(self._source)
            elif name == "dir" and value.text in _WAYS:
                way = _WAYS[value.text]
            elif name == "arrowhead" and value.text in ("none", "normal", "vee", "open"):
                way = "none" if value.text == "none" else way
            elif name == "style":
                look |= self._read_line_style(value)
            elif name == "color" and (color := value.read_color()):
                look = {"color": color} | look
            else:
                self._source.report(f"unsupported attribute {quote(name)} of an edge", value.offset)
        fields |= {"look": look} if look else {}
        return fields | ({"direction": way} if way != "forward" else {})

    def _read_line_style(self, value: DotValue) -> dict[str, Any]:
        look: dict[str, Any] = {}
        for style in value.text.split(","):
            if (style := style.strip()) in _LINE_STYLES:
                look |= _LINE_STYLES[style]
            else:
                self._source.report(f"unsupported style {quote(style)} of an edge", value.offset)
        return look


_WAYS = {"forward": "forward", "back": "backward", "both": "both", "none": "none"}
_LINE_STYLES: dict[str, dict[str, Any]] = {
    "solid": {},
    "dashed": {"dash": "dashed"},
    "dotted": {"dash": "dotted"},
    "bold": {"width": THICK_PT},
}
