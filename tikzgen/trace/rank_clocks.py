"""The clocks of ranks: as they are, or moved so that collectives end on all ranks at one moment.

A blocking collective ends everywhere at nearly the same time. A rank's offset is the median, over all collectives that
it has in common with the first rank, of how much later they end by its clock; the residual is how far they spread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from statistics import median

from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import Record, replace
from tikzgen.trace.exact_times import Time, milliseconds, whole_if_it_is
from tikzgen.trace.run_model import Collective, RankTrace, TraceRun

_BLOCKING = re.compile(r"all_?-?reduce|all_?-?gather|barrier|reduce_?-?scatter|all_?-?to_?-?all", re.IGNORECASE)
_MESSAGES = re.compile("nccl|rccl|send|recv", re.IGNORECASE)
_ARGUMENTS = re.compile(r"[(<].*")
_MATCHED_COUNT = 3  # matched collectives that tell a clock well enough
_LARGEST_RESIDUAL = Fraction(1, 20)


class RankClock(Record):
    """How far a rank's clock is ahead of the first rank's, in ns; found by `matched` collectives, which agree within
    `residual`. Without any, `apart` is how far the ends of other messages differ, at least and at most."""

    offset: Time
    residual: Time = 0
    matched: int = 0
    apart: tuple[Time, Time] | None = None


def collective_ends(rank: RankTrace, which: re.Pattern[str] = _BLOCKING) -> dict[Collective, Time]:
    """When each blocking collective ended: known by group and number where the profiler wrote them, else by its name
    and how many of that name there were before."""
    events = rank.events
    named = [bool(kind.filed in ("kernel", "communication") and which.search(kind.name)) for kind in rank.kinds]
    found: dict[Collective, Time] = {}
    before: Counter[str] = Counter()
    for place in sorted(range(len(events)), key=lambda place: (events.starts[place], events.ends[place])):
        written = rank.collectives.get(place)
        if written is not None:
            if which.search(written.name):
                found[written] = events.ends[place]
        elif named[events.kinds[place]]:
            name = _ARGUMENTS.sub("", rank.kinds[events.kinds[place]].name)
            found[Collective("", name, before[name])] = events.ends[place]
            before[name] += 1
    return found


def find_clocks(run: TraceRun) -> dict[int, RankClock]:
    """The clock of each rank against the first one's; one that has nothing in common matched nothing."""
    first, *_ = run.ranks
    ends = {number: collective_ends(rank) for number, rank in run.ranks.items()}
    clocks = {first: RankClock(0, 0, len(ends[first]))}
    for number in run.ranks:
        if number != first:
            later = _later(ends[first], ends[number])
            clocks[number] = (
                _clock(later) if later else RankClock(0, apart=_clock_difference(run.ranks[first], run.ranks[number]))
            )
    return clocks


def _later(ends: Mapping[Collective, Time], others: Mapping[Collective, Time]) -> list[Time]:
    """How much later each collective of both ends on the other rank."""
    return [others[each] - end for each, end in ends.items() if each in others]


def _clock_difference(first: RankTrace, rank: RankTrace) -> tuple[Time, Time] | None:
    """Return the difference between ends of non-blocking collectives, matched by name and order."""
    later = _later(collective_ends(first, _MESSAGES), collective_ends(rank, _MESSAGES))
    return (min(later), max(later)) if later else None


def _clock(later: list[Time]) -> RankClock:
    offset = whole_if_it_is(Fraction(median(map(Fraction, later))))
    return RankClock(offset, max(later) - min(later), len(later))


def check_clocks(run: TraceRun, clocks: Mapping[int, RankClock], *, asked: bool = False) -> list[str]:
    """Refuse clocks that collectives do not tell; what a reader must be told of the others. `asked` is the user's word.

    `TikzgenError` where they agree too badly, or there are too few and nobody asked for it.
    """
    extents = [rank.extent for rank in run.ranks.values()]
    window = max((extent[1] - extent[0] for extent in extents if extent), default=0)
    told = []
    others = list(clocks.items())[1:]
    for number, clock in others:
        way = f"clock: raw takes the stamps as they are, clock: {{{number}: -7.2}} moves a rank by ms"
        if not clock.matched:
            message = (
                f"rank {number} has no blocking collective in common with the first rank, which would tell its clock"
            )
            if clock.apart:
                low, high = clock.apart
                message += f"; the ends of its messages differ by {milliseconds(low)} to {milliseconds(high)} ms"
            raise TikzgenError(message, hint=way)
        if clock.residual > window * _LARGEST_RESIDUAL:
            message = (
                f"the offsets that the collectives of rank {number} tell differ by {milliseconds(clock.residual)} ms, "
                f"more than 5 % of the {milliseconds(window)} ms that are measured"
            )
            raise TikzgenError(message, hint=way)
        if clock.matched < _MATCHED_COUNT:
            several = clock.matched > 1
            few = f"only {clock.matched} collective{'s' * several} of rank {number} tell{'s' * (not several)} its clock"
            if not asked:
                raise TikzgenError(few, hint="clock: collectives takes them all the same, or " + way)
            told.append(f"{few}: nothing says how well")
    return told


def moved_by(run: TraceRun, clocks: Mapping[int, RankClock]) -> TraceRun:
    """The run with all ranks by the first one's clock."""
    ranks = {
        number: rank.shift_clock(-clocks[number].offset) if number in clocks else rank
        for number, rank in run.ranks.items()
    }
    return replace(run, ranks=ranks, residual=max((clock.residual for clock in clocks.values()), default=0))
