"""Files of earlier versions: their lines with the present macros of labels.

An element identifies its label, regardless of the macro name. A macro of several elements becomes one macro for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from tikzgen.base.record import Record
from tikzgen.edit.lift.read_elements import Elements, Key
from tikzgen.spec.embedded_spec import hash_lines, rows_of

_DEFINITION = re.compile(r"^\\def(\\[A-Za-z]+)", re.MULTILINE)


class PresentRows(Record):
    """Lines of a file, and lines that tikzgen wrote there, with present macros, by the line in the file."""

    file: Mapping[str, str]
    written: Mapping[str, str]


def find_present_rows(rows: Sequence[str], drawn: Sequence[str], written: Iterable[str]) -> PresentRows:
    """Return the lines of a file that change if its labels get the macros of a drawing.

    `written` are the hashes of the lines that tikzgen wrote. Macros that are only in edited lines belong to the author.
    """
    known, present = (set(_DEFINITION.findall("".join(each))) for each in (rows, drawn))
    if not known - present:
        return PresentRows({}, {})
    recorded = frozenset(written)
    code = "".join(row for row, line in zip(rows, hash_lines(rows), strict=True) if line in recorded)
    old = {macro for macro in known - present if _make_pattern(macro).search(code)}
    return _Renaming(rows, drawn, old, known, recorded).rename() if old else PresentRows({}, {})


def replace_rows(rows: Iterable[str], present: Mapping[str, str]) -> list[str]:
    """Return lines with the present macros."""
    return [new for row in rows for new in (rows_of(present[row]) if row in present else [row])]


class _Renaming:
    """Renaming of macros: `old` are the macros to rename, `known` all macros of the file."""

    def __init__(
        self, rows: Sequence[str], drawn: Sequence[str], old: set[str], known: set[str], recorded: frozenset[str]
    ) -> None:
        self.hand, self.drawn = Elements(list(rows)), Elements(list(drawn))
        self.old, self.known, self.recorded = old, known, recorded
        self.before, self.now = _list_macros(self.hand), _list_macros(self.drawn)
        self.drawn_rows = _map_definitions(drawn)
        self.places = {macro: place for place, macro in enumerate(self.drawn_rows)}
        self.previous = {macro: before for before, macro in pairwise(self.drawn_rows)}
        self.defined = {macro: index for index, row in enumerate(rows) for macro in _DEFINITION.findall(row)}
        self.rows, self.written = list(rows), list(rows)
        self.definitions: dict[str, str] = {}  # definitions that tikzgen wrote and the author edited

    def rename(self) -> PresentRows:
        for macro in sorted(self.old & self.hand.wearers.keys()):
            if names := self._find_names(macro):
                self._rename_macro(macro, names)
        file, written = (
            {old: new for old, new in zip(self.hand.rows, rows, strict=True) if old != new}
            for rows in (self.rows, self.written)
        )
        return PresentRows(file, {**written, **self.definitions})

    def _find_names(self, macro: str) -> dict[Key, str]:
        """Return the present macros of the elements that have this one."""
        names: dict[Key, str] = {}
        for key in self.hand.wearers[macro]:
            gone = [each for each in self.before[key] if each in self.old]
            come = [each for each in self.now.get(key, ()) if each not in self.known]
            if len(gone) == len(come):
                names[key] = come[gone.index(macro)]
        return names

    def _rename_macro(self, macro: str, names: Mapping[Key, str]) -> None:
        pattern, uses = _make_pattern(macro), dict(self._iterate_rows(names))
        present = sorted(set(names.values()), key=self.places.__getitem__)
        for index, row in enumerate(self.hand.rows):
            if not pattern.search(row):
                continue
            if row.startswith("\\def"):
                self._define_each(index, macro, present)
            elif len(present) == 1 or index in uses:
                name = uses.get(index, present[0])
                self.rows[index], self.written[index] = (
                    _put_name(pattern, name, each) for each in (self.rows[index], self.written[index])
                )

    def _define_each(self, index: int, macro: str, names: Sequence[str]) -> None:
        """Replace a definition by one for each name that the drawing defines."""
        row = self.hand.rows[index]
        self.rows[index] = self.written[index] = ""
        for name in names:
            place = self.defined.get(self.previous.get(name, ""), index)
            self.rows[place] += _put_name(_make_pattern(macro), name, row)
            self.defined[name] = place
            old = _put_name(_make_pattern(name), macro, self.drawn_rows[name])
            if {*hash_lines([old])} <= self.recorded:
                self.written[place] += self.drawn_rows[name]
                if old != row:
                    self.definitions[old] = ""

    def _iterate_rows(self, names: Mapping[Key, str]) -> Iterator[tuple[int, str]]:
        """Yield the rows of the statements that draw these elements, with the present macro of each."""
        facts = self.hand.facts
        for index, keys in self.hand.statements.items():
            found = {names[key] for key in map(self.hand.find_wearer, keys) if key in names}
            span = facts.statements[index].span
            first, last = (facts.lines.place_of(at).line or 1 for at in (span.start, span.end - 1))
            yield from ((row, name) for row in range(first - 1, last) for name in found if len(found) == 1)


def _map_definitions(rows: Iterable[str]) -> dict[str, str]:
    """Return the rows that define macros, by macro in order."""
    return {found[1]: row for row in rows if (found := _DEFINITION.match(row))}


def _list_macros(drawing: Elements) -> dict[Key, list[str]]:
    """Return the macros of each element, in the order of their use."""
    found: dict[Key, list[str]] = {}
    for macro, keys in drawing.wearers.items():
        for key in keys:
            found.setdefault(key, []).append(macro)
    return found


def _make_pattern(macro: str) -> re.Pattern[str]:
    return re.compile(re.escape(macro) + r"(?![A-Za-z])")


def _put_name(pattern: re.Pattern[str], name: str, row: str) -> str:
    return pattern.sub(lambda _: name, row)
