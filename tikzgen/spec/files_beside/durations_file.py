"""Durations in a CSV file of a spec: one line per stage, with one entry, or one per microbatch.

A header with names of fields allows durations of several fields in one file.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Sequence
from pathlib import Path

from tikzgen.base.errors import Place, Problem, SpecError, quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.read_files import NamedFileRefused
from tikzgen.base.record import replace
from tikzgen.schedule import ScheduleError, read_exact_number
from tikzgen.spec.document import Document
from tikzgen.spec.source import read_named_text


def with_tables(document: Document, fields: Sequence[str]) -> Document:
    """Replace the names of CSV files in a description by their durations.

    Raise `SpecError` if the project does not contain the file, the description is not in a folder, or an entry is not
    a duration, with its location in the file.
    """
    tables = {}
    for field in fields:
        value = document.data.get(field)
        if isinstance(value, str) and value.lower().endswith(".csv"):
            try:
                tables[field] = _read_duration_rows(*_read_file(value, document), field)
            except NamedFileRefused as error:
                hint = error.hint or "a name such as durations.csv, as seen from this file"
                problem = Problem(error.message, field, document.places.locate_value((field,)), hint)
                raise SpecError([problem]) from None
    return replace(document, data={**document.data, **tables})


def _read_file(file: str, document: Document) -> tuple[str, str]:
    if document.name.startswith("<") or document.name.endswith(".tex"):
        raise NamedFileRefused(f"{quote(file)} is not a file next to this spec", hint="write the durations, as lists")
    return read_named_text(file, Path(document.name))


_INDEX = ("stage", "device", "rank", "gpu", "chunk")
"""Headings of a column that numbers the lines."""
_COLUMNS = {
    "forward": ("forward", "fwd"),
    "backward": ("backward", "bwd"),
    "input_grad": ("input_grad", "dgrad"),
    "weight_grad": ("weight_grad", "wgrad"),
    "recompute": ("recompute", "recomputation"),
}
"""Headings of the columns of each field."""
_WITH_UNIT = pattern_of(r"([0-9.]+) *([A-Za-zµμ]+)")


def _read_duration_rows(text: str, name: str, field: str) -> list[str | list[str]]:
    """Return the durations of each line.

    The first line may be a header. Its column of `_INDEX` numbers the lines, and is not a duration. If it names
    fields, only the columns of `field` count. Raise `SpecError` if the field has no column, if an entry is not a
    duration, or if the numbers of the lines do not count from 0 or 1.
    """
    lines = [_split_entries(line) for line in text.rstrip().split("\n")]
    header = [word.lower() for _, word in lines[0]]
    has_header = len(lines) > 1 and all(word[:1].isalpha() for word in header)
    index = next((place for place, word in enumerate(header) if word in _INDEX), None) if has_header else None
    columns = _find_columns(header, name, field) if has_header else range(sys.maxsize)
    rows: list[str | list[str]] = []
    first = ""
    for number, entries in enumerate(lines[has_header:], 1 + has_header):
        if index is not None and index < len(entries):
            column, counted = entries[index]
            first = counted if not rows else first
            if first not in ("0", "1") or counted != str(len(rows) + int(first)):
                message = f"{quote(counted)} does not count the lines"
                hint = f"{header[index]} counts up from 0 or 1"
                raise SpecError([Problem(message, place=Place(name, number, column), hint=hint)])
        taken = [entry for place, entry in enumerate(entries) if place != index and place in columns]
        row = [_check_duration(word, Place(name, number, column)) for column, word in taken]
        rows.append(row[0] if len(row) == 1 else row)
    return rows


def _find_columns(header: Sequence[str], name: str, field: str) -> Container[int]:
    """Return the indices of the columns of a field; all columns if no heading names a field."""
    of_fields = [word for names in _COLUMNS.values() for word in names]
    named = [word for word in header if word in of_fields]
    found = [place for place, word in enumerate(header) if word in _COLUMNS[field]]
    if named and not found:
        hint = f"name it {' or '.join(_COLUMNS[field])}; the file has {', '.join(named)}"
        raise SpecError([Problem(f"no column for {field}", place=Place(name, 1, 1), hint=hint)])
    return found if named else range(len(header))


def _split_entries(line: str) -> list[tuple[int, str]]:
    """Return each entry of a line with its column."""
    found, column = [], 1
    for entry in line.split(","):
        found.append((column, entry.strip().strip('"')))
        column += len(entry) + 1
    return found


def _check_duration(word: str, place: Place) -> str:
    try:
        read_exact_number(word)
    except ScheduleError as error:
        hint = error.hint or "one line per stage, durations separated by commas"
        if found := _WITH_UNIT.fullmatch(word):
            hint = f"write {found[1]}, and `unit: {found[2]}` in the spec"
        raise SpecError([Problem(error.message.removeprefix("duration: "), place=place, hint=hint)]) from None
    return word
