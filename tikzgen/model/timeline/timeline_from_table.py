"""Timelines from tables: pandas or polars frames, rows as mappings, and CSV files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

from pydantic import TypeAdapter, ValidationError

from tikzgen.base.errors import Place, Problem, SpecError, quote
from tikzgen.base.record import Record
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.exact_fields import Duration, Time
from tikzgen.model.tables import read_table, to_python
from tikzgen.model.timeline.timeline_parts import Lane, Span

ROW_LIMIT = 100_000
"""Maximum number of rows in a table."""
USUAL = ("lane", "start", "end", "duration", "phase", "label", "short", "number", "id")
"""Default names of the columns."""
_REQUIRED_COLUMNS = ("lane", "start", "end", "duration")
_exact, _unit = TypeAdapter(Time), TypeAdapter(Duration)


class TableRow(Record):
    """A row of a table: its values by meaning, its location, and the names of the table's columns."""

    values: Mapping[str, Any]
    place: Place
    columns: Mapping[str, str]

    def refuse(self, name: str, message: str, hint: str = "") -> NoReturn:
        """Raise `SpecError` for a value of this row."""
        raise SpecError([Problem(message, self.columns.get(name, name), self.place, hint)])

    def read_exact_time(self, name: str) -> Fraction:
        """Return a value as an exact time."""
        value = self.values[name]
        try:
            return _exact.validate_python(value)
        except ValidationError:
            self.refuse(
                name, f"should be a time, at least 0, not {quote(value)}", "a number, or a fraction such as 1/3"
            )


def lanes_and_spans(
    frame: Any, unit: Any, order: Sequence[Any], named: Mapping[str, str]
) -> tuple[list[Lane], list[Span]]:
    """Return the lanes and the spans of a table, with its times divided by `unit`.

    `order` lists lanes before the others.
    """
    try:
        per = _unit.validate_python(unit)
    except ValidationError:
        hint = "a number above 0, such as 1000"
        raise SpecError([Problem(f"cannot be {quote(unit)}", "unit", hint=hint)]) from None
    rows = _read_table_rows(frame, named)
    ids = _make_lane_ids(_sort_lanes(dict.fromkeys(str(row.values["lane"]) for row in rows), list(map(str, order))))
    return [Lane(id=name, label=label) for label, name in ids.items()], [_make_span(row, ids, per) for row in rows]


def _sort_lanes(lanes: Iterable[str], order: Sequence[str]) -> list[str]:
    """Return the lanes of a table: `order`, then the other lanes in the order of their rows."""
    known = list(lanes)
    for name in order:
        if name not in known:
            hint = suggest_known_names(name, known, "the table has")
            raise SpecError([Problem(f"unknown lane {quote(name)}", "lanes", hint=hint)])
    return list(dict.fromkeys([*order, *known]))


def _make_span(row: TableRow, ids: Mapping[str, str], per: Fraction) -> Span:
    start = row.read_exact_time("start")
    duration = row.read_exact_time("duration") if "duration" in row.columns else row.read_exact_time("end") - start
    if duration <= 0:
        row.refuse("duration" if "duration" in row.columns else "end", "a span must end after it starts")
    told = {name: str(row.values[name]) for name in ("phase", "label", "short", "number", "id") if name in row.values}
    if "number" in told:
        told["number"] = told["number"].removesuffix(".0")  # pandas stores a column with gaps as floats
    facts = {"lane": ids[str(row.values["lane"])], "start": start / per, "duration": duration / per, **told}
    try:
        return Span.model_validate(facts)
    except ValidationError as error:
        name = str(error.errors(include_url=False)[0]["loc"][0])
        hint = {"number": "a whole number, at least 0", "id": "letters, digits and single hyphens"}.get(name, "")
        row.refuse(name, f"cannot be {quote(told.get(name))}", hint)


def _read_table_rows(frame: Any, named: Mapping[str, str]) -> list[TableRow]:
    """Return the rows of a table; `named` maps usual column names to the names in the table."""
    name, start, records = read_table(frame)
    if not records:
        raise SpecError([Problem("the table has no rows", place=Place(name))])
    if len(records) > ROW_LIMIT:
        raise SpecError([Problem(f"has {len(records)} rows, and {ROW_LIMIT} are the most", place=Place(name))])
    head = [str(column) for column in records[0]]
    columns = {each: named.get(each, each) for each in USUAL if named.get(each, each) in head}
    for each in dict.fromkeys(["lane", "start", *named]):
        if each not in USUAL:
            raise SpecError([Problem(f"unknown column {quote(each)}", hint=suggest_known_names(each, USUAL))])
        if each not in columns:
            wanted = named.get(each, each)
            hint = f"{suggest_known_names(wanted, head, 'its columns are')}; {each}=… names another"
            raise SpecError([Problem(f"the table has no column {quote(wanted)}", place=Place(name), hint=hint)])
    if ("end" in columns) == ("duration" in columns):
        which = "both `end` and" if "end" in columns else "neither `end` nor"
        hint = "one of them sets the length of a span; end=… and duration=… name other columns"
        raise SpecError([Problem(f"the table has {which} `duration`", place=Place(name), hint=hint)])
    found = []
    for number, record in enumerate(records):
        values = {each: to_python(record.get(column)) for each, column in columns.items()}
        place = Place(name, start + number) if start else Place(f"{name} {number}")
        row = TableRow({each: value for each, value in values.items() if value is not None}, place, columns)
        for each in columns:
            if each in _REQUIRED_COLUMNS and each not in row.values:
                row.refuse(each, "is missing")
        found.append(row)
    return found


def _make_lane_ids(lanes: Iterable[str]) -> dict[str, str]:
    """Return an id for each lane, derived from its label."""
    found: dict[str, str] = {}
    for lane in lanes:
        words = "-".join(re.findall(r"[A-Za-z0-9]+", lane))[:50] or "lane"
        stem = words if words[0].isalpha() else f"lane-{words}"
        name, number = stem, 2
        while name in found.values():
            name, number = f"{stem}-{number}", number + 1
        found[lane] = name
    return found
