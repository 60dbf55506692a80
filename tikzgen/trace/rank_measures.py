"""What one rank's device did, measured on the intervals of its events: exact, and the same however it is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from fractions import Fraction

from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.trace.event_classes import COMMUNICATION, COPIES, ClassRules
from tikzgen.trace.intervals import Interval, Moments, length, overlap_of_each, union, within, without
from tikzgen.trace.run_model import RankTrace, Stream
from tikzgen.trace.stamps import Time

MOST_UNKNOWN = Fraction(1, 20)
"""What no class knows is named where it is more than this share of a rank's busy time."""


class StreamMeasures(Record):
    """What ran on one stream; `overlap` is how much longer its events are one by one than together."""

    events: int
    busy: Time
    overlap: Time


class RankMeasures(Record):
    """Times in ns. `by_class` is how long something of a class runs; `compute` how long anything computes.

    `exposed` is communication while nothing computes, `exposed_at` when; `overlapped` communication while something
    does. `unmatched` are the kernels that no rule knows, the longest first, each with the sum of its durations, and
    `unclassified` how long any of them runs.
    """

    events: int
    counts: Mapping[str, int]
    instants: int
    window: Interval
    busy: Time
    compute: Time
    communication: Time
    exposed_at: Moments
    by_class: Mapping[str, Time]
    streams: Mapping[Stream, StreamMeasures]
    unmatched: Mapping[str, Time] = NOTHING
    unclassified: Time = 0

    @property
    def extent(self) -> Time:
        """How long the window is."""
        return self.window[1] - self.window[0]

    @property
    def idle(self) -> Time:
        """How long nothing runs."""
        return self.extent - self.busy

    @property
    def exposed(self) -> Time:
        """Communication while nothing computes."""
        return length(self.exposed_at)

    @property
    def overlapped(self) -> Time:
        """Communication that computation hides."""
        return self.communication - self.exposed

    @property
    def overlap_share(self) -> Fraction | None:
        """The share of communication that computation hides."""
        return Fraction(self.overlapped) / Fraction(self.communication) if self.communication else None

    def moved(self, by: Time) -> RankMeasures:
        """The same by a clock that is `by` ahead."""
        first, last = self.window
        at = [(start + by, end + by) for start, end in self.exposed_at]
        return replace(self, window=(first + by, last + by), exposed_at=at)


def measure_rank(
    rank: RankTrace,
    rules: ClassRules,
    *,
    window: Interval | None = None,
    chosen: Collection[int] | None = None,
) -> RankMeasures | None:
    """Measure the device events of a rank: all, those `chosen` by their places, or what lies in `window` of them.

    None if there are no such events.
    """
    events = rank.events
    classes, known = [rules.of(kind) for kind in rank.kinds], [rules.knows(kind) for kind in rank.kinds]
    places = range(len(events)) if chosen is None else sorted(chosen)
    by_class: dict[str, list[Interval]] = {}
    by_stream: dict[Stream, list[Interval]] = {}
    counts: Counter[str] = Counter()
    unmatched: Counter[str] = Counter()
    unknown: list[Interval] = []
    for place in places:
        for interval in within([(events.starts[place], events.ends[place])], window):
            name = classes[events.kinds[place]]
            counts[name] += 1
            by_class.setdefault(name, []).append(interval)
            by_stream.setdefault(rank.streams[events.streams[place]], []).append(interval)
            if not known[events.kinds[place]]:
                unknown.append(interval)
                unmatched[rank.kinds[events.kinds[place]].name] += interval[1] - interval[0]  # type: ignore[assignment]
    if not counts:
        return None
    every = [interval for intervals in by_class.values() for interval in intervals]
    computing = union(
        interval
        for name, intervals in by_class.items()
        if name != COMMUNICATION and name not in COPIES
        for interval in intervals
    )
    moving = union(by_class.get(COMMUNICATION, []))
    return RankMeasures(
        len(every),
        dict(sorted(counts.items())),
        sum(start == end for start, end in every),
        window or (min(start for start, _ in every), max(end for _, end in every)),
        length(union(every)),
        length(computing),
        length(moving),
        without(moving, computing),
        {name: length(union(intervals)) for name, intervals in sorted(by_class.items())},
        {
            stream: StreamMeasures(len(intervals), length(union(intervals)), overlap_of_each(intervals))
            for stream, intervals in sorted(
                by_stream.items(), key=lambda item: (item[0].device, _numeric(item[0].name))
            )
        },
        dict(unmatched.most_common()),
        length(union(unknown)),
    )


def _numeric(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdecimal() else (1 << 30, name)
