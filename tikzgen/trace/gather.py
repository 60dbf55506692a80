"""What a reader of any format fills while it reads; and the plainest of them: a table that any tool can write."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tikzgen.base.errors import FileRefused, Place, quoted
from tikzgen.schedule.pipeline.pieces import KINDS
from tikzgen.trace.run_model import Annotation, Calls, Collective, Events, Kind, RankTrace, Stream
from tikzgen.trace.stamps import Time, nanoseconds


@dataclass(slots=True)
class Gathered:
    """One rank, while its file is read."""

    source: str
    format: str
    number: int | None = None
    world: int | None = None
    host: str = ""
    absolute: bool = True
    base: int = 0
    cut_at: int | None = None
    unread: int = 0
    events: Events = field(default_factory=Events)
    launches: Calls = field(default_factory=Calls)
    operators: Calls = field(default_factory=Calls)
    annotations: list[Annotation] = field(default_factory=list)
    collectives: dict[int, Collective] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    _streams: dict[Stream, int] = field(default_factory=dict)
    _kinds: dict[tuple[str, str], int] = field(default_factory=dict)
    _threads: dict[str, int] = field(default_factory=dict)

    def event(self, start: Time, end: Time, filed: str, name: str, stream: Stream, link: int = 0) -> int:
        """Something that ran on the device; its place among the events."""
        kind = self._kinds.setdefault((filed, name), len(self._kinds))
        self.events.add(start, end, kind, self._streams.setdefault(stream, len(self._streams)), link)
        return len(self.events) - 1

    def launch(self, start: Time, thread: str, link: int) -> None:
        """Something that put work on the device."""
        self.launches.add(start, self._threads.setdefault(thread, len(self._threads)), link)

    def operator(self, start: Time, thread: str) -> None:
        """Something that a thread computed itself."""
        self.operators.add(start, self._threads.setdefault(thread, len(self._threads)), 0)

    def plain_operators(self, starts: Sequence[int], threads: Sequence[str]) -> None:
        """The same of many."""
        numbers = {name: self._threads.setdefault(name, len(self._threads)) for name in dict.fromkeys(threads)}
        self.operators.add_plain(starts, [numbers[name] for name in threads])

    def done(self) -> RankTrace:
        """What there is now."""
        annotations = sorted(self.annotations, key=lambda each: (each.start, -each.end, each.name))
        return RankTrace(
            self.source,
            self.format,
            self.number,
            self.world,
            self.host,
            self.absolute,
            self.base,
            self.cut_at,
            tuple(self._streams),
            tuple(Kind(*each) for each in self._kinds),
            tuple(self._threads),
            self.events,
            tuple(annotations),
            self.launches,
            self.operators,
            self.collectives,
            dict(sorted(self.counts.items())),
            tuple(self.warnings),
        )


def by_device(found: Mapping[Any, Gathered]) -> list[Gathered]:
    """The ranks of a file in the order of what they are known by; of several, each says which it is."""
    ranks = [each for _, each in sorted(found.items())]
    for number, each in enumerate(ranks if len(ranks) > 1 else ()):
        each.source += f", device {number}"
    return ranks


COLUMNS = ("rank", "lane", "start", "end", "class", "name", "microbatch", "stage")
_NEEDED = COLUMNS[:4]
_LONGEST = 60
_BETWEEN = re.compile("[^A-Za-z0-9]+")


def read_csv(lines: Iterable[str], source: str) -> list[RankTrace]:
    """The ranks in a table.

    `FileRefused` where a column is missing, or a row says something impossible, with its line.
    """
    rows = csv.DictReader(lines, strict=True, skipinitialspace=True)
    found: dict[int, Gathered] = {}
    try:
        heads = [head.strip().lower() for head in rows.fieldnames or ()]
        rows.fieldnames = heads
        missing = [name for name in _NEEDED if name not in heads]
        if missing:
            hint = "the first line is " + ",".join(COLUMNS)
            raise FileRefused(f"has no column {quoted(missing[0])}", hint=hint, place=Place(source, 1))
        for row in rows:
            _take(found, row, Place(source, rows.line_num))
    except csv.Error as error:
        raise FileRefused(str(error), hint="quote texts with commas", place=Place(source, rows.line_num)) from None
    return [each.done() for _, each in sorted(found.items())]


def _take(found: dict[int, Gathered], row: Mapping[str | None, str | list[str] | None], place: Place) -> None:
    """File one row."""
    if None in row or None in row.values():
        message, hint = "the row has not as many fields as the first line", "quote texts with commas"
        raise FileRefused(message, hint=hint, place=place)
    text = {str(key): str(value).strip() for key, value in row.items()}
    number = text["rank"]
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise FileRefused(f"the rank {quoted(number)} is no number", hint="ranks count from 0", place=place)
    try:
        start, end = nanoseconds(text["start"]), nanoseconds(text["end"])
    except ValueError:
        message = f"{quoted(text['start'])} to {quoted(text['end'])} are no times"
        raise FileRefused(message, hint="write microseconds, as in 12.5", place=place) from None
    if end < start:
        raise FileRefused("ends before it starts", hint="start and end are moments in microseconds", place=place)
    rank = found.setdefault(int(number), Gathered(place.file, "csv", number=int(number), absolute=False))
    filed = _BETWEEN.sub("-", text.get("class") or "kernel").strip("-")
    if not filed[:1].isalpha() or len(filed) > _LONGEST:
        message, hint = f"the class {quoted(text['class'])} is no name", "a word such as compute or all-reduce"
        raise FileRefused(message, hint=hint, place=place)
    name = text.get("name", "")
    rank.counts[filed] += 1
    rank.event(start, end, filed, name, Stream("", text["lane"]))
    microbatch, phase = text.get("microbatch"), KINDS.get(filed)
    if microbatch and phase:
        rank.annotations.append(Annotation(f"PP:{text.get('stage') or number}{phase}{microbatch}", "", start, end))
