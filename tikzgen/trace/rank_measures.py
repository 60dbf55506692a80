"""Exact measures of ranks, computed from the intervals of events, independent of the drawing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import TypeAlias

from tikzgen.base.intervals import Interval, Moments, merge_intervals, subtract_intervals, sum_lengths
from tikzgen.base.record import Record, replace
from tikzgen.trace.event_classes import COMMUNICATION, COPIES, ClassRules
from tikzgen.trace.exact_times import Time
from tikzgen.trace.run_model import RankTrace, Stream

MOST_UNKNOWN = Fraction(1, 20)
"""Share of the busy time of a rank above which unclassified kernels are reported."""


DeviceKey: TypeAlias = tuple[int, str]
"""Rank and device; the device is empty if the rank has only one."""


class StreamMeasures(Record):
    """Measures of one stream; `overlap` is the sum of the durations minus the length of their union."""

    events: int
    busy: Time
    overlap: Time


class RankMeasures(Record):
    """Times in ns. `by_class` is how long something of a class runs; `compute` how long anything computes.

    `exposed_time` is communication while nothing computes, `exposed_at` when; `overlapped_time` communication while
    something does. `unmatched` are the kernels that no rule knows, the longest first, each with the sum of its
    durations, and `unclassified` how long any of them runs.
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
    unmatched: Mapping[str, Time]
    unclassified: Time
    sum: Time = 0
    """Sum of the durations."""

    @property
    def extent(self) -> Time:
        """Length of the window."""
        return self.window[1] - self.window[0]

    @property
    def idle(self) -> Time:
        """Time without any event."""
        return self.extent - self.busy

    @property
    def exposed_time(self) -> Time:
        """Communication time without computation."""
        return sum_lengths(self.exposed_at)

    @property
    def overlapped_time(self) -> Time:
        """Communication time that computation hides."""
        return self.communication - self.exposed_time

    @property
    def overlap_share(self) -> Fraction | None:
        """The share of communication that computation hides."""
        return Fraction(self.overlapped_time) / Fraction(self.communication) if self.communication else None

    def shift_measures(self, by: Time) -> RankMeasures:
        """Shift the measures to a clock that is `by` ahead."""
        first, last = self.window
        at = [(start + by, end + by) for start, end in self.exposed_at]
        return replace(self, window=(first + by, last + by), exposed_at=at)


class _Lasting:
    """Sum of the durations of events and length of their union; events arrive sorted by start."""

    __slots__ = ("_reached", "events", "one_by_one", "together")

    def __init__(self) -> None:
        self.events = 0
        self.one_by_one: Time = 0
        self.together: Time = 0
        self._reached: Time | None = None

    def add(self, start: Time, end: Time) -> None:
        """One more."""
        self.events += 1
        self.one_by_one += end - start
        if self._reached is None or start >= self._reached:
            self.together += end - start
            self._reached = end
        elif end > self._reached:
            self.together += end - self._reached
            self._reached = end


def measure_rank(
    rank: RankTrace,
    rules: ClassRules,
    *,
    window: Interval | None = None,
    chosen: Collection[int] | None = None,
) -> RankMeasures | None:
    """Measure device events: all, or the `chosen` positions, or their parts in `window`.

    Return None without events. Measures are meaningful for the events of one device.
    """
    classes, known = [rules.of(kind) for kind in rank.kinds], [rules.knows(kind) for kind in rank.kinds]
    order = rank.events.starts.order(range(len(rank.events)) if chosen is None else chosen)
    every, unknown = _Lasting(), _Lasting()
    by_class: defaultdict[str, _Lasting] = defaultdict(_Lasting)
    by_stream: defaultdict[int, _Lasting] = defaultdict(_Lasting)
    by_kind: defaultdict[int, _Lasting] = defaultdict(_Lasting)
    instants, extent = 0, None
    for start, end, kind, stream in _in_window(rank, order, window):
        extent = (extent[0], max(extent[1], end)) if extent else (start, end)
        instants += start == end
        every.add(start, end)
        by_class[classes[kind]].add(start, end)
        by_stream[stream].add(start, end)
        if not known[kind]:
            unknown.add(start, end)
            by_kind[kind].add(start, end)
    if extent is None:
        return None
    computes = [name != COMMUNICATION and name not in COPIES for name in classes]
    computing = merge_intervals(
        (start, end) for start, end, kind, _ in _in_window(rank, order, window) if computes[kind]
    )
    moving = merge_intervals(
        (start, end) for start, end, kind, _ in _in_window(rank, order, window) if classes[kind] == COMMUNICATION
    )
    unmatched: Counter[str] = Counter()
    for kind, each in by_kind.items():
        unmatched[rank.kinds[kind].name] += each.one_by_one  # type: ignore[assignment]
    streams = sorted(by_stream, key=lambda number: (rank.streams[number].device, _numeric(rank.streams[number].name)))
    return RankMeasures(
        every.events,
        {name: by_class[name].events for name in sorted(by_class)},
        instants,
        window or extent,
        every.together,
        sum_lengths(computing),
        sum_lengths(moving),
        subtract_intervals(moving, computing),
        {name: by_class[name].together for name in sorted(by_class)},
        {rank.streams[number]: _of_stream(by_stream[number]) for number in streams},
        dict(unmatched.most_common()),
        unknown.together,
        every.one_by_one,
    )


def _in_window(
    rank: RankTrace, order: Collection[int], window: Interval | None
) -> Iterator[tuple[Time, Time, int, int]]:
    """Return the parts of events in the window."""
    for start, end, kind, stream in rank.events.by_start(order):
        if window is None:
            yield start, end, kind, stream
        elif start <= window[1] and end >= window[0]:
            yield max(start, window[0]), min(end, window[1]), kind, stream


def _of_stream(lasting: _Lasting) -> StreamMeasures:
    return StreamMeasures(lasting.events, lasting.together, lasting.one_by_one - lasting.together)


def _numeric(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdecimal() else (1 << 30, name)


class RunMeasures(Record):
    """Times in ns. `span_idle` is how long each device is idle between its first and its last work."""

    makespan: Time
    busy: Mapping[DeviceKey, Time]
    span_idle: Mapping[DeviceKey, Time]


def measure_run(work: Mapping[DeviceKey, Moments], window: Interval | None = None) -> RunMeasures:
    """Measure the work of each device, from the first start until the last end, or in a window."""
    done = {number: moments for number, moments in work.items() if moments}
    first = min((moments[0][0] for moments in done.values()), default=0)
    last = max((moments[-1][1] for moments in done.values()), default=0)
    start, end = window or (first, last)
    busy = {number: sum_lengths(moments) for number, moments in work.items()}
    within = {
        number: moments[-1][1] - moments[0][0] - busy[number] if moments else 0 for number, moments in work.items()
    }
    return RunMeasures(end - start, busy, within)


def compute_intervals(rank: RankTrace, rules: ClassRules, places: Collection[int] | None = None) -> list[Interval]:
    """Return the computing intervals of a rank's device, of all events or some."""
    counted = [rules.of(kind) not in (COMMUNICATION, *COPIES) for kind in rank.kinds]
    return merge_intervals((start, end) for start, end, kind, _ in rank.events.by_start(places) if counted[kind])
