"""When a parameter server's workers fetch, compute, push and see their update applied. Times are exact.

`tikzgen.schedule.parameter_server` gives the same times, but for asynchronous workers that come together and share an
update here: which ones do depends on the updates before, and a program for the simulator is written before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush

from tikzgen.base.record import Record

__all__ = ["Event", "Round", "asynchronous", "synchronous"]


class Round(Record):
    """What every worker's round costs besides computing, in time units."""

    fetch: Fraction
    push: Fraction
    update: Fraction


class Event(Record):
    """One block: the workers it concerns (indices, side by side), its phase, its start and duration."""

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


def asynchronous(compute: Sequence[Fraction], cost: Round, rounds: int, order: Sequence[int]) -> Iterator[Event]:
    """The server applies gradients as they come, one update at a time; neighbours that come together share one.

    A worker goes on as soon as its own update is done.
    """
    place = {worker: index for index, worker in enumerate(order)}
    arrivals: list[tuple[Fraction, int]] = []
    left = dict.fromkeys(order, rounds)

    def begin(worker: int, start: Fraction) -> Iterator[Event]:
        yield from _trip(worker, start, compute[worker], cost)
        left[worker] -= 1
        heappush(arrivals, (start + cost.fetch + compute[worker] + cost.push, place[worker]))

    for worker in order:
        yield from begin(worker, Fraction(0))
    free = Fraction(0)
    while arrivals:
        when, index = heappop(arrivals)
        together = [index]
        while arrivals and arrivals[0] == (when, together[-1] + 1):
            together.append(heappop(arrivals)[1])
        start = max(when, free)
        free = start + cost.update
        workers = tuple(order[index] for index in together)
        yield Event(workers, "server-update", start, cost.update)
        for worker in workers:
            if left[worker]:
                yield from begin(worker, free)
