"""Device time of annotated operations, by launch or by the shadow of the annotation.

A host runs ahead of its device, so that an annotation and its kernels may be ms apart. An operation claims kernels that
do not communicate, by the first rule that holds:

1. Its thread launched them inside the annotation.
2. A thread without an open annotation launched them while no other operation was open in the process. Autograd's
   thread launches the kernels of a backward.
3. No operation contains their launch, and the shadow of the operation on their stream covers them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush

from tikzgen.base.intervals import Interval, intersect_intervals, sum_lengths, union
from tikzgen.base.record import Record
from tikzgen.trace.event_classes import COMMUNICATION, COPIES, ClassRules
from tikzgen.trace.exact_times import Time
from tikzgen.trace.run_model import Annotation, RankTrace, process_of

MOST_UNCLAIMED = Fraction(1, 20)
"""Share of the computing time above which unclaimed kernels make a bubble unknown."""


class ClaimedKernels(Record):
    """Kernels of one operation on one device, with their hull and the length of their union."""

    device: str
    places: Sequence[int]
    start: Time
    end: Time
    busy: Time


class _OpenIntervals:
    """Intervals of a thread or process."""

    def __init__(self, numbered: Iterable[tuple[Time, Time, int]]) -> None:
        intervals = sorted((each for each in numbered if each[0] < each[1]), key=lambda each: (each[0], -each[1]))
        self._edges = sorted({edge for start, end, _ in intervals for edge in (start, end)})
        self._open: list[tuple[int, int]] = []
        ends: list[Time] = []
        latest: list[tuple[Time, int, Time]] = []
        place = 0
        for edge in self._edges:
            while place < len(intervals) and intervals[place][0] == edge:
                start, end, _ = intervals[place]
                heappush(ends, end)
                heappush(latest, (-start, -place, end))
                place += 1
            while ends and ends[0] <= edge:
                heappop(ends)
            while latest and latest[0][2] <= edge:
                heappop(latest)
            self._open.append((len(ends), intervals[-latest[0][1]][2] if latest else -1))

    def at(self, moment: Time) -> tuple[int, int]:
        """Return the number of open intervals, and the last begun; (0, -1) for none."""
        place = bisect_right(self._edges, moment)
        return self._open[place - 1] if place else (0, -1)


def claim_kernels(
    rank: RankTrace, operations: Sequence[Annotation], rules: ClassRules, *, need_launch: Collection[int] = ()
) -> Mapping[int, list[ClaimedKernels]]:
    """Return the kernels that each of the annotated `operations` claims, by its index and in the order of devices.

    A kernel whose launch is unknown is not enough for operations in `need_launch`, such as backwards: another thread
    launches most of their kernels, which then have no shadow.
    """
    on_thread, in_process = _open_operations(operations)
    annotated = _open_by_thread(rank.annotations)
    shaded = _shadows_by_stream(rank, operations)
    launches, threads = rank.launches, rank.threads
    launched = dict(zip(launches.links, zip(launches.starts, launches.threads, strict=True), strict=True))
    moves = [rules.of(kind) == COMMUNICATION for kind in rank.kinds]
    events, nothing = rank.events, _OpenIntervals(())
    claimed: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for place, (kind, stream, link) in enumerate(zip(events.kinds, events.streams, events.links, strict=True)):
        if moves[kind]:
            continue
        launch, owner = launched.get(link) if link else None, -1
        if launch:
            moment, thread = launch[0], threads[launch[1]]
            _, owner = on_thread.get(thread, nothing).at(moment)
            if owner < 0 and not annotated.get(thread, nothing).at(moment)[0]:
                opened, owner = in_process.get(process_of(thread), nothing).at(moment)
                owner = owner if opened == 1 else -1
        if owner < 0 and stream in shaded:
            start, end = events.starts[place], events.ends[place]
            _, number = shaded[stream][0].at(start)
            owner, ends = shaded[stream][1][number] if number >= 0 else (-1, start)
            if end > ends or (launch is None and owner in need_launch):
                owner = -1
        if owner >= 0:
            claimed[owner, rank.streams[stream].device].append(place)
    found: defaultdict[int, list[ClaimedKernels]] = defaultdict(list)
    for owner, device in sorted(claimed):
        places = claimed[owner, device]
        moments = [(events.starts[place], events.ends[place]) for place in places]
        start, end = min(start for start, _ in moments), max(end for _, end in moments)
        found[owner].append(ClaimedKernels(device, places, start, end, sum_lengths(union(moments))))
    return found


def _open_operations(
    operations: Sequence[Annotation],
) -> tuple[dict[str, _OpenIntervals], dict[str, _OpenIntervals]]:
    """Return the open operations by thread, and by process."""
    threads: defaultdict[str, list[tuple[Time, Time, int]]] = defaultdict(list)
    processes: defaultdict[str, list[tuple[Time, Time, int]]] = defaultdict(list)
    for number, each in enumerate(operations):
        threads[each.thread].append((each.start, each.end, number))
        processes[process_of(each.thread)].append((each.start, each.end, number))
    return (
        {thread: _OpenIntervals(held) for thread, held in threads.items()},
        {process: _OpenIntervals(held) for process, held in processes.items()},
    )


def _open_by_thread(annotations: Iterable[Annotation]) -> dict[str, _OpenIntervals]:
    moments: defaultdict[str, list[Interval]] = defaultdict(list)
    for each in annotations:
        moments[each.thread].append((each.start, each.end))
    return {
        thread: _OpenIntervals((start, end, number) for number, (start, end) in enumerate(union(held)))
        for thread, held in moments.items()
    }


def _shadows_by_stream(
    rank: RankTrace, operations: Sequence[Annotation]
) -> dict[int, tuple[_OpenIntervals, list[tuple[int, Time]]]]:
    """Return the shadows of operations on each stream: open ones, and the operation and end of each.

    A shadow has the name of its operation, and its number if several operations have that name.
    """
    by_name: defaultdict[str, dict[int, int]] = defaultdict(dict)
    names = Counter(each.name for each in operations)
    for number, each in enumerate(operations):
        by_name[each.name][each.number if names[each.name] > 1 else 0] = number
    streams = {f"{stream.device}/{stream.name}": number for number, stream in enumerate(rank.streams)}
    held: defaultdict[int, list[tuple[Time, Time, int]]] = defaultdict(list)
    owners: defaultdict[int, list[tuple[int, Time]]] = defaultdict(list)
    for each in rank.shadows:
        owner = by_name.get(each.name, {}).get(each.number if names[each.name] > 1 else 0)
        stream = streams.get(each.thread)
        if owner is None or stream is None or (names[each.name] > 1 and not each.number):
            continue
        held[stream].append((each.start, each.end, len(owners[stream])))
        owners[stream].append((owner, each.end))
    return {stream: (_OpenIntervals(held[stream]), owners[stream]) for stream in held}


def unclaimed_share(
    rank: RankTrace, rules: ClassRules, claims: Iterable[ClaimedKernels], spans: Sequence[Interval], device: str
) -> Fraction:
    """Return the share of the computing time of a device in `spans` that no operation claims."""
    computes = [rules.of(kind) not in (COMMUNICATION, *COPIES) for kind in rank.kinds]
    events = rank.events
    own = [place for place in rank.select_device(device) if computes[events.kinds[place]]]
    owned = {place for each in claims for place in each.places}
    every = union((events.starts[place], events.ends[place]) for place in own)
    known = union((events.starts[place], events.ends[place]) for place in own if place in owned)
    inside = [sum_lengths(intersect_intervals(moments, spans)) for moments in (every, known)]
    return Fraction(inside[0] - inside[1]) / Fraction(inside[0]) if inside[0] else Fraction(0)
