"""Durations in a CSV file beside a spec: one line a stage, one entry for all its microbatches or one for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tikzgen.base.errors import Place, Problem, SpecError, quoted
from tikzgen.base.files import is_there
from tikzgen.base.record import replace
from tikzgen.schedule import ScheduleError
from tikzgen.schedule.exact_numbers import exact
from tikzgen.specfile.document import Document
from tikzgen.specfile.source import read_text


def table_files(document: Document, fields: Sequence[str]) -> dict[str, Path]:
    """The files that the `fields` of a description name, each in the spec's folder or below it.

    `SpecError` where there is none, it leads elsewhere, or the description stands in no folder.
    """
    found = {}
    for field in fields:
        value = document.data.get(field)
        if isinstance(value, str) and value.lower().endswith(".csv"):
            folder = Path(document.name).parent
            path = folder / value
            hint = ""
            if document.name.startswith("<") or document.name.endswith(".tex"):
                hint = "write the durations themselves, as lists"
            elif not path.resolve().is_relative_to(folder.resolve()) or not is_there(path):
                hint = "a name such as durations.csv"
            if hint:
                message = f"{quoted(value)} is no file beside this spec"
                raise SpecError([Problem(message, field, document.places.value((field,)), hint)])
            found[field] = path
    return found


def with_tables(document: Document, fields: Sequence[str]) -> Document:
    """The description with the durations in place of the files' names: it no longer needs them.

    `FileRefused` where a file cannot be read. `SpecError` where there is no such file, or what stands in it is no
    duration, with its place there.
    """
    files = table_files(document, fields)
    return replace(document, data={**document.data, **{field: _rows(path) for field, path in files.items()}})


def _rows(path: Path) -> list[str | list[str]]:
    text, name = read_text(path)
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
