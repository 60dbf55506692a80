"""What a reader of any format fills while it reads: names get numbers, events become columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tikzgen.trace.run_model import Annotation, Calls, Collective, Events, Kind, RankTrace, Stream
from tikzgen.trace.stamps import Time


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
