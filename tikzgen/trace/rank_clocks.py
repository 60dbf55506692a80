"""Clocks of ranks: unchanged, or moved so that collectives end on all ranks at one time.

A blocking collective ends on all its ranks at nearly the same time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
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
_GROUP_LIMIT = 16  # ranks of a group that are compared with each other


class RankClock(Record):
    """Offset of a clock from the first rank's, in ns, found by `matched` collectives that agree within `residual`.

    Without any, `apart` is the least and greatest difference between the ends of other messages.
    """

    offset: Time
    residual: Time = 0
    matched: int = 0
    apart: tuple[Time, Time] | None = None


class _ClockEdge(Record):
    """Difference between two clocks: `other` is ahead of `one`. Collectives precede messages."""

    by_messages: bool
    residual: Time
    one: int
    other: int
    offset: Time
    matched: int


def collective_ends(rank: RankTrace, which: re.Pattern[str] = _BLOCKING) -> dict[Collective, Time]:
    """Return the end of each blocking collective by its key.

    The key is its group and number if the profiler wrote them, else its name and its position among that name.
    """
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
    """Return the clock of each rank against the first one, over a graph of ranks.

    An edge joins two ranks with a collective in common. If no collective joins two parts, messages in both directions
    bound the offset. A least spanning tree by residual gives the offsets (Kruskal 1956).
    """
    first, *others = run.ranks
    ends = {number: collective_ends(rank) for number, rank in run.ranks.items()}
    tree: dict[int, list[_ClockEdge]] = {number: [] for number in run.ranks}
    parts = {number: number for number in run.ranks}

    def find_part(number: int) -> int:
        while parts[number] != number:
            parts[number] = parts[parts[number]]
            number = parts[number]
        return number

    for edge in sorted([*_collective_edges(ends), *_message_edges(run)], key=_order_of):
        one, other = find_part(edge.one), find_part(edge.other)
        if one != other:
            parts[other] = one
            tree[edge.one].append(edge)
            tree[edge.other].append(replace(edge, one=edge.other, other=edge.one, offset=-edge.offset))
    clocks = {first: RankClock(0, 0, len(ends[first]))}
    reached = [first]
    for number in reached:
        known = clocks[number]
        for edge in tree[number]:
            if edge.other not in clocks:
                matched = edge.matched if number == first else min(known.matched, edge.matched)
                offset = known.offset + edge.offset
                wrong = min(known.residual, edge.residual)
                residual = wrong if wrong < 0 else known.residual + edge.residual
                clocks[edge.other] = RankClock(offset, residual, matched)
                reached.append(edge.other)
    for number in others:
        if number not in clocks:
            clocks[number] = RankClock(0, apart=_clock_difference(run.ranks[first], run.ranks[number]))
    return {number: clocks[number] for number in run.ranks}


def _order_of(edge: _ClockEdge) -> tuple[bool, Time, int, int]:
    """Return the sort key of an edge: collectives first, then the smallest residual."""
    return edge.by_messages, edge.residual, edge.one, edge.other


def _collective_edges(ends: Mapping[int, Mapping[Collective, Time]]) -> Iterator[_ClockEdge]:
    """Yield the median differences between ranks with a collective in common, and their spread."""
    members: defaultdict[Collective, list[int]] = defaultdict(list)
    for number, own in ends.items():
        for each in own:
            members[each].append(number)
    pairs = {pair for ranks in {*map(tuple, members.values())} for pair in _pair_ranks(ranks)}
    for one, other in pairs:
        later = _later(ends[one], ends[other])
        offset = whole_if_it_is(Fraction(median(map(Fraction, later))))
        yield _ClockEdge(False, max(later) - min(later), one, other, offset, len(later))


def _pair_ranks(ranks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of ranks: all of a small group, else each rank with the first one."""
    every = combinations(ranks, 2)
    return every if len(ranks) <= _GROUP_LIMIT else ((ranks[0], other) for other in ranks[1:])


