"""Reader of Mermaid flowcharts: nodes with shapes, links with labels, subgraphs."""

from __future__ import annotations

import re
from typing import Any

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.spec.diagrams.diagram_source import MAX_LABEL_CHARS, DiagramSource, Unreadable
from tikzgen.spec.diagrams.graph_parts import GraphGroup, GraphParts
from tikzgen.spec.diagrams.import_formats import ImportFormat, Syntax
from tikzgen.spec.diagrams.label_text import clean_mermaid_label
from tikzgen.spec.diagrams.mermaid_lines import (
    MERMAID_SUFFIXES,
    begin_mermaid,
    first_word_of,
    skip_mermaid_blanks,
)
from tikzgen.spec.diagrams.mermaid_links import read_bracketed_label, read_mermaid_link

_FIRST_WORDS = ("flowchart", "graph", "flowchart-elk")
_DIRECTIONS = {"TB": "down", "TD": "down", "v": "down", "LR": "right", ">": "right", "BT": "down", "^": "down"} | {
    "RL": "right",
    "<": "right",
}
_REVERSED = ("BT", "RL", "^", "<")

_NAME = pattern_of(r"\w(?:[\w.]|[-/](?=\w))*")
_WORD = pattern_of(r"[A-Za-z]+\b")
_UNSUPPORTED = ("classDef", "class", "style", "linkStyle", "click")
_SHAPES: dict[str, tuple[tuple[str, ...], str | None]] = {
    "(((": ((")))",), None),
    "((": (("))",), "circle"),
    "([": (("])",), "pill"),
    "(": ((")",), "rounded"),
    "[[": (("]]",), None),
    "[(": ((")]",), "cylinder"),
    "[/": (("/]", "\\]"), None),
    "[\\": (("/]", "\\]"), None),
    "[": (("]",), "box"),
    "{{": (("}}",), None),
    "{": (("}",), "diamond"),
    ">": (("]",), None),
}
"""Shapes by their opening brackets, longest first: the closing brackets, and the shape in a spec or None."""
_SHAPE_NAMES = {
    **dict.fromkeys(("rect", "proc", "process", "rectangle"), "box"),
    **dict.fromkeys(("rounded", "event"), "rounded"),
    **dict.fromkeys(("stadium", "pill", "terminal"), "pill"),
    **dict.fromkeys(("cyl", "cylinder", "database", "db"), "cylinder"),
    **dict.fromkeys(("circle", "circ"), "circle"),
    **dict.fromkeys(("diam", "diamond", "decision", "question"), "diamond"),
    **dict.fromkeys(("cloud",), "cloud"),
    **dict.fromkeys(("text",), "text"),
}
"""Shapes of `@{shape: …}`."""
_SHAPE = "use [], (), ([]), [()], (()) or {}; --partial draws a box"
_ATTRIBUTE = pattern_of(r"[\s,]*([A-Za-z]+)[ \t]*:[ \t]*(?:\"([^\"]*)\"|'([^'\n]*)'|([^,\n\"'{}]*))")


class MermaidFlowchart(ImportFormat):
    """Flowcharts of Mermaid: `flowchart` and `graph`."""

    phrase = "Mermaid flowchart"
    suffixes = MERMAID_SUFFIXES
    frame = "flowchart LR\nA\n{}\n"
    syntax = (
        Syntax("A[text]", "node, a box"),
        Syntax("A(text)", "`shape: rounded`"),
        Syntax("A([text])", "`shape: pill`"),
        Syntax("A[(text)]", "`shape: cylinder`"),
        Syntax("A((text))", "`shape: circle`"),
        Syntax("A{text}", "`shape: diamond`"),
        Syntax("A@{shape: cloud, label: text}", "the shape of this name, if it is one of the above, `cloud` or `text`"),
        Syntax("A --> B --> C", "flows"),
        Syntax("A & B --> C & D", "a flow from each to each"),
        Syntax("A --- B", "`direction: none`"),
        Syntax("A <--> B", "`direction: both`"),
        Syntax("A -.-> B", "`kind: dashed`"),
        Syntax("A ==> B", "`kind: thick`"),
        Syntax("A -- text --> B", "`label: text`"),
        Syntax("A -->|text| B", "`label: text`"),
        Syntax("subgraph one [Title]\nA\nend\none --> B", "group; flows can end at it"),
        Syntax("subgraph one\ndirection TB\nA --> B\nend", "`layout` of the group"),
        Syntax("accDescr: text", "`meta: {description: text}`"),
        Syntax('A["a #lt; b<br/>$$x^2$$"]', "character, line break, formula"),
        Syntax("%% text", "nothing: a comment"),
        Syntax("A[[text]]", "a box", is_taken=False),
        Syntax("A{{text}}", "a box", is_taken=False),
        Syntax("A(((text)))", "a box", is_taken=False),
        Syntax("A>text]", "a box", is_taken=False),
        Syntax("A[/text/]", "a box", is_taken=False),
        Syntax("A --o B", "a flow without head", is_taken=False),
        Syntax("A ~~~ B", "nothing", is_taken=False),
        Syntax("A ----> B", "a flow without length", is_taken=False),
        Syntax("A:::name", "a node without style", is_taken=False),
        Syntax("classDef name fill:#f96", "nothing", is_taken=False),
        Syntax("style A fill:#f96", "nothing", is_taken=False),
        Syntax("linkStyle 0 stroke:red", "nothing", is_taken=False),
        Syntax('click A "https://example.org"', "nothing", is_taken=False),
        Syntax("A[<b>text</b>]", "text", is_taken=False),
    )

    def recognizes_text(self, text: str) -> bool:
        """Return whether the first word begins a flowchart; a graph of DOT has a brace."""
        return first_word_of(text) in _FIRST_WORDS and not _is_dot(text)

    def read_diagram(self, source: DiagramSource) -> dict[str, Any]:
        """Return the data of a topology."""
        return _FlowchartReader(source).read_chart()


