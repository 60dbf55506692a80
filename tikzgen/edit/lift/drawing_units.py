"""Lines of a drawing as units: a statement, a loop, a definition, a style, or one other line."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

from tikzgen.base.record import Record, replace
from tikzgen.edit.lift.read_elements import COMMENT, MACRO, Elements, Key
from tikzgen.lint.inventory import drawn_directly, iterate_own_styles
from tikzgen.texfile import TextSpan

_LOOP = re.compile(r"\\foreach\s+\\[a-z]+\s+in\s+\{[^{}]*\}")


class Unit(Record):
    """Lines of a statement, a loop, a definition or a style, or one other line.

    `role` identifies a unit in two drawings. `about` are its elements and its macros. `first` and `last` are
    the indices of its lines. `unread` is true for code that is not part of any element, and for unusual loops.
    """

    role: Key
    text: str
    about: frozenset[Key]
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


class Drawing(Elements):
    """The elements of a drawing, and its lines as units."""

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The lines of the drawing as units, in order."""
        return tuple(self._iterate_units())

    @cached_property
    def _items(self) -> list[tuple[TextSpan, Key, set[Key]]]:
        return list(self._iterate_items())

    def _iterate_items(self) -> Iterator[tuple[TextSpan, Key, set[Key]]]:
        """Yield code of one or more lines: span, role, and elements."""
        facts = self.facts
        for definition in self.definitions:
            wearers = self.wearers.get(definition.name, set())
            own: set[Key] = {("macro", definition.name), *(wearers if len(wearers) == 1 else ())}
            yield definition.span, ("definition", definition.name), own
        for color in facts.colors:
            yield color.span, ("color", color.name), {("color", color.name)}
        for style in iterate_own_styles(facts):
            yield style.span, ("style", style.name), {("style", style.name)}
        macros: dict[int, set[Key]] = {}
        for node in facts.nodes:
            used: set[str] = {macro for macro in MACRO.findall(node.text or "") if macro in self.texts} - self.shared
            macros.setdefault(node.statement, set()).update(("macro", macro) for macro in used)
        for index, statement in enumerate(facts.statements):
            if not drawn_directly(facts, index):
                continue
            about = self.statements.get(index) or macros.get(index, set())
            role = ("drawn", statement.command, *sorted(map(repr, about)))
            yield facts.find_whole_span(index), role if about else (), about

    def _list_blocks(self) -> list[tuple[int, int, list[Key], set[Key]]]:
        """Return the lines of the items; items on the same line are one block."""
        find = self.facts.lines.place_of
        placed = [
            ((find(span.start).line or 1) - 1, (find(max(span.end - 1, span.start)).line or 1) - 1, role, about)
            for span, role, about in self._items
        ]
        blocks: list[tuple[int, int, list[Key], set[Key]]] = []
        for first, last, role, about in sorted(placed, key=lambda each: each[:2]):
            if blocks and first <= blocks[-1][1]:
                low, high, roles, known = blocks[-1]
                blocks[-1] = (low, max(high, last), [*roles, role], known | about)
            else:
                blocks.append((first, last, [role], about))
        return blocks

    @cached_property
    def _read_spans(self) -> list[TextSpan]:
        """Spans of definitions, colors, styles, and statements that draw an element."""
        items = [span for span, role, _ in self._items if role and role[0] != "drawn"]
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

    def _iterate_units(self) -> Iterator[Unit]:
        count: Counter[Key] = Counter()

        def make_unit(role: Key, about: set[Key], first: int, last: int) -> Unit:
            text = "".join(self.rows[first : last + 1])
            role = role or ("row", " ".join(text.split()))
            count[role] += 1
            return Unit((*role, str(count[role])), text, frozenset(about), first, last)

        done = 0
        for first, last, roles, about in self._list_blocks():
            yield from (make_unit((), set(), row, row) for row in range(done, first))
            named = [role for role in dict.fromkeys(roles) if role]
            unit = make_unit(tuple(map(repr, named)), about, first, last)
            yield replace(unit, unread=True) if self._has_unread_code(first, last) else unit
            done = last + 1
        yield from (make_unit((), set(), row, row) for row in range(done, len(self.rows)))