def _message_edges(run: TraceRun) -> Iterator[_ClockEdge]:
    """Yield the differences that messages in both directions bound: no message arrives before it is sent.

    Bounds without a value between them have a residual below 0; `check_clocks` rejects them.
    """
    sent: dict[Collective, Time] = {}
    received: dict[Collective, Time] = {}
    for rank in run.ranks.values():
        for place, each in rank.collectives.items():
            if each.source is not None and each.target is not None and each.name in ("send", "recv"):
                key = replace(each, name="")
                if each.name == "send":
                    sent[key] = rank.events.starts[place]
                else:
                    received[key] = rank.events.ends[place]
    most: dict[tuple[int, int], Time] = {}
    counts: Counter[tuple[int, int]] = Counter()
    for key in sent.keys() & received.keys():
        pair = key.source or 0, key.target or 0
        most[pair] = min(received[key] - sent[key], most.get(pair, received[key] - sent[key]))
        counts[pair] += 1
    for (one, other), high in most.items():
        if one < other and (other, one) in most and {one, other} <= run.ranks.keys():
            low = -most[other, one]
            middle, width = Fraction(low + high) / 2, Fraction(high - low) / 2
            matched = counts[one, other] + counts[other, one]
            yield _ClockEdge(True, whole_if_it_is(width), one, other, whole_if_it_is(middle), matched)


def _later(ends: Mapping[Collective, Time], others: Mapping[Collective, Time]) -> list[Time]:
    """Return the differences between the ends of each collective on two ranks."""
    return [others[each] - end for each, end in ends.items() if each in others]


def _clock_difference(first: RankTrace, rank: RankTrace) -> tuple[Time, Time] | None:
    """Return the difference between ends of non-blocking collectives, matched by name and order."""
    later = _later(collective_ends(first, _MESSAGES), collective_ends(rank, _MESSAGES))
    return (min(later), max(later)) if later else None


def check_clocks(run: TraceRun, clocks: Mapping[int, RankClock], *, asked: bool = False) -> list[str]:
    """Return warnings about clocks. `asked` states that the user wants clocks by collectives.

    Raise `TikzgenError` if the collectives of a rank disagree, or are too few and the user does not ask for them.
    """
    extents = [rank.extent for rank in run.ranks.values()]
    window = max((extent[1] - extent[0] for extent in extents if extent), default=0)
    told = []
    others = list(clocks.items())[1:]
    for number, clock in others:
        way = f"clock: raw keeps the timestamps, clock: {{{number}: -7.2}} moves a rank by ms"
        if not clock.matched:
            message = f"rank {number} has no blocking collective in common with the first rank"
            if clock.apart:
                low, high = clock.apart
                message += f"; the ends of its messages differ by {milliseconds(low)} to {milliseconds(high)} ms"
            raise TikzgenError(message, hint=way)
        if clock.residual < 0:
            message = f"messages to and from rank {number} contradict each other: each arrives before it is sent"
            raise TikzgenError(message, hint=way)
        if clock.residual > window * _LARGEST_RESIDUAL:
            spread = f"{milliseconds(clock.residual)} ms, more than 5 % of {milliseconds(window)} ms"
            message = f"the clock offsets by collectives of rank {number} differ by {spread}"
            raise TikzgenError(message, hint=way)
        if clock.matched < _MATCHED_COUNT:
            several = clock.matched > 1
            few = f"only {clock.matched} collective{'s' * several} of rank {number} tell{'s' * (not several)} its clock"
            if not asked:
                raise TikzgenError(few, hint="clock: collectives uses them anyway, or " + way)
            told.append(f"{few}: nothing says how well")
    return told


def moved_by(run: TraceRun, clocks: Mapping[int, RankClock]) -> TraceRun:
    """Shift all ranks to the clock of the first rank."""
    ranks = {
        number: rank.shift_clock(-clocks[number].offset) if number in clocks else rank
        for number, rank in run.ranks.items()
    }
    return replace(run, ranks=ranks, residual=max((clock.residual for clock in clocks.values()), default=0))
