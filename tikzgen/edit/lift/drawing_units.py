"""Lines of a drawing as units: a statement, a loop, a definition, a style, or one other line."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate, pairwise

from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.edit.lift.read_elements import COMMENT, MACRO, Elements, Key
from tikzgen.lint.inventory import drawn_directly, iterate_own_styles
from tikzgen.texfile import TextSpan, list_bindings

_LOOP = re.compile(r"\\foreach\s+\\[a-z]+\s+in\s+\{[^{}]*\}")


class Unit(Record):
    """Lines of a statement, a loop, a definition or a style, or one other line.

    `role` identifies a unit in two drawings. `about` are its elements and its macros, `subjects` the elements that it
    draws and the macros that it defines. `first` and `last` are the indices of its lines. `unread` is true for code
    that is not part of any element, and for unusual loops.
    """

    role: Key
    text: str
    about: frozenset[Key]
    subjects: frozenset[Key]
    first: int
    last: int
    unread: bool = False

    @property
    def elements(self) -> list[Key]:
        """Elements of the unit, in a fixed order."""
        return sorted(key for key in self.about if key[0] != "macro")

    @property
    def macros(self) -> list[str]:
        """Macros that the unit defines, or uses outside of elements, in a fixed order."""
        return sorted(key[1] for key in self.about if key[0] == "macro")

    @property
    def is_definition(self) -> bool:
        """Whether the unit defines a macro."""
        return self.text.startswith("\\def")


def _find_value(values: Mapping[str, str], macro: re.Match[str]) -> str:
    return values.get(macro[0], macro[0])


class _Item(Record):
    """Code of a definition, a color, a style or a statement."""

    span: TextSpan
    role: Key
    about: set[Key]
    subjects: set[Key]


class Drawing(Elements):
    """The elements of a drawing, and its lines as units.

    `unrolled` are flows whose loops are read as one unit for each flow.
    """

    unrolled: Mapping[Key, int] = NOTHING

    def with_unrolled(self, flows: Mapping[Key, int]) -> Drawing:
        """Return the drawing with loops of some flows as one unit per flow, in the order of their numbers."""
        made = Drawing(self.rows, self.shared, self.facts)
        made.unrolled = flows
        return made

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The lines of the drawing as units, in order."""
        return tuple(self._iterate_units())

    @cached_property
    def _items(self) -> list[_Item]:
        return list(self._iterate_items())

    def _iterate_items(self) -> Iterator[_Item]:
        """Yield code of one or more lines."""
        facts = self.facts
        for definition in self.definitions:
            wearers = self.wearers.get(definition.name, set())
            macro: Key = ("macro", definition.name)
            own: set[Key] = {macro, *(wearers if len(wearers) == 1 else ())}
            yield _Item(definition.span, ("definition", definition.name), own, {macro})
        for color in facts.colors:
            yield _Item(color.span, ("color", color.name), {("color", color.name)}, {("color", color.name)})
        for style in iterate_own_styles(facts):
            yield _Item(style.span, ("style", style.name), {("style", style.name)}, {("style", style.name)})
        macros: dict[int, set[str]] = {}
        for node in facts.nodes:
            macros.setdefault(node.statement, set()).update({*MACRO.findall(node.text or "")} & self.texts.keys())
        for index in range(len(facts.statements)):
            if drawn_directly(facts, index):
                own_macros: set[Key] = {("macro", macro) for macro in macros.get(index, set()) - self.shared}
                about = self.statements.get(index) or own_macros
                yield self._make_item(index, facts.find_whole_span(index), about, macros.get(index, set()))

    def _make_item(self, index: int, span: TextSpan, about: set[Key], macros: set[str]) -> _Item:
        """Return a statement; an invisible path along a flow draws a label, the macro of which identifies it."""
        statement = self.facts.statements[index]
        is_label = statement.command == "path" and macros and not self._is_drawn(index)
        subjects: set[Key] = {("label", macro) for macro in macros} if is_label else about
        role: Key = ("drawn", statement.command, *sorted(map(repr, about)))
        return _Item(span, role if about else (), about, subjects)

    def _list_blocks(self) -> list[tuple[int, int, list[_Item]]]:
        """Return the lines of the items; items on the same line are one block."""
        find = self.facts.lines.place_of
        placed = [
            ((find(item.span.start).line or 1) - 1, (find(max(item.span.end - 1, item.span.start)).line or 1) - 1, item)
            for item in self._items
        ]
        blocks: list[tuple[int, int, list[_Item]]] = []
        for first, last, item in sorted(placed, key=lambda each: each[:2]):
            if blocks and first <= blocks[-1][1]:
                low, high, items = blocks[-1]
                blocks[-1] = (low, max(high, last), [*items, item])
            else:
                blocks.append((first, last, [item]))
        return blocks

    @cached_property
    def _read_spans(self) -> list[TextSpan]:
        """Spans of definitions, colors, styles, and statements that draw an element."""
        items = [item.span for item in self._items if item.role and item.role[0] != "drawn"]
        statements = enumerate(self.facts.statements)
        return sorted([*items, *(each.span for index, each in statements if self.statements.get(index))])

    @cached_property
    def _offsets(self) -> list[int]:
        return [0, *accumulate(map(len, self.rows))]

    def _has_unread_code(self, first: int, last: int) -> bool:
        """Return whether lines contain code that is not part of an element, or a loop with other settings."""
        start, end = self._offsets[first], self._offsets[last + 1]
        rest, done = "", start
        spans = self._read_spans
        for span in spans[bisect_left(spans, TextSpan(start, 0)) : bisect_left(spans, TextSpan(end, 0))]:
            rest += self.facts.text[done : max(span.start, done)]
            done = max(done, span.end)
        rest = COMMENT.sub("", rest + self.facts.text[done:end])
        return bool(_LOOP.sub("", rest).strip(" \t\n,;{}"))

    def _unroll_loop(self, first: int, last: int, items: Sequence[_Item]) -> list[tuple[_Item, str]]:
        """Return the statements of a loop in its lines, for each iteration; empty if the loop has other code."""
        facts, start, end = self.facts, self._offsets[first], self._offsets[last + 1]
        loops = [number for number, loop in enumerate(facts.loops) if start <= loop.span.start < end]
        if len(loops) != 1 or not any(key in self.unrolled for item in items for key in item.about):
            return []
        loop = facts.loops[loops[0]]
        inside = [at for at, statement in enumerate(facts.statements) if statement.loop == loops[0]]
        rest, done = facts.text[start : loop.span.start], loop.body.start
        for span in sorted(facts.statements[at].span for at in inside):
            rest, done = rest + facts.text[done : span.start], span.end
        rest += facts.text[done : loop.body.end] + facts.text[loop.span.end : end]
        if COMMENT.sub("", rest).strip(" \t\n;"):
            return []
        remarks = COMMENT.findall(facts.text, start, end)
        indent = self.rows[first][: len(self.rows[first]) - len(self.rows[first].lstrip())]
        found: list[tuple[int, _Item, str]] = []
        order = 0
        for number, values in enumerate(list_bindings(facts, loops[0])):
            for at in inside:
                about = self.passes.get((at, number), set())
                order = min((self.unrolled[key] for key in about if key in self.unrolled), default=order)
                code = COMMENT.sub("", facts.statements[at].span.extract_from(facts.text)).replace("\n  ", "\n")
                code = MACRO.sub(partial(_find_value, values), code)
                item = self._make_item(at, loop.span, about, {*MACRO.findall(code)} & self.texts.keys())
                found.append((order, item, f"{indent}{code}\n"))
        found.sort(key=lambda each: each[0])
        above = "".join(f"{indent}{remark}\n" for remark in remarks)
        return [(item, text if number else above + text) for number, (_, item, text) in enumerate(found)]

    def _iterate_units(self) -> Iterator[Unit]:
        count: Counter[Key] = Counter()

        def make_unit(items: Sequence[_Item], first: int, last: int, text: str = "") -> Unit:
            text = text or "".join(self.rows[first : last + 1])
            role = tuple(map(repr, dict.fromkeys(item.role for item in items if item.role)))
            role = role or ("row", " ".join(text.split()))
            count[role] += 1
            about = frozenset(key for item in items for key in item.about)
            subjects = frozenset(key for item in items for key in item.subjects)
            return Unit((*role, str(count[role])), text, about, subjects, first, last)

        done = 0
        for first, last, items in self._list_blocks():
            yield from (make_unit((), row, row) for row in range(done, first))
            done = last + 1
            if passes := self._unroll_loop(first, last, items):
                yield from (make_unit([item], first, last, text) for item, text in passes)
                continue
            unit = make_unit(items, first, last)
            yield replace(unit, unread=True) if self._has_unread_code(first, last) else unit
        yield from (make_unit((), row, row) for row in range(done, len(self.rows)))