_DOT_GRAPH = pattern_of(r"graph[ \t\n]*(?:\w+|\"[^\"]*\")?[ \t\n]*\{")


def _is_dot(text: str) -> bool:
    return _DOT_GRAPH.match(text.lstrip()) is not None


class _FlowchartReader:
    def __init__(self, source: DiagramSource) -> None:
        self._source = source
        self._parts = GraphParts(source)
        self._cursor, self._about = begin_mermaid(source)
        self._open: list[GraphGroup] = []

    def read_chart(self) -> dict[str, Any]:
        """Read all statements."""
        cursor = self._cursor
        cursor.skip_spaces()
        begin = cursor.at
        direction = re.match(r"[A-Za-z<>^]*", cursor.rest_of_line)
        if direction and direction[0]:
            cursor.at += len(direction[0])
            self._set_direction(direction[0], begin)
        while True:
            self._skip_separators()
            if cursor.is_done:
                break
            begin = cursor.at
            try:
                self._read_statement()
                cursor.skip_spaces()
                self._require_end()
            except Unreadable:
                cursor.at = max(cursor.at, begin)
                cursor.at = cursor.find_line_end()
        if self._open:
            group = self._open[-1]
            self._source.refuse(f"subgraph {quote(group.key)} is not closed", group.offset, 'end it with a line "end"')
        return self._about.make_fields() | self._parts.make_data()

    def _set_direction(self, name: str, offset: int) -> None:
        if name not in _DIRECTIONS:
            self._source.report(f"unknown direction {quote(name)}", offset, "use TB, LR, BT or RL")
            return
        self._parts.direction = _DIRECTIONS[name]
        self._parts.is_reversed = name in _REVERSED

    def _skip_separators(self) -> None:
        while True:
            skip_mermaid_blanks(self._cursor)
            if not self._cursor.accept(";"):
                return

    def _require_end(self) -> None:
        """Leave the statement if text follows that belongs to no statement."""
        cursor = self._cursor
        if cursor.is_done or cursor.text[cursor.at] in "\n;":
            return
        cursor.source.reject(f"unexpected {cursor.next_word}", cursor.at, "write a link, a bracket or a new line")

    def _read_statement(self) -> None:
        cursor = self._cursor
        begin = cursor.at
        if self._about.read_statement(cursor):
            return
        word = _WORD.match(cursor.text, begin, cursor.end)
        name = word[0] if word else ""
        follows = cursor.text[word.end() : word.end() + 1] if word else ""
        if name == "subgraph" and follows in ("", " ", "\t", "\n", ";"):
            cursor.at += len(name)
            self._open_subgraph(begin)
        elif name == "end" and follows in ("", " ", "\t", "\n", ";"):
            cursor.at += len(name)
            if not self._open:
                self._source.reject('"end" without a subgraph', begin, "remove it")
            group = self._open.pop()
            self._parts.close_group(group, self._open[-1] if self._open else None)
        elif name == "direction" and follows in (" ", "\t"):
            cursor.at += len(name)
            self._read_direction(begin)
        elif name in _UNSUPPORTED and follows in (" ", "\t"):
            self._source.report(f"unsupported statement {quote(name)}", begin)
            cursor.at = cursor.find_line_end()
        else:
            self._read_chain()

    def _read_direction(self, begin: int) -> None:
        cursor = self._cursor
        cursor.skip_spaces()
        name = cursor.rest_of_line.split(";")[0].strip()
        cursor.at += len(name)
        if name not in _DIRECTIONS:
            self._source.reject(f"unknown direction {quote(name)}", begin, "use TB, LR, BT or RL")
        if not self._open:
            self._set_direction(name, begin)
        elif name in _REVERSED:
            self._source.report(f"direction {quote(name)} of a subgraph", begin, "use TB or LR")
        else:
            self._open[-1].layout = {"type": "auto", "direction": _DIRECTIONS[name]}

    def _open_subgraph(self, begin: int) -> None:
        """Open a subgraph: `subgraph id [title]`, `subgraph id` or `subgraph "title"`."""
        cursor = self._cursor
        cursor.skip_spaces()
        line = cursor.text[cursor.at : cursor.find_line_end()]
        rest = line.split(";")[0].rstrip() if '"' not in line and "[" not in line else line.rstrip(" \t;")
        bracket = rest.find("[")
        key, label = rest, rest
        if bracket > 0 and rest.endswith("]"):
            key, label = rest[:bracket].strip(), rest[bracket + 1 : -1].strip()
        cursor.at += len(rest)
        self._source.check_depth(len(self._open) + 1, begin)
        key, label = key.strip('"'), label.strip('"')
        label = clean_mermaid_label(label[:MAX_LABEL_CHARS], self._source, begin)
        key = key[:MAX_LABEL_CHARS] or f"subgraph at {begin}"
        if self._parts.find_group(key):
            self._source.refuse(f"duplicate subgraph {quote(key)}", begin, "give it another id")
        self._open.append(self._parts.open_group(key, begin, label))

    def _read_chain(self) -> None:
        """Read nodes and the links between them: `A & B --> C -- text --> D`."""
        ends = self._read_nodes()
        while link := read_mermaid_link(self._cursor):
            targets = self._read_nodes()
            if link.is_drawn:
                fields: dict[str, Any] = {"label": link.label} if link.label else {}
                fields |= {"look": link.look} if link.look else {}
                fields |= {"direction": link.direction} if link.direction != "forward" else {}
                for source in ends:
                    for target in targets:
                        self._parts.add_flow(source, target, link.offset, **fields)
            ends = targets

    def _read_nodes(self) -> list[str]:
        """Return the names of nodes that `&` joins."""
        names = [self._read_node()]
        while True:
            self._cursor.skip_spaces()
            if not self._cursor.accept("&"):
                return names
            self._cursor.skip_spaces()
            names.append(self._read_node())

    def _read_node(self) -> str:
        cursor = self._cursor
        cursor.skip_spaces()
        begin = cursor.at
        found = cursor.match(_NAME)
        if found is None:
            hint = "begin an id with a letter or a digit"
            self._source.reject(f"expected a node, found {cursor.next_word}", begin, hint)
        name = found[0]
        if self._open:
            self._open[-1].mentioned[name] = None
        self._parts.add_node(name, begin)
        if cursor.accept("@{"):
            self._read_attributes(name, begin)
        else:
            self._read_shape(name, begin)
        if cursor.accept(":::"):
            self._source.report("unsupported class of a node", cursor.at - 3, "set color or state in the spec")
            cursor.match(_NAME)
        return name

    def _read_shape(self, name: str, begin: int) -> None:
        cursor = self._cursor
        opener = next((each for each in _SHAPES if cursor.text.startswith(each, cursor.at, cursor.end)), None)
        if opener is None:
            return
        start = cursor.at
        cursor.at += len(opener)
        closers, shape = _SHAPES[opener]
        fields = {"label": read_bracketed_label(cursor, closers, f"bracket {quote(opener)}")}
        if shape is None:
            self._source.report(
                f"shape {quote(opener + cursor.text[cursor.at - len(opener) : cursor.at])}", start, _SHAPE
            )
        elif shape != "box":
            fields["shape"] = shape
        self._parts.add_node(name, begin, **fields)

    def _read_attributes(self, name: str, begin: int) -> None:
        cursor = self._cursor
        fields: dict[str, Any] = {}
        while found := cursor.match(_ATTRIBUTE):
            key, value = found[1], next(each for each in found.groups()[1:] if each is not None).strip()
            if key == "label":
                fields["label"] = clean_mermaid_label(value, self._source, found.start(1))
            elif key == "shape" and value in _SHAPE_NAMES:
                shape = _SHAPE_NAMES[value]
                fields |= {} if shape == "box" else {"shape": shape}
            else:
                hint = _SHAPE if key == "shape" else ""
                self._source.report(f"unsupported {key} {quote(value)}", found.start(1), hint)
        cursor.skip_spaces(lines=True)
        if not cursor.accept("}"):
            self._source.reject("expected a field or the end of @{…}", cursor.at, 'write "key: value", or "}"')
        self._parts.add_node(name, begin, **fields)
