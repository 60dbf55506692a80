"""When a parameter server's workers fetch, compute, push and see their update applied. Times are exact.

`tikzgen.schedule.parameter_server` gives the same times, but for asynchronous workers that share an update here: which
ones come together depends on the updates before, and a program for the simulator is written before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush

from tikzgen.base.record import Record


class Round(Record):
    """What every worker's round costs besides computing, in time units."""

    fetch: Fraction
    push: Fraction
    update: Fraction


class Event(Record):
    """One block: the workers it concerns (indices, side by side), its phase, its start and duration.

    An update of workers whose lanes lie apart is several blocks at one time.
    """

    workers: tuple[int, ...]
    phase: str
    start: Fraction
    duration: Fraction


def _trip(worker: int, start: Fraction, compute: Fraction, cost: Round) -> list[Event]:
    """Fetch, compute and push of one worker, back to back."""
    middle = start + cost.fetch
    return [
        Event((worker,), "fetch", start, cost.fetch),
        Event((worker,), "compute", middle, compute),
        Event((worker,), "push", middle + compute, cost.push),
    ]


def synchronous(compute: Sequence[Fraction], cost: Round, rounds: int, order: Sequence[int]) -> Iterator[Event]:
    """All workers push before the server updates, and all wait for the update (bulk-synchronous parallel)."""
    now = Fraction(0)
    for _ in range(rounds):
        for worker in order:
            yield from _trip(worker, now, compute[worker], cost)
        last = now + cost.fetch + max(compute) + cost.push
        yield Event(tuple(order), "server-update", last, cost.update)
        now = last + cost.update


def asynchronous(
    compute: Sequence[Fraction], cost: Round, rounds: int, order: Sequence[int], *, shared: bool = False
) -> Iterator[Event]:
    """The server applies gradients as they come, one push an update; with `shared`, those of one moment in one.

    A worker goes on as soon as its own update is done; of pushes at one moment, the first worker's comes first.
    """
    place = {worker: index for index, worker in enumerate(order)}
    arrivals: list[tuple[Fraction, int]] = []
    left = dict.fromkeys(order, rounds)

    def begin(worker: int, start: Fraction) -> Iterator[Event]:
        yield from _trip(worker, start, compute[worker], cost)
        left[worker] -= 1
        heappush(arrivals, (start + cost.fetch + compute[worker] + cost.push, worker))

    for worker in order:
        yield from begin(worker, Fraction(0))
    free = Fraction(0)
    while arrivals:
        when, worker = heappop(arrivals)
        together = [worker]
        while shared and arrivals and arrivals[0][0] == when:
            together.append(heappop(arrivals)[1])
        start = max(when, free)
        free = start + cost.update
        for run in _neighbours(sorted(place[worker] for worker in together)):
            yield Event(tuple(order[index] for index in run), "server-update", start, cost.update)
        for worker in sorted(together, key=place.__getitem__):
            if left[worker]:
                yield from begin(worker, free)


def _neighbours(places: Sequence[int]) -> list[list[int]]:
    """Runs of places that lie side by side."""
    runs: list[list[int]] = []
    for each in places:
        if runs and runs[-1][-1] == each - 1:
            runs[-1].append(each)
        else:
            runs.append([each])
    return runs
