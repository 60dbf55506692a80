"""Durations in a CSV file of a spec: one line per stage, with one entry, or one per microbatch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tikzgen.base.errors import Place, Problem, SpecError, quote
from tikzgen.base.read_files import NamedFileRefused
from tikzgen.base.record import replace
from tikzgen.base.spelt_numbers import read_fraction
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
                tables[field] = _read_duration_rows(*_read_file(value, document))
            except NamedFileRefused as error:
                hint = error.hint or "a name such as durations.csv, as seen from this file"
                problem = Problem(error.message, field, document.places.locate_value((field,)), hint)
                raise SpecError([problem]) from None
    return replace(document, data={**document.data, **tables})


def _read_file(file: str, document: Document) -> tuple[str, str]:
    if document.name.startswith("<") or document.name.endswith(".tex"):
        raise NamedFileRefused(f"{quote(file)} is no file beside this spec", hint="write the durations, as lists")
    return read_named_text(file, Path(document.name))


_INDEX = ("stage", "device", "rank", "gpu", "chunk")
"""Headings of a column that numbers the lines."""


def _read_duration_rows(text: str, name: str) -> list[str | list[str]]:
    """Return the durations of each line.

    The first line may be a header. Its column of `_INDEX` numbers the lines, and is not a duration. Raise `SpecError`
    if an entry is not a duration, or if that column does not count from 0 or 1.
    """
    lines = [_split_entries(line) for line in text.rstrip().split("\n")]
    header = [word.lower() for _, word in lines[0]]
    has_header = len(lines) > 1 and all(word and not _is_number(word) for word in header)
    index = next((place for place, word in enumerate(header) if word in _INDEX), None) if has_header else None
    rows: list[str | list[str]] = []
    first = ""
    for number, entries in enumerate(lines[has_header:], 1 + has_header):
        if index is not None and index < len(entries):
            column, counted = entries.pop(index)
            first = counted if not rows else first
            if first not in ("0", "1") or counted != str(len(rows) + int(first)):
                message = f"{quote(counted)} does not count the lines"
                hint = f"{header[index]} counts up from 0 or 1"
                raise SpecError([Problem(message, place=Place(name, number, column), hint=hint)])
        row = [_check_duration(word, Place(name, number, column)) for column, word in entries]
        rows.append(row[0] if len(row) == 1 else row)
    return rows


def _split_entries(line: str) -> list[tuple[int, str]]:
    """Return each entry of a line with its column."""
    found, column = [], 1
    for entry in line.split(","):
        found.append((column, entry.strip().strip('"')))
        column += len(entry) + 1
    return found


def _is_number(word: str) -> bool:
    try:
        read_fraction(word)
    except (ValueError, ZeroDivisionError):
        return False
    return True


def _check_duration(word: str, place: Place) -> str:
    try:
        read_exact_number(word)
    except ScheduleError as error:
        hint = error.hint or "one line per stage, durations separated by commas"
        raise SpecError([Problem(error.message.removeprefix("duration: "), place=place, hint=hint)]) from None
    return word
