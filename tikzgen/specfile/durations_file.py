"""Durations in a CSV file beside a spec: one line a stage, one entry for all its microbatches or one for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tikzgen.base.errors import Place, Problem, SpecError, quoted
from tikzgen.base.reading import NamedFileRefused
from tikzgen.base.record import replace
from tikzgen.schedule import ScheduleError
from tikzgen.schedule.exact_numbers import exact
from tikzgen.specfile.document import Document
from tikzgen.specfile.source import read_named_text


def with_tables(document: Document, fields: Sequence[str]) -> Document:
    """The description with the durations in place of the names of the files: it no longer needs them.

    `SpecError` where the project has no such file, the description stands in no folder, or what the file holds is no
    duration, with its place there.
    """
    tables = {}
    for field in fields:
        value = document.data.get(field)
        if isinstance(value, str) and value.lower().endswith(".csv"):
            try:
                tables[field] = _rows(*_read(value, document))
            except NamedFileRefused as error:
                hint = error.hint or "a name such as durations.csv, as seen from this file"
                problem = Problem(error.message, field, document.places.value((field,)), hint)
                raise SpecError([problem]) from None
    return replace(document, data={**document.data, **tables})


def _read(file: str, document: Document) -> tuple[str, str]:
    if document.name.startswith("<") or document.name.endswith(".tex"):
        raise NamedFileRefused(f"{quoted(file)} is no file beside this spec", hint="write the durations, as lists")
    return read_named_text(file, Path(document.name))


def _rows(text: str, name: str) -> list[str | list[str]]:
    rows: list[str | list[str]] = []
    for number, line in enumerate(text.rstrip().split("\n"), 1):
        entries = []
        column = 1
        for entry in line.split(","):
            word = entry.strip().strip('"')
            try:
                exact(word)
            except ScheduleError as error:
                place = Place(name, number, column)
                message = error.message.removeprefix("duration: ")
                hint = error.hint or "one line a stage, its durations with commas between them"
                raise SpecError([Problem(message, place=place, hint=hint)]) from None
            entries.append(word)
            column += len(entry) + 1
        rows.append(entries[0] if len(entries) == 1 else entries)
    return rows
