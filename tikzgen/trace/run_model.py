"""Model of a measured run: ranks with device events, annotations and launches; and their builder."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Literal, TypeAlias

from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.trace.exact_times import MomentArray, Time


class Stream(Record):
    """Queue of a device, which runs its launches in order, or nearly so."""

    device: str
    name: str


class EventKind(Record):
    """Name of an event, and the category of its profiler: `kernel`, `memcpy`, `memset`, or a class (CSV)."""

    filed: str
    name: str


Unit: TypeAlias = Literal["time", "plan step"]
WAIT = "wait"
"""Role of slices that wait."""
Role: TypeAlias = Literal["", "wait", "communication", "span"]


class Annotation(Record):
    """Named period of a thread, or its shadow on a stream; `number` joins the two, 0 is unknown."""

    name: str
    thread: str
    start: Time
    end: Time
    number: int = 0
    role: Role = ""
    """Meaning of a slice without a device, if its writer states one; a span contains slices with other roles."""

    @property
    def lane(self) -> str:
        """Lane of a slice without a device: its thread, and its role."""
        return f"{self.thread}/{self.role}" if self.role else self.thread


class ProcessGroup(Record):
    """Ranks that communicate with each other; the description names the axis, such as `mesh_pp`."""

    description: str
    ranks: tuple[int, ...]


class Evidence(Record):
    """Source of axes of parallelism, with the names that state them."""

    by: Literal["spec", "labels", "groups", "annotations"]
    names: tuple[str, ...] = ()

    def spell_source(self) -> str:
        """Return a phrase such as `process groups mesh_pp, mesh_dp`."""
        return " ".join([_SOURCES[self.by], ", ".join(self.names)]).rstrip()


_SOURCES = {
    "spec": "the spec",
    "labels": "labels of ranks",
    "groups": "process groups",
    "annotations": "stages in annotations",
}


class Parallelism(Record):
    """Axes of parallelism with their sizes, the position of each rank on them, and the evidence for both."""

    axes: Mapping[str, int] = NOTHING
    places: Mapping[int, Mapping[str, int]] = NOTHING
    evidence: tuple[Evidence, ...] = ()

    def stage_of(self, annotated: int | None, rank: int) -> int | None:
        """Return the annotated stage of an operation, else the stage of its rank; None if nothing states it."""
        return annotated if annotated is not None else self.places.get(rank, NOTHING).get("pp")

    def replica_of(self, rank: int) -> tuple[int, ...]:
        """Return the position on all axes except pp.

        A replica is one pipeline: a copy of the model, or a part of one if tp, cp or ep is an axis.
        """
        place = self.places.get(rank, NOTHING)
        return tuple(place[axis] for axis in self.axes if axis != "pp" and axis in place)

    def spell_replica(self, replica: tuple[int, ...]) -> str:
        """Return a name of a replica: `replica 1`, or `dp 0, tp 1` if a copy of the model has several pipelines."""
        axes = [axis for axis in self.axes if axis != "pp"]
        if all(axis.startswith("dp") or self.axes[axis] == 1 for axis in axes):
            return f"replica {self.replicas.index(replica)}"
        return ", ".join(f"{axis} {at}" for axis, at in zip(axes, replica, strict=True) if self.axes[axis] > 1)

    @property
    def replicas(self) -> list[tuple[int, ...]]:
        """Positions of all replicas, sorted."""
        return sorted({self.replica_of(rank) for rank in self.places})

    def spell_axes(self) -> str:
        """Axes with more than one rank and their evidence, such as `pp 4 × dp 2 (by labels of ranks)`."""
        axes = " × ".join(f"{axis} {size}" for axis, size in self.axes.items() if size > 1)
        return f"{axes} (by {' and '.join(each.spell_source() for each in self.evidence)})"


class Collective(Record):
    """Identity of a collective, `(group, name, number)`, which is equal on all its ranks.

    `source` and `target` are the sending and receiving rank of a message, if the profiler wrote them.
    """

    group: str
    name: str
    number: int
    source: int | None = None
    target: int | None = None


@dataclass
class Events:
    """Device events of one rank, as columns.

    `links` join an event to its launch; 0 means unknown.
    """

    starts: MomentArray = field(default_factory=MomentArray)
    ends: MomentArray = field(default_factory=MomentArray)
    kinds: array[int] = field(default_factory=lambda: array("l"))
    streams: array[int] = field(default_factory=lambda: array("l"))
    links: array[int] = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.kinds)

    def add(self, start: Time, end: Time, kind: int, stream: int, link: int) -> None:
        """One more."""
        self.starts.append(start)
        self.ends.append(end)
        self.kinds.append(kind)
        self.streams.append(stream)
        self.links.append(link)

    def by_start(self, places: Collection[int] | None = None) -> Iterator[tuple[Time, Time, int, int]]:
        """Start, end, kind and stream of the events, or of some, in the order of their starts."""
        starts, ends, kinds, streams = self.starts, self.ends, self.kinds, self.streams
        for place in starts.order(range(len(kinds)) if places is None else places):
            yield starts[place], ends[place], kinds[place], streams[place]


@dataclass
class Calls:
    """Calls of threads, as columns: launches with their links, or operators with link 0."""

    starts: MomentArray = field(default_factory=MomentArray)
    threads: array[int] = field(default_factory=lambda: array("l"))
    links: array[int] = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.threads)

    def add(self, start: Time, thread: int, link: int) -> None:
        """One more."""
        self.starts.append(start)
        self.threads.append(thread)
        self.links.append(link)

    def add_plain(self, starts: Sequence[int], threads: Sequence[int]) -> None:
        """More, without links."""
        self.starts.extend(starts)
        self.threads.extend(threads)
        self.links.extend(repeat(0, len(threads)))


class RankTrace(Record):
    """Contents of one rank's trace.

    `number` is the rank, or None if the file does not state it. Timestamps count from `base`, in ns since 1970, if
    `absolute`. `cut_at` is the byte at which the file is truncated. `counts` has the number of events by category,
    drawn or not, and `warnings` has notes for readers.
    """

    source: str
    format: str
    number: int | None
    world: int | None
    host: str
    absolute: bool
    base: int
    cut_at: int | None
    streams: Sequence[Stream]
    kinds: Sequence[EventKind]
    threads: Sequence[str]
    events: Events
    annotations: Sequence[Annotation]
    launches: Calls
    operators: Calls
    shadows: Sequence[Annotation] = ()
    """Annotations on streams: the thread is `device/stream`."""
    groups: Sequence[ProcessGroup] = ()
    """Process groups of the rank."""
    label: Mapping[str, int] = NOTHING
    """Position of the rank by axis, if the file states it."""
    spans: Sequence[Annotation] = ()
    """Slices of programs without devices: the thread is their lane."""
    lost: Mapping[str, int] = NOTHING
    """Numbers of events that could not be read, by reason."""
    unit: Unit = "time"
    """Unit of the times: ns, or thousandths of a step of a plan."""
    collectives: Mapping[int, Collective] = NOTHING
    counts: Mapping[str, int] = NOTHING
    warnings: tuple[str, ...] = ()
    package: str = ""
    """The package that read the file; empty for built-in formats."""
    file: str = ""
    """Name of the file."""
    place: int = 0
    """Position of the file in the run; files in different folders may have equal names."""
    title: str = ""
    """Writer of the file, such as `Horovod timeline`."""
    lane_noun: str = "thread"
    """Noun of a lane of slices."""

    @property
    def extent(self) -> tuple[Time, Time] | None:
        """Start of the first device event and end of the last one."""
        return (min(self.events.starts), max(self.events.ends)) if len(self.events) else None

    @property
    def devices(self) -> list[str]:
        """Names of the devices that ran an event, sorted."""
        return sorted({stream.device for stream in self.streams}, key=lambda name: (len(name), name))

    def select_device(self, device: str, places: Iterable[int] | None = None) -> list[int]:
        """Return the events of a device: all, or a selection of `places`."""
        own = {number for number, stream in enumerate(self.streams) if stream.device == device}
        streams = self.events.streams
        return [place for place in (range(len(streams)) if places is None else places) if streams[place] in own]

    def shift_clock(self, by: Time) -> RankTrace:
        """Shift the times to a clock that is `by` ahead."""
        if not by:
            return self
        events, launches, operators = self.events, self.launches, self.operators
        return replace(
            self,
            events=Events(
                events.starts.shift_moments(by),
                events.ends.shift_moments(by),
                events.kinds,
                events.streams,
                events.links,
            ),
            launches=Calls(launches.starts.shift_moments(by), launches.threads, launches.links),
            operators=Calls(operators.starts.shift_moments(by), operators.threads, operators.links),
            annotations=[replace(each, start=each.start + by, end=each.end + by) for each in self.annotations],
            shadows=[replace(each, start=each.start + by, end=each.end + by) for each in self.shadows],
            spans=[replace(each, start=each.start + by, end=each.end + by) for each in self.spans],
        )


class TraceRun(Record):
    """Ranks that ran together, by number; `world` is how many there were, of which some may have left no file.

    `residual` is how far apart the clocks may be after all, in ns.
    """

    ranks: Mapping[int, RankTrace]
    world: int
    warnings: tuple[str, ...] = ()
    residual: Time = 0
    parallelism: Parallelism = Parallelism()

    @property
    def has_one_host(self) -> bool:
        """Whether all ranks ran on one host, as far as known, and so share a clock."""
        return len({rank.host for rank in self.ranks.values()}) == 1

    @property
    def unit(self) -> Unit:
        """Unit of the times of all ranks."""
        return "plan step" if all(rank.unit == "plan step" for rank in self.ranks.values()) else "time"


@dataclass
class RankBuilder:
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
    shadows: list[Annotation] = field(default_factory=list)
    groups: list[ProcessGroup] = field(default_factory=list)
    label: dict[str, int] = field(default_factory=dict)
    spans: list[Annotation] = field(default_factory=list)
    lost: Mapping[str, int] = field(default_factory=dict)
    unit: Unit = "time"
    title: str = ""
    lane_noun: str = "thread"
    collectives: dict[int, Collective] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    _streams: dict[Stream, int] = field(default_factory=dict)
    _kinds: dict[tuple[str, str], int] = field(default_factory=dict)
    _threads: dict[str, int] = field(default_factory=dict)

    def copy_file(self, source: str) -> RankBuilder:
        """Return a rank of the same file, without events."""
        names = ("format", "world", "host", "absolute", "base", "title", "lane_noun")
        copied = RankBuilder(source, **{name: getattr(self, name) for name in names})
        copied.counts, copied.warnings = self.counts, list(self.warnings)
        return copied

    def event(self, start: Time, end: Time, filed: str, name: str, stream: Stream, link: int = 0) -> int:
        """Something that ran on the device; its place among the events."""
        kind = self._kinds.setdefault((filed, name), len(self._kinds))
        self.events.add(start, end, kind, self._streams.setdefault(stream, len(self._streams)), link)
        return len(self.events) - 1

    def launch(self, start: Time, thread: str, link: int) -> None:
        """Something that put work on the device; a launch without a link joins no event and is left out."""
        if link:
            self.launches.add(start, self._threads.setdefault(thread, len(self._threads)), link)

    def operator(self, start: Time, thread: str) -> None:
        """Something that a thread computed itself."""
        self.operators.add(start, self._threads.setdefault(thread, len(self._threads)), 0)

    def plain_operators(self, starts: Sequence[int], threads: Sequence[str]) -> None:
        """The same of many."""
        numbers = {name: self._threads.setdefault(name, len(self._threads)) for name in dict.fromkeys(threads)}
        self.operators.add_plain(starts, [numbers[name] for name in threads])

    def build_rank(self) -> RankTrace:
        """Build the rank from the added events."""
        self._forget_shared_links()
        return RankTrace(
            **{name: getattr(self, name) for name in _AS_THEY_ARE},
            streams=tuple(self._streams),
            kinds=tuple(EventKind(*each) for each in self._kinds),
            threads=tuple(self._threads),
            annotations=tuple(sorted(self.annotations, key=lambda each: (each.start, -each.end, each.name))),
            counts=dict(sorted(self.counts.items())),
            warnings=tuple(self.warnings),
        )

    def _forget_shared_links(self) -> None:
        """Forget links that several processes used: nothing states which one launched the event."""
        processes = [process_of(thread) for thread in self._threads]
        if len(set(processes)) < 2:
            return
        used: dict[int, str] = {}
        shared = set()
        for link, thread in zip(self.launches.links, self.launches.threads, strict=True):
            if used.setdefault(link, processes[thread]) != processes[thread]:
                shared.add(link)
        unknown = sum(link in shared for link in self.events.links)
        if unknown:
            self.events.links = array("q", (0 if link in shared else link for link in self.events.links))
            message = f"{self.source}: the launches of {unknown} events are unknown"
            self.warnings.append(f"{message}: several processes of the file use their correlation numbers")


def process_of(thread: str) -> str:
    """Return the process of a thread."""
    return thread.rpartition("/")[0]


_AS_THEY_ARE = (
    *("source", "format", "number", "world", "host", "absolute", "base", "cut_at"),
    *("events", "launches", "operators", "shadows", "groups", "label", "collectives", "spans", "lost", "unit"),
    *("title", "lane_noun"),
)


def name_processes(found: Mapping[int, RankBuilder]) -> list[RankBuilder]:
    """Return the ranks of a file sorted by process; each of several gets its process number as a suffix."""
    ranks = [each for _, each in sorted(found.items())]
    for number, each in enumerate(ranks if len(ranks) > 1 else ()):
        each.source += f", process {number}"
    return ranks