def find_changed_elements(drawn: Sequence[Unit], after: Sequence[Unit], hand: Sequence[Unit]) -> set[Key]:
    """Return the elements and macros of the components that an operation changes.

    Units that share an element are one component.
    """
    parent: dict[Key, Key] = {}

    def find_root(key: Key) -> Key:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for unit in (*drawn, *after, *hand):
        keys = [find_root(key) for key in unit.about]
        for key in keys:
            parent[key] = keys[0]
    texts: tuple[dict[Key, list[str]], dict[Key, list[str]]] = {}, {}
    for side, units in zip(texts, (drawn, after), strict=True):
        for unit in units:
            for key in unit.about:
                side.setdefault(find_root(key), []).append(unit.text)
                break
    return {key for key in parent if texts[0].get(find_root(key)) != texts[1].get(find_root(key))}


def number_split_flows(*drawings: Drawing, left: set[Key]) -> dict[Key, int]:
    """Return flows that are in a loop in some drawings only, with their order in the last drawing.

    The drawings are: before the manual edits, the file, the lifted one, and the result of an operation. Return nothing
    if no flow is in a manual edit, `left`, or if a loop has other code than flows.
    """
    split = _find_split_loops(drawings)
    if split.isdisjoint(left):
        return {}
    apart = [side.with_unrolled(dict.fromkeys(split, 0)) for side in drawings]
    if any(_has_loop(side, split) for side in apart):
        return {}
    orders = [[key for unit in side.units for key in sorted(unit.subjects & split)] for side in apart]
    _, hand, drawn, after = orders
    order, others = (hand, after) if _has_loop(drawings[-1], split) else (after, hand)
    for keys in (others, drawn):
        for before, key in pairwise([(), *keys]):
            if key not in order:
                order.insert(order.index(before) + 1 if before else 0, key)
    return {key: number for number, key in enumerate(order)}


def _has_loop(side: Drawing, elements: set[Key]) -> bool:
    """Return whether a drawing has a loop of some of these elements."""
    return any(len(unit.subjects) > 1 and not elements.isdisjoint(unit.subjects) for unit in side.units)


def _find_split_loops(drawings: Sequence[Drawing]) -> set[Key]:
    """Return the elements of loops that are several units in another drawing, with all connected loops."""
    loops = [unit.subjects for side in drawings for unit in side.units if len(unit.subjects) > 1]
    split: set[Key] = set()
    for side in drawings if loops else ():
        owners: dict[Key, set[Key]] = {}
        for unit in side.units:
            for key in unit.subjects:
                owners.setdefault(key, set()).add(unit.role)
        for loop in loops:
            if len(set().union(*(owners.get(key, set()) for key in loop))) > 1:
                split |= loop
    for _ in loops:
        split |= {key for loop in loops if not split.isdisjoint(loop) for key in loop}
    return split
