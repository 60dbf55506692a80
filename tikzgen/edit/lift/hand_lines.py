r"""List the manual edits that no operation expresses, and merge them with the drawing of an operation.

An element of the file is explained if the lifted drawing has its properties. In addition, its code must equal the
code of a drawing or use only options of a drawing. Every other edit is left: it stays verbatim, and an element owns it.

If an operation changes an explained element, `list_sides` replaces its lines with lines of the lifted drawing.
Otherwise they stay verbatim.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from tikzgen.base.errors import quote
from tikzgen.base.record import Record, replace
from tikzgen.edit.lift.drawing_units import Drawing, Unit, find_changed_elements, number_split_flows
from tikzgen.edit.lift.lift_operations import Lifted
from tikzgen.edit.lift.read_elements import MACRO, Key, find_row
from tikzgen.edit.lift.renamed_names import NO_RENAMING, Renaming, find_own_macros, name_literal_labels
from tikzgen.edit.merge import Block
from tikzgen.model.looks import Spacing
from tikzgen.spec.embedded_spec import hash_lines, rows_of
from tikzgen.texfile import is_fixed, is_shifted

LINE = "line"  # name of a line that belongs to no element
REMOVED = "removed"  # before the name of an element or line that the file lacks
_PLACE = re.compile(r"\bat\s*\([^()]*\)|,\s*[xy]shift=[^,\[\]]*")  # of a node


class LeftLine(Record):
    """First line of a manual edit that no operation expresses, from 1, and its element.

    `what` names the element, such as `node w3`; it is `line` for other code.
    """

    line: int
    what: str


class MergeSides(Record):
    """Blocks of the lifted drawing, of an operation's drawing, and of the file with its remaining lines.

    The description expresses the `explained` lines of the file as different code. `unedited` are all lines of the
    drawing before the manual edits.
    """

    base: list[Block]
    ours: list[Block]
    theirs: list[Block]
    explained: list[str]
    unedited: frozenset[str]


class HandLines:
    """Manual edits of a lifted file: explained ones, and ones that stay."""

    def __init__(self, lifted: Lifted) -> None:
        self.lifted = lifted
        self.first, self.hand, self.drawn = lifted.first, lifted.hand, lifted.drawn
        self.known = lifted.known

    @cached_property
    def left_lines(self) -> tuple[LeftLine, ...]:
        """Manual edits that no operation expresses, in the order of the file."""
        found = [
            LeftLine(unit.first + 1, name_unit(unit, self.hand))
            for unit in self.hand.units
            if unit.text.strip() and not _is_comment(unit.text) and not self.is_explained(unit)
        ]
        named = {each.what for each in found}
        line = 1
        there = {unit.role: unit for unit in self.hand.units}
        for unit in self.first.units:
            if unit.role in there:
                line = there[unit.role].last + 2
            elif unit.role in self._drawn_units and not _is_comment(unit.text) and not self._is_elsewhere(unit):
                name = name_unit(unit, self.first)
                if name not in named or name == LINE:
                    what = f"line {quote(_remove_remarks(unit.text))}" if name == LINE else name
                    found.append(LeftLine(line, f"{REMOVED} {what}"))
        return tuple(sorted(found, key=lambda each: each.line))

    def is_explained(self, unit: Unit) -> bool:
        """Return whether the lifted drawing expresses a unit of the file."""
        return self._explanations[unit.role]

    @cached_property
    def _explanations(self) -> dict[Key, bool]:
        return {unit.role: self._is_explained(unit) for unit in self.hand.units}

    def _is_untouched(self, rows: Iterable[str]) -> bool:
        """Return whether all of these lines are lines of the drawing before the manual edits."""
        return self._first_rows.issuperset(rows)

    @cached_property
    def _first_rows(self) -> frozenset[str]:
        return frozenset(self.first.rows)

    @cached_property
    def _spans_by_name(self) -> dict[str, Key]:
        return {name: content for content, name in reversed(self.hand.names.items())}

    @cached_property
    def _first_units(self) -> dict[Key, Unit]:
        return {unit.role: unit for unit in self.first.units}

    @cached_property
    def _drawn_units(self) -> dict[Key, Unit]:
        return {unit.role: unit for unit in self.drawn.units}

    def _is_explained(self, unit: Unit) -> bool:
        again = unit.role not in self._first_units and unit.role not in self._drawn_units
        if {*hash_lines(rows_of(unit.text))} <= self.known and not (again and self._is_untouched(rows_of(unit.text))):
            return True
        for side in (self._first_units, self._drawn_units):
            if unit.role in side and _remove_remarks(side[unit.role].text) == _remove_remarks(unit.text):
                return True
        if unit.role[0] == "row":
            return not _remove_remarks(unit.text)
        if unit.unread:
            return False
        elements = unit.elements
        if not elements:
            return unit.is_definition and all(self._is_said(key) for key in unit.macros)
        return all(map(self._is_element_explained, elements))

    def _is_said(self, macro: str) -> bool:
        """Return whether the lifted drawing has a definition of the file, or the same label."""
        for kind in ("parameter", "picture"):
            key = (kind, macro)
            if key in self.hand.says:
                drawn, first = self.drawn.says.get(key), self.first.says.get(key)
                if self.hand.says[key] in (drawn, first):
                    return True
                if kind == "picture":
                    return first is None and drawn is not None
                worn = self.hand.wearers.get(macro, set())
                return first is None and bool(worn) and all(map(self._is_element_explained, worn))
        return False

    def _is_element_explained(self, key: Key) -> bool:
        hand, drawn, first = self.hand, self.drawn, self.first
        if key[0] == "span" and len(key) == 2:  # known by its name
            key = self._spans_by_name.get(key[1], key)
        said, told = hand.says.get(key), drawn.says.get(key)
        if said is None or told is None or any(told.get(name) != value for name, value in said.items()):
            return False
        spelt = hand.spelt.get(key, [])
        if spelt == drawn.spelt.get(key, []) or (spelt == first.spelt.get(key, []) and key in first.says):
            return True
        if key in first.says and self._differs_in_label_only(key):
            return True
        if key in first.says and not self._is_at_known_place(key):
            return False
        if key[0] == "node" and key not in first.says and not self._is_at_known_place(key):
            return hand.places.get(key) == drawn.places.get(key) and self._has_known_words(key)
        return self._has_known_words(key)

    def _differs_in_label_only(self, key: Key) -> bool:
        """Return whether the code of an element is unedited except for its label."""
        before, after = (side.says[key].get("label", "") for side in (self.first, self.hand))
        unedited = [code.replace(f"{{{before}}}", f"{{{after}}}") for code in self.first.spelt.get(key, [])]
        return before != after and unedited == self.hand.spelt.get(key, [])

    def _has_known_words(self, key: Key) -> bool:
        return self.hand.options.get(key, set()) <= self.first.words | self.drawn.words

    def _is_at_known_place(self, key: Key) -> bool:
        """Return whether an edit only moves a node to a position that the drawing or the layout gives it.

        The layout derives positions of workers in a column, at a multiple of the row distance.
        """
        on_grid = self._find_row(key) is not None and self._keeps_order
        if not on_grid and not self._has_drawn_place(key):
            return False
        spelt, drawn = ([_PLACE.sub("", code) for code in side.spelt.get(key, [])] for side in (self.hand, self.drawn))
        return spelt == drawn

    def _has_drawn_place(self, key: Key) -> bool:
        """Return whether the lifted drawing has a node at the same position in cm."""
        place = ("place", *key[1:])
        if place not in self.hand.says or self.hand.says[place] != self.drawn.says.get(place):
            return False
        if key in self.first.sums:
            return is_shifted(self.first.sums[key], self.hand.sums[key])
        return is_fixed(self.hand.sums[key]) or is_shifted(self.drawn.sums[key], self.hand.sums[key])

    @cached_property
    def _keeps_order(self) -> bool:
        """Return whether the members of each column are in the order of the lifted drawing."""
        columns: dict[str, list[Fraction]] = {}
        for key in self.drawn.places:
            if (found := self._find_row(key)) is not None:
                columns.setdefault(found[0], []).append(found[1])
        return all(rows == sorted(rows, reverse=True) for rows in columns.values())

    def _find_row(self, key: Key) -> tuple[str, Fraction] | None:
        return find_row(self.lifted.said.families, self.hand, key)

    def _is_elsewhere(self, unit: Unit) -> bool:
        """Return whether the elements of a unit are in the file, in another form."""
        elements = unit.elements
        return bool(elements) and all(key in self.hand.says for key in elements)

    @cached_property
    def _is_settled(self) -> bool:
        """Whether every node is at its position in the lifted drawing, so that derived code applies."""
        hand, drawn, first = self.hand.places, self.drawn.places, self.first.places
        return all(
            self._has_drawn_place(key)
            or hand[key] in (drawn[key], "" if self._find_row(key) is not None else first.get(key))
            for key in hand.keys() & drawn.keys()
        )

    def list_sides(self, after: Sequence[str], renaming: Renaming = NO_RENAMING) -> MergeSides:
        """Return the sides for a merge of the lifted drawing with the drawing `after` and the file.

        `renaming` are the names that the operation changes; `EditRefused` if a new label would hide an own macro.
        """
        if rows := name_literal_labels(self.hand, self.drawn):
            named = replace(self.lifted, hand=Drawing(rows, self.hand.shared))
            return HandLines(named).list_sides(after, renaming)
        operated = Drawing(list(after), renaming.rename_macros(self.hand.shared))
        own = find_own_macros(self.hand, operated.texts.keys() - self.drawn.texts.keys())
        edits = self._with_names(replace(renaming, macros={**own, **renaming.macros}))
        left = {key for unit in edits.hand.units if not edits.is_explained(unit) for key in unit.subjects}
        flows = number_split_flows(edits.first, edits.hand, edits.drawn, operated, left=left)
        if flows:
            return edits._map_drawings(lambda side: side.with_unrolled(flows))._list_blocks(
                operated.with_unrolled(flows)
            )
        return edits._list_blocks(operated)

    def _with_names(self, renaming: Renaming) -> HandLines:
        """Return the edits with other names of elements and macros."""
        shared = renaming.rename_macros(self.hand.shared)
        return self._map_drawings(lambda side: Drawing(renaming.rename_rows(side.facts), shared)) if renaming else self

    def _map_drawings(self, change: Callable[[Drawing], Drawing]) -> HandLines:
        first, hand, drawn = map(change, (self.first, self.hand, self.drawn))
        return HandLines(replace(self.lifted, first=first, hand=hand, drawn=drawn))

    def _list_blocks(self, operated: Drawing) -> MergeSides:
        new = {unit.role: unit.text for unit in operated.units}
        changed = find_changed_elements(self.drawn.units, operated.units, self.hand.units)
        kept: list[Unit] = []
        explained: list[str] = []
        for unit in self.hand.units:
            drawn = self._drawn_units.get(unit.role)
            changes = not unit.about.isdisjoint(changed) if drawn is None else new.get(unit.role) != drawn.text
            if text := self._choose_text(unit, changes):
                kept.append(replace(unit, text=text))
                explained += rows_of(text) if text == unit.text and self.is_explained(unit) else ()
        kept = _insert_missing(kept, self._iterate_missing(changed), self.drawn.units)
        drawings = (self.drawn, operated)
        base, ours = ([_make_block(unit, side) for unit in _list_in_order(side.units, kept)] for side in drawings)
        return MergeSides(base, ours, [_make_block(unit, self.hand) for unit in kept], explained, self._first_rows)

    def _choose_text(self, unit: Unit, changes: bool) -> str:
        """Return the text of a unit: from the file, or from the lifted drawing if that must apply.

        `changes` is true if an operation changes the unit.
        """
        drawn, first = self._drawn_units.get(unit.role), self._first_units.get(unit.role)
        if self._has_to_stay(unit, drawn):
            return unit.text
        follows = self._has_to_follow(unit, drawn, changes)
        if first is not None and first.text == unit.text:  # unedited
            if not (follows or self._is_settled or not unit.about):
                return unit.text
            return drawn.text if drawn is not None else ""
        same = drawn is not None and _remove_remarks(drawn.text) == _remove_remarks(unit.text)
        if same or not follows or not self.is_explained(unit):
            return unit.text
        return _add_remarks(drawn.text, unit.text) if drawn is not None else ""

    def _has_to_stay(self, unit: Unit, drawn: Unit | None) -> bool:
        """Return whether the lifted drawing cannot replace a unit, because it lacks an element or a macro."""
        if unit.is_definition:
            lacks = drawn is None and not self.is_explained(unit)
            return lacks or not self._left_macros.isdisjoint(unit.macros)
        says_all = bool(unit.elements) and all(key in self.drawn.says for key in unit.elements)
        return drawn is None and bool(unit.about) and not says_all

    def _has_to_follow(self, unit: Unit, drawn: Unit | None, changes: bool) -> bool:
        """Return whether the text of the lifted drawing applies if it expresses the unit."""
        if drawn is None:
            return changes or bool(unit.about)
        other_macros = _find_macros(drawn.text) != _find_macros(unit.text) or self._has_changed_macros(unit)
        return changes or other_macros or (unit.is_definition and not self._is_own_value(unit))

    def _has_changed_macros(self, unit: Unit) -> bool:
        """Return whether a macro of a unit has another value in the lifted drawing."""
        macros = {macro for macro in _find_macros(unit.text) if macro in self.hand.texts}
        return any(self.hand.texts[macro] != self.drawn.texts.get(macro) for macro in macros)

    @cached_property
    def _left_macros(self) -> frozenset[str]:
        """Macros in edited statements that stay; their definitions also stay."""
        left = (unit for unit in self.hand.units if not unit.is_definition and not self.is_explained(unit))
        return frozenset(macro for unit in left for macro in _find_macros(unit.text))

    def _is_own_value(self, unit: Unit) -> bool:
        """Return whether a definition is a picture or a distance, which may differ from the drawing."""
        macros = unit.macros
        return any(("picture", macro) in self.hand.says or macro[1:] in Spacing.model_fields for macro in macros)

    def _iterate_missing(self, changed: set[Key]) -> Iterator[Unit]:
        """Yield units of the lifted drawing that the file has in another form, or that it implies."""
        there = {unit.role for unit in self.hand.units}
        other = {key for unit in self.hand.units if unit.role not in self._drawn_units for key in unit.about}
        for unit in self.drawn.units:
            if unit.role in there:
                continue
            elements = {*unit.elements}
            new = unit.role not in self._first_units
            said = all(key in self.hand.says and not self._is_left(key) for key in elements)
            follows = new and (self._is_settled or not unit.about)
            label = bool(elements) and all("label" not in self.hand.says.get(key, {"label": ""}) for key in elements)
            stands_for = elements and not elements.isdisjoint(changed | other)
            is_style = bool(elements) and all(key[0] in ("style", "color") for key in elements)
            defines = new and (unit.is_definition or is_style or (label and _find_macros(unit.text)))
            if (said and (follows or stands_for)) or defines:
                yield unit

    def _is_left(self, key: Key) -> bool:
        return key in self.hand.says and not self._is_element_explained(key)


def _make_block(unit: Unit, side: Drawing) -> Block:
    name = name_unit(unit, side) if unit.subjects else LINE
    return Block(unit.text, unit.role, unit.subjects, "" if name == LINE else name)


def _insert_missing(kept: Sequence[Unit], missing: Iterable[Unit], order: Iterable[Unit]) -> list[Unit]:
    """Insert units of a drawing, whose `order` is given, after their predecessors."""
    there, added = {unit.role for unit in kept}, {unit.role for unit in missing}
    followers: dict[Key, list[Unit]] = {}
    before: Key = ()
    for unit in order:
        if unit.role in there:
            before = unit.role
        elif unit.role in added:
            followers.setdefault(before, []).append(unit)
    return [*followers.get((), ()), *(one for unit in kept for one in (unit, *followers.get(unit.role, ())))]


def _list_in_order(drawn: Sequence[Unit], file: Sequence[Unit]) -> Sequence[Unit]:
    """Return the units of a drawing in the order of a file."""
    units = {unit.role: unit for unit in drawn}
    shared = [units[unit.role] for unit in file if unit.role in units]
    there = {unit.role for unit in shared}
    if [unit for unit in shared if unit.subjects] == [unit for unit in drawn if unit.role in there and unit.subjects]:
        return drawn
    return _insert_missing(shared, [unit for unit in drawn if unit.role not in there], drawn)


def _find_macros(text: str) -> set[str]:
    """Return the macros of a statement that may be labels of the figure."""
    return {macro for macro in MACRO.findall(_remove_remarks(text)) if macro[1:] not in Spacing.model_fields}


_REMARK = re.compile(r"[ \t]*(?<!\\)%[^\n]*")


def _remove_remarks(text: str) -> str:
    """Return the code of lines, without comments and superfluous whitespace."""
    return " ".join(_REMARK.sub("", text).split())


def _add_remarks(drawn: str, hand: str) -> str:
    """Return code of a drawing after the comments of the file, each on a separate line."""
    known = set(_REMARK.findall(drawn))
    remarks = [remark.strip() for remark in _REMARK.findall(hand) if remark not in known and remark.strip(" \t%")]
    return "".join([*(f"{remark}\n" for remark in remarks), drawn])


def _is_comment(text: str) -> bool:
    return not _remove_remarks(text)


def name_unit(unit: Unit, side: Drawing) -> str:
    """Return the name of the first element of a unit, of its macro, or `line`."""
    elements = [key for key in unit.elements if key[0] != "link"]
    if elements:
        kind, *names = elements[0]
        if kind == "span":
            return f"span {side.names.get(elements[0], '')}"
        if kind == "flow":
            return f"flow {names[0]} to {names[1]}"
        if kind == "cells":
            return f"row {names[1]} of cells {names[0]}"
        return f"{kind} {names[0]}"
    return f"text {unit.macros[0]}" if unit.macros else LINE
