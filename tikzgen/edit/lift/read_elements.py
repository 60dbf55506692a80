r"""Elements of a drawing, such as nodes, flows, spans, styles and parameters, with their properties.

The name in the file identifies an element. The content identifies a span, because names of spans are numbered by their
order. `spelt` is the code of an element without comments, with unrolled loops and with the values of its macros.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from tikzgen.base.record import Record, replace
from tikzgen.edit.lift.lifted_cells import add_run, find_array_names
from tikzgen.emit.contract_for_programs import Family
from tikzgen.lint.inventory import drawn_directly, find_label_texts, iterate_own_styles, placed_beside
from tikzgen.texfile import (
    SHIFT_KEYS,
    Definition,
    Facts,
    Linear,
    NodePosition,
    Option,
    SourceFlow,
    SourceNode,
    SourceStatement,
    add_sums,
    expand_name,
    list_bindings,
    parameter_values,
    parse_sum,
    read_shift,
    scan,
    spot_of,
    with_values,
)

Key: TypeAlias = tuple[str, ...]
"""Element: its kind and its identity, such as `("node", "w1")` or `("flow", "w1", "ps", "grad")`."""

Fact: TypeAlias = tuple[Key, str, str]
"""Element, field and value."""

_INTEGERS = re.compile(r"^\s*-?\d+\s*$")
MACRO = re.compile(r"\\[A-Za-z@]+")
COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_AXES = "along time/.style"  # key in the options of the scope of a timeline
_LENGTHS = ("span", "flatspan")  # keys that give a span its duration
_PHASE = " phase"  # suffix of the style of a phase
_LABEL = "-label"  # suffix of the name of a node that labels another one
_NO_NODE = ("legend", "phase")
PLACE_DIGITS = 3  # decimals of a position in cm, as in a rendered file


class _Pass(Record):
    """One statement in one iteration of its loops: the values of its variables, and its code with them."""

    statement: int
    number: int
    values: Mapping[str, str]
    spelt: str


class Elements:
    """The elements of a drawing with their properties and code.

    `shared` are the macros that several elements use in one of the compared drawings. Their values do not replace them,
    so that a changed value is one difference. `facts` avoids scanning the rows again.
    """

    def __init__(self, rows: list[str], shared: frozenset[str] = frozenset(), facts: Facts | None = None) -> None:
        self.rows, self.facts = rows, facts or scan("".join(rows))
        texts = parameter_values(self.facts)
        self.texts = {macro: value for macro, value in texts.items() if "#" not in value}
        self.shared = shared
        self._own_texts = {macro: value for macro, value in self.texts.items() if macro not in shared}
        self._ends: set[str] = set()  # names of nodes and frames
        self._flows: dict[tuple[str, str], list[Key]] = {}  # flows by their ends
        self.says: dict[Key, dict[str, str]] = {}
        self.names: dict[Key, str] = {}  # name of a span's node
        self.labels: dict[Key, Key] = {}  # flow of a label, node of a place
        self.places: dict[Key, str] = {}  # position of a node as written
        self.sums: dict[Key, NodePosition] = {}  # position of a node as sums of lengths
        self.spelt: dict[Key, list[str]] = {}
        self.options: dict[Key, set[str]] = {}
        self.statements: dict[int, set[Key]] = {}  # elements of a statement
        self.passes: dict[tuple[int, int], set[Key]] = {}  # elements of a statement in an iteration of its loops
        self.wearers: dict[str, set[Key]] = {}  # elements whose text has a macro
        self._read_source()

    @cached_property
    def as_facts(self) -> frozenset[Fact]:
        """Every field of every element."""
        return frozenset((key, name, value) for key, fields in self.says.items() for name, value in fields.items())

    @cached_property
    def words(self) -> frozenset[str]:
        """Every option in the figure's own statements."""
        return frozenset(word for words in self.options.values() for word in words)

    @property
    def is_complete(self) -> bool:
        """Whether every loop names its members; `{w1,...,w5}` leaves some of them unknown."""
        return not any(
            member.text.strip() == "..." and not {*_INTEGERS.findall(first.text), *_INTEGERS.findall(last.text)}
            for loop in self.facts.loops
            for first, member, last in zip(loop.members, loop.members[1:], loop.members[2:], strict=False)
        )

    @property
    def worn_by_several(self) -> frozenset[str]:
        """Macros that several elements use."""
        return frozenset(macro for macro, keys in self.wearers.items() if len(keys) > 1)

    def find_wearer(self, key: Key) -> Key:
        """Return the key of an element in `wearers`, which has the names of spans."""
        return ("span", self.names[key]) if key in self.names else key

    def _read_source(self) -> None:
        facts = self.facts
        for color in facts.colors:
            self._add(("color", color.name), value=color.value)
        for style in iterate_own_styles(facts):
            value = " ".join(style.value_span.extract_from(facts.text).split())
            self._add(("style", style.name), value=value)
        for definition in self.definitions:
            if definition.name in self._pictures:
                self._add(("picture", definition.name), value=" ".join(definition.value.split()))
            else:
                self._add(("parameter", definition.name), value=definition.value)
        nodes = self._group_by_statement(node.statement for node in facts.nodes)
        flows = self._group_by_statement(flow.statement for flow in facts.flows)
        bare: list[tuple[_Pass, SourceFlow]] = []
        labels: list[tuple[_Pass, SourceNode]] = []
        arrays = find_array_names(facts)
        for step in self._iterate_passes():
            if key := add_run(self.says, arrays.get(facts.statements[step.statement].scope, ""), step.spelt):
                self._record_code(key, step)
            for index in nodes.get(step.statement, ()):
                node = facts.nodes[index]
                if node.inline:
                    continue
                if not self._add_node(step, node):
                    labels.append((step, node))
            for index in flows.get(step.statement, ()):
                flow = facts.flows[index]
                if self._is_drawn(step.statement):
                    self._add_flow(step, flow)
                else:
                    bare.append((step, flow))
        for step, node in sorted(labels, key=lambda each: not self._has_macro(each[1])):
            self._add_label(step, node)
        for step, flow in bare:
            self._add_bare_label(step, flow)
        self._count_labels_of_styles()

    @cached_property
    def _pictures(self) -> frozenset[str]:
        return frozenset(picture.macro for picture in self.facts.pictures if picture.macro)

    @cached_property
    def definitions(self) -> list[Definition]:
        """Definitions that are not inside another one or inside a picture."""
        found: list[Definition] = []
        for each in sorted(self.facts.definitions, key=lambda one: one.span.start):
            inside = any(old.span.start <= each.span.start < old.span.end for old in found[-1:])
            within = any(one.span.start <= each.span.start < one.span.end for one in self.facts.pictures)
            if not inside and not within and each.command == "def":
                found.append(each)
        return found

    @staticmethod
    def _group_by_statement(statements: Iterator[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for index, statement in enumerate(statements):
            found.setdefault(statement, []).append(index)
        return found

    def _iterate_passes(self) -> Iterator[_Pass]:
        facts = self.facts
        for index, statement in enumerate(facts.statements):
            if not drawn_directly(facts, index):
                continue
            code = COMMENT.sub("", statement.span.extract_from(facts.text))
            for number, values in enumerate(list_bindings(facts, statement.loop)):
                yield _Pass(index, number, values, self._expand(code, values))

    def _expand(self, text: str, values: Mapping[str, str]) -> str:
        own = self._own_texts
        text = MACRO.sub(lambda found: values.get(found[0], own.get(found[0], found[0])), text)
        return " ".join(text.split())

    def _add(self, key: Key, **fields: str) -> Key:
        number = 1
        while key in self.says:  # a second equal element
            number += 1
            key = (*key[: len(key) - (number > 2)], str(number))
        self.says[key] = {"is": key[0], **{name: value for name, value in fields.items() if value or name == "value"}}
        return key

    def _record_code(self, key: Key, step: _Pass) -> None:
        self.spelt.setdefault(key, []).append(step.spelt)
        self.statements.setdefault(step.statement, set()).add(key)
        self.passes.setdefault((step.statement, step.number), set()).add(key)

    def _record_options(self, key: Key, *lists: tuple[Option, ...]) -> None:
        text = self.facts.text
        words = (" ".join(option.span.extract_from(text).split()) for options in lists for option in options)
        self.options.setdefault(key, set()).update(words)

    def _record_macros(self, key: Key, text: str | None) -> None:
        for macro in MACRO.findall(text or ""):
            if macro in self.texts:
                self.wearers.setdefault(macro, set()).add(key)

    def _add_node(self, step: _Pass, node: SourceNode) -> bool:
        """Add a named node or a span; return whether it is one."""
        if node.name is None:
            return False
        name = expand_name(node.name, {**self.texts, **step.values})
        options = {option.key: option.value for option in node.options}
        if any(key in options for key in _LENGTHS) and node.at is not None:
            return self._add_span(step, node, name, options)
        if name.startswith(_NO_NODE) or (name.endswith(_LABEL) and any(placed_beside(node))):
            return False
        text = self._expand(node.text or "", step.values)
        icon = text if text in self._pictures else ""
        beside = [self._expand(each.extract_from(self.facts.text), step.values) for each in find_label_texts(node)]
        known = self._style_names
        styles = sorted(key for key in options if key in known)
        group = "frame" if "fit" in options else "node"
        key = self._add((group, name), label=", ".join(beside) if icon else text, icon=icon, styles=",".join(styles))
        self._ends.add(name)
        if node.at is not None:
            self.places[key] = "".join(f"({node.at.text})".split())
            self._add_place(key, node)
        self._record_macros(key, node.text)
        for option in node.options:
            self._record_macros(key, option.value)
        self._record_code(key, step)
        self._record_options(key, tuple(option for option in node.options if option.key not in SHIFT_KEYS))
        return True

    def _add_place(self, key: Key, node: SourceNode) -> None:
        """Add the position of a node in cm for the values of the parameters, unless it is unknown."""
        spot, shift = spot_of(self.facts, node), read_shift(self.facts, node)
        if spot is None or shift is None or key[0] != "node":
            return
        self.sums[key] = spot = replace(spot, x=add_sums(spot.x, shift[0]), y=add_sums(spot.y, shift[1]))
        x, y = (_measure(with_values(each, self._lengths)) for each in (spot.x, spot.y))
        if x is not None and y is not None:
            self.labels[self._add(("place", key[1]), at=f"{x} {y}")] = key

    @cached_property
    def _lengths(self) -> dict[str, Linear]:
        """Values of parameters that are sums of lengths."""
        found = {macro: parse_sum(value) for macro, value in self.texts.items()}
        return {macro: value for macro, value in found.items() if value is not None}

    def _add_span(self, step: _Pass, node: SourceNode, name: str, options: Mapping[str, str | None]) -> bool:
        assert node.at is not None, "a span has a place"
        start, _, lane = node.at.text.partition(",")
        phase = next((key.removesuffix(_PHASE) for key in options if key.endswith(_PHASE)), "")
        duration = next(options[key] for key in _LENGTHS if key in options) or ""
        text = self._expand(node.text or "", step.values)
        content = (self._find_timeline(step.statement), lane.strip(), start.strip(), duration.strip("{}"), phase, text)
        key = self._add(("span", *content))
        self.names[key] = name
        self._record_macros(("span", name), node.text)
        self._record_code(key, step)
        self._record_options(key, node.options)
        return True

    @cached_property
    def _style_names(self) -> frozenset[str]:
        return frozenset(style.name for style in self.facts.styles)

    @cached_property
    def _timelines(self) -> list[int]:
        """Scopes of timelines, in order."""
        scopes = enumerate(self.facts.scopes)
        return [index for index, scope in scopes if any(option.key == _AXES for option in scope.options)]

    def _find_timeline(self, statement: int) -> str:
        """Return the number of the timeline around a statement, from 0; empty outside of timelines."""
        scope = self.facts.statements[statement].scope
        if scope is None:
            return ""
        inside = self.facts.scopes[scope].span
        for number, index in enumerate(self._timelines):
            span = self.facts.scopes[index].span
            if span.start <= inside.start < span.end:
                return str(number)
        return ""

    def _add_label(self, step: _Pass, node: SourceNode) -> None:
        """Add the text of an unnamed node to the node next to it, or to the lane at this place."""
        key: Key
        owners = [expand_name(name, {**self.texts, **step.values}) for name in placed_beside(node)]
        text = self._expand(node.text or "", step.values)
        for name in owners:
            key = ("node", name)
            if key in self.says and not self.says[key].get("label"):
                self.says[key]["label"] = text
                self._record_macros(key, node.text)
                self._record_code(key, step)
                self._record_options(key, node.options)
        timeline = self._find_timeline(step.statement)
        at = node.at.text if node.at is not None else ""
        lane = re.fullmatch(r"\s*0\s*,\s*(\d+)\s*", at)
        if not owners and node.name is None and timeline and lane and node.text:
            key = self._add(("lane", timeline, lane[1]), label=text)
            self._record_macros(key, node.text)
            self._record_code(key, step)
            self._record_options(key, node.options)

    def _has_macro(self, node: SourceNode) -> bool:
        """Return whether a macro of the file is the text of a node."""
        return any(macro in self.texts for macro in MACRO.findall(node.text or ""))

    def _is_drawn(self, statement: int) -> bool:
        """Return whether a path draws a line."""
        path = self.facts.statements[statement]
        if any(option.key == "draw" and option.value == "none" for option in path.options):
            return False
        return path.command == "draw" or any(option.key in ("draw", "->", "<-", "<->") for option in path.options)

    def _find_ends(self, flow: SourceFlow, values: Mapping[str, str]) -> tuple[str, str]:
        known = {**self.texts, **values}
        source, target = (expand_name(end.name, known).removesuffix(_LABEL) for end in (flow.source, flow.target))
        return source, target

    def _join_labels(self, flow: SourceFlow, values: Mapping[str, str]) -> str:
        words = (self._expand(self.facts.nodes[index].text or "", values) for index in flow.labels)
        return ", ".join(filter(None, words))

    def _add_flow(self, step: _Pass, flow: SourceFlow) -> None:
        statement: SourceStatement = self.facts.statements[step.statement]
        source, target = self._find_ends(flow, step.values)
        if not {source, target} <= self._ends:  # between spans
            self._record_code(self._add(("link", source, target, flow.style)), step)
            return
        key = self._add(("flow", source, target, flow.style), label=self._join_labels(flow, step.values))
        self._flows.setdefault((source, target), []).append(key)
        self._record_flow(key, step, flow, statement.options)

    def _record_flow(self, key: Key, step: _Pass, flow: SourceFlow, options: tuple[Option, ...]) -> None:
        for index in flow.labels:
            self._record_macros(key, self.facts.nodes[index].text)
            self._record_options(key, self.facts.nodes[index].options)
        self._record_code(key, step)
        self._record_options(key, options, flow.options)

    def _add_bare_label(self, step: _Pass, flow: SourceFlow) -> None:
        """Add the label of an invisible path to the flow with the same ends."""
        statement = self.facts.statements[step.statement]
        ends = self._find_ends(flow, step.values)
        along = self._flows.get(ends, [])
        words = {option.key for option in statement.options}
        key = next((each for each in along if each[3] in words), along[0] if along else None)
        if key is None:
            return
        label = self._join_labels(flow, step.values)
        self.says[key]["label"] = ", ".join(filter(None, (self.says[key].get("label"), label)))
        self._record_flow(key, step, flow, statement.options)

    def _count_labels_of_styles(self) -> None:
        """Count the labels of the flows of each style; the layout chooses the flow of a label."""
        for key in [each for each in self.says if each[0] == "flow"]:
            if label := self.says[key].pop("label", ""):
                self.labels[self._add(("carried", key[3], label))] = key


def _measure(length: Linear) -> float | None:
    """Return a length in cm with the digits of a rendered file; None if it depends on an unknown macro."""
    return None if any(length) else round(float(length.get("", 0)), PLACE_DIGITS) + 0.0


def find_row(families: Iterable[Family], drawing: Elements, key: Key) -> tuple[str, Fraction] | None:
    """Return column and row of a member of a counted family, or None at other positions.

    The layout derives the positions of these members.
    """
    spot = drawing.sums.get(key)
    if spot is None:
        return None
    rows = ((each.names, each.read_row(spot)) for each in families if each.read_number(key[1]) is not None)
    return next(((names, row) for names, row in rows if row is not None), None)
