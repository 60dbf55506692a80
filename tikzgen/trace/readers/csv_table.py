"""Table of measured times, which any tool can write: one line per event, with its rank and lane."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping

from tikzgen.base.errors import FileRefused, Place, quote
from tikzgen.schedule import KINDS
from tikzgen.trace.event_classes import is_known_class, spell_class
from tikzgen.trace.exact_times import nanoseconds
from tikzgen.trace.readers.trace_formats import TraceFile, TraceFormat, skip_blanks
from tikzgen.trace.run_model import Annotation, RankBuilder, RankTrace, Stream

COLUMNS = ("rank", "lane", "start", "end", "class", "name", "microbatch", "stage")
_NEEDED = COLUMNS[:4]
_WHOLE = re.compile(r"([0-9]{1,9})(?:\.0*)?")
_UNKNOWN_CLASS = "counts as computing: write communication, memcpy or memset if it is not"


class CsvFormat(TraceFormat):
    """A table with a row per event."""

    phrase = "a table " + ",".join(_NEEDED)
    suffixes = (".csv", ".csv.gz")

    def matches(self, head: bytes) -> bool:
        """Return whether the first line names two columns or more; `read_ranks` reports the missing ones."""
        first = skip_blanks(head).split(b"\n", 1)[0].lower()
        return len({each.strip(b' "\r').decode("utf-8", "replace") for each in first.split(b",")} & {*COLUMNS}) > 1

    def read_ranks(self, file: TraceFile) -> list[RankTrace]:
        """Return the ranks in the order of their numbers."""
        with file.open() as stream:
            return read_csv(io.TextIOWrapper(stream, "utf-8-sig", "replace", newline=""), file.name)


def read_csv(lines: Iterable[str], source: str) -> list[RankTrace]:
    """The ranks in a table.

    `FileRefused` where a column is missing, or a row says something impossible, with its line.
    """
    rows = csv.DictReader(lines, strict=True, skipinitialspace=True)
    found: dict[int, RankBuilder] = {}
    try:
        heads = [head.strip().lower() for head in rows.fieldnames or ()]
        rows.fieldnames = heads
        missing = [name for name in _NEEDED if name not in heads]
        if missing:
            hint = "the first line is " + ",".join(COLUMNS)
            raise FileRefused(f"has no column {quote(missing[0])}", hint=hint, place=Place(source, 1))
        for row in rows:
            _take(found, row, Place(source, rows.line_num))
    except csv.Error as error:
        raise FileRefused(
            str(error), hint="quote values that contain commas", place=Place(source, rows.line_num)
        ) from None
    return [each.build_rank() for _, each in sorted(found.items())]


def _take(found: dict[int, RankBuilder], row: Mapping[str | None, str | list[str] | None], place: Place) -> None:
    """File one row."""
    if None in row or None in row.values():
        message, hint = "the row has not as many fields as the first line", "quote values that contain commas"
        raise FileRefused(message, hint=hint, place=place)
    text = {str(key): str(value).strip() for key, value in row.items()}
    number = text["rank"]
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise FileRefused(f"the rank {quote(number)} is not a number", hint="ranks count from 0", place=place)
    try:
        start, end = nanoseconds(text["start"]), nanoseconds(text["end"])
    except ValueError:
        message = f"{quote(text['start'])} to {quote(text['end'])} are no times"
        raise FileRefused(message, hint="write microseconds, as in 12.5", place=place) from None
    if end < start:
        raise FileRefused("ends before it starts", hint="start and end are times in microseconds", place=place)
    rank = found.setdefault(int(number), RankBuilder(place.file, "csv", number=int(number), absolute=False))
    filed = spell_class(text.get("class") or "kernel")
    if filed is None:
        message, hint = f"the class {quote(text['class'])} is not a name", "a word such as compute or communication"
        raise FileRefused(message, hint=hint, place=place)
    name = text.get("name", "")
    if not rank.counts[filed] and not is_known_class(filed):
        rank.warnings.append(f"{place.file}: the class {filed} {_UNKNOWN_CLASS}")
    rank.counts[filed] += 1
    rank.event(start, end, filed, name, Stream("", text["lane"]))
    phase = KINDS.get(filed.lower())
    microbatch, stage = (_read_number(text, column, place) if phase else "" for column in ("microbatch", "stage"))
    if microbatch:
        stage = f"PP:{stage}" if stage else ""
        rank.annotations.append(Annotation(f"{stage}{phase}{microbatch}", "", start, end))


def _read_number(row: Mapping[str, str], column: str, place: Place) -> str:
    """Return the digits of a whole number, which may be written as `2.0`; nothing for an empty field."""
    text = row.get(column, "")
    number = _WHOLE.fullmatch(text)
    if text and not number:
        message = f"the {column} {quote(text)} is not a number"
        raise FileRefused(message, hint=f"{column} counts from 0, or is empty", place=place)
    return number[1] if number else ""
