"""Durations in a CSV file of a spec: one line per stage, or one per stage and microbatch.

A header with names of fields allows durations of several fields in one file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tikzgen.base.errors import Place, Problem, SpecError, quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.read_files import NamedFileRefused
from tikzgen.base.record import Record, replace
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
                tables[field] = _read_duration_rows(*_read_file(value, document), field, document.data.get("unit"))
            except NamedFileRefused as error:
                hint = error.hint or "a name such as durations.csv, as seen from this file"
                problem = Problem(error.message, field, document.places.locate_value((field,)), hint)
                raise SpecError([problem]) from None
    return replace(document, data={**document.data, **tables})


def _read_file(file: str, document: Document) -> tuple[str, str]:
    if document.name.startswith("<") or document.name.endswith(".tex"):
        raise NamedFileRefused(f"{quote(file)} is not a file next to this spec", hint="write the durations, as lists")
    return read_named_text(file, Path(document.name))


_MOST_INDEX = 9999  # stages or microbatches; a figure draws fewer
_INDEX = ("stage", "device", "rank", "gpu", "chunk", "")
"""Headings of a column that numbers the lines; pandas writes an empty one."""
_MICROBATCH = ("microbatch", "micro_batch", "mb", "slice")
"""Headings of a column that numbers the microbatches of a file with one line per stage and microbatch."""
_COLUMNS = {
    "forward": ("forward", "fwd"),
    "backward": ("backward", "bwd"),
    "input_grad": ("input_grad", "dgrad"),
    "weight_grad": ("weight_grad", "wgrad"),
    "recompute": ("recompute", "recomputation"),
}
"""Headings of the columns of each field."""
_WITH_UNIT = pattern_of(r"([0-9.]+) *([A-Za-zµμ]+)")
_UNIT_OF_HEADING = pattern_of(r"(.*?)(?:[ _-]+|[ _-]*[(\[])(ns|us|µs|μs|ms|s)[)\]]?")
"""A heading with a unit, such as `fwd_ms` or `fwd (ms)`."""
_NUMBERED = pattern_of(r"(.*?)[ _-]*[0-9]+")
"""A heading that numbers microbatches, such as `mb 3`."""


class _Header(Record):
    """Headings of a file of durations without their units, and the columns of one field.

    `stage` and `microbatch` are the columns of numbers, None without one. `values` are the columns of the field.
    """

    names: tuple[str, ...]
    stage: int | None
    microbatch: int | None
    values: tuple[int, ...]


def _read_duration_rows(text: str, name: str, field: str, unit: object) -> list[str | list[str]]:
    """Return the durations of each stage: from one line per stage, or per stage and microbatch.

    The first line may be a header. Raise `SpecError` if the field has no column, if a heading has another unit, if an
    entry is not a duration, or if a stage or a microbatch is missing.
    """
    lines = [_split_entries(line) for line in text.rstrip().split("\n")]
    first = [word for _, word in lines[0]]
    if len(lines) == 1 or not any(first) or not all(word[:1].isalpha() or not word for word in first):
        return [_pack_row(_check_entries(entries, name, number)) for number, entries in enumerate(lines, 1)]
    header = _read_header(lines[0], name, field, unit)
    if header.microbatch is not None:
        return _read_long_table(lines[1:], name, header)
    rows: list[str | list[str]] = []
    start = 0
    for number, entries in enumerate(lines[1:], 2):
        if header.stage is not None and header.stage < len(entries):
            column, found = entries[header.stage]
            start = int(found == "1") if not rows else start
            if found != str(len(rows) + start):
                message = f"expected {header.names[header.stage] or 'line'} {len(rows) + start}, found {quote(found)}"
                hint = "one line per number, in order from 0 or 1"
                _refuse(message, Place(name, number, column), hint)
        chosen = [entry for place, entry in enumerate(entries) if place in header.values]
        rows.append(_pack_row(_check_entries(chosen, name, number)))
    return rows


def _read_header(line: Sequence[tuple[int, str]], name: str, field: str, unit: object) -> _Header:
    """Return the columns of a field: by its name, or all other columns if they number microbatches."""
    known = [word for headings in _COLUMNS.values() for word in headings]
    names, units = [], []
    for _, word in line:
        found = _UNIT_OF_HEADING.fullmatch(word)
        heading = found[1].lower() if found else word.lower()
        numbered = _NUMBERED.fullmatch(heading)
        names.append(numbered[1] if numbered and numbered[1] in known else heading)
        units.append(_spell_unit(found[2]) if found else "")
    stage = next((place for place, word in enumerate(names) if word in _INDEX), None)
    microbatch = next((place for place, word in enumerate(names) if word in _MICROBATCH), None)
    named = [word for word in names if word in known]
    values = tuple(place for place, word in enumerate(names) if word in _COLUMNS[field])
    if not named:
        values = tuple(place for place in range(len(names)) if place not in (stage, microbatch))
        stems = {found[1] if (found := _NUMBERED.fullmatch(names[place])) else names[place] for place in values}
        if len(stems) > 1:
            unknown = values[0]
            hint = f"name the columns {', '.join(headings[-1] for headings in _COLUMNS.values())}"
            message = f"unknown column {quote(line[unknown][1])}"
            _refuse(message, Place(name, 1, line[unknown][0]), hint)
    elif not values:
        hint = f"name it {' or '.join(_COLUMNS[field])}; the file has {', '.join(named)}"
        _refuse(f"no column for {field}", Place(name, 1, 1), hint)
    for place in values:
        if isinstance(unit, str) and units[place] and units[place] != _spell_unit(unit):
            message = f"the column is in {units[place]}, and the unit of the figure is {quote(unit)}"
            hint = f"unit: {units[place]}"
            _refuse(message, Place(name, 1, line[place][0]), hint)
    return _Header(tuple(names), stage, microbatch, values)


def _read_long_table(lines: Sequence[list[tuple[int, str]]], name: str, header: _Header) -> list[str | list[str]]:
    """Return the durations of a file with one line per stage and microbatch, in any order."""
    if header.stage is None or len(header.values) != 1:
        message = "a file with one line per microbatch has a column of stages, and one column per field"
        _refuse(message, Place(name, 1, 1), "for example stage,microbatch,fwd,bwd")
    found: dict[tuple[int, int], str] = {}
    for number, entries in enumerate(lines, 2):
        if len(entries) < len(header.names):
            message = f"{len(entries)} entries for {len(header.names)} columns"
            _refuse(message, Place(name, number, 1), "one entry per column")
        key = (
            _read_index(entries[header.stage], name, number),
            _read_index(entries[header.microbatch or 0], name, number),
        )
        if key in found:
            message = f"second duration of stage {key[0]}, microbatch {key[1]}"
            hint = "one line for both, for example with the median"
            _refuse(message, Place(name, number, 1), hint)
        found[key] = _check_duration(entries[header.values[0]][1], Place(name, number, entries[header.values[0]][0]))
    stages, microbatches = (sorted({key[at] for key in found}) for at in (0, 1))
    wanted = [_count_from_first(stages), _count_from_first(microbatches)]
    for stage in wanted[0]:
        for microbatch in wanted[1]:
            if (stage, microbatch) not in found:
                message = f"no duration of stage {stage}, microbatch {microbatch}"
                _refuse(message, Place(name, 1, 1), "add its line")
    return [_pack_row([found[stage, microbatch] for microbatch in wanted[1]]) for stage in wanted[0]]


def _count_from_first(numbers: Sequence[int]) -> range:
    """Return all numbers from 0, or from 1 without a 0, up to the largest one."""
    return range(min(numbers[0], 1), numbers[-1] + 1)


def _read_index(entry: tuple[int, str], name: str, line: int) -> int:
    """Return the number of a stage or of a microbatch."""
    column, word = entry
    if not (word.isascii() and word.isdecimal() and int(word) <= _MOST_INDEX):
        message = f"expected a number from 0 to {_MOST_INDEX}, found {quote(word)}"
        _refuse(message, Place(name, line, column), "stages and microbatches have numbers")
    return int(word)


def _refuse(message: str, place: Place, hint: str) -> NoReturn:
    raise SpecError([Problem(message, place=place, hint=hint)])


def _spell_unit(unit: str) -> str:
    return unit.replace("µ", "u").replace("μ", "u")


def _pack_row(row: list[str]) -> str | list[str]:
    return row[0] if len(row) == 1 else row


def _check_entries(entries: Sequence[tuple[int, str]], name: str, line: int) -> list[str]:
    return [_check_duration(word, Place(name, line, column)) for column, word in entries]


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
