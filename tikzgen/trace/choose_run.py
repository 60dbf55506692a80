"""What of a run is drawn and measured: which ranks, by which clock, and which step or stretch of time.

What a device did in a step is what was launched in it, for the device comes after its thread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from statistics import median_low
from typing import Literal, TypeAlias

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.intervals import Interval
from tikzgen.base.record import Record, replace
from tikzgen.trace.annotated_operations import early_messages
from tikzgen.trace.exact_times import Time, milliseconds, whole_if_it_is
from tikzgen.trace.rank_clocks import check_clocks, find_clocks, moved_by
from tikzgen.trace.run_model import RankTrace, TraceRun

ClockChoice: TypeAlias = Literal["auto", "raw", "collectives"] | Mapping[int, Fraction]

_STEP = re.compile(r"(?:ProfilerStep#|iteration |iter_\d+_)(\d+)\Z")
_RANK_LIMIT = 8  # ranks that are drawn where none are chosen, and missing ones that are named
_MS = 10**6


class Chosen(Record):
    """A part of a run: the places of each rank's events, a window that cuts them, if there is one, and what to say."""

    run: TraceRun
    events: Mapping[int, Sequence[int]]
    window: Interval | None
    stretch: Interval
    said: tuple[str, ...]


def choose_ranks(run: TraceRun, wanted: Sequence[int] | Literal["all"] | None, most: int) -> tuple[TraceRun, str]:
    """The ranks that are wanted, or the first eight; and what to say of it.

    `TikzgenError` where one of them left no trace, or all are more than `most`.
    """
    if wanted == "all":
        _check_all(run, most)
        wanted = list(run.ranks)
    for number in wanted or ():
        if number not in run.ranks:
            there = ", ".join(map(str, list(run.ranks)[:16]))
            raise TikzgenError(f"ranks: rank {number} left no trace", hint=f"there are {there}")
    numbers = list(dict.fromkeys(wanted)) if wanted else list(run.ranks)[:_RANK_LIMIT]
    drawn = replace(run, ranks={number: run.ranks[number] for number in numbers})
    return drawn, f"{len(numbers)} of {run.world} ranks" if len(numbers) < run.world else ""


def _check_all(run: TraceRun, most: int) -> None:
    missing = [str(number) for number in range(run.world) if number not in run.ranks]
    if missing:
        named = ", ".join(missing[:_RANK_LIMIT]) + (
            f" and {len(missing) - _RANK_LIMIT} more" if len(missing) > _RANK_LIMIT else ""
        )
        message = f"ranks: rank{'s' * (len(missing) > 1)} {named} missing of 0..{run.world - 1}"
        raise TikzgenError(message, hint="without `ranks` those that are there are drawn")
    if run.world > most:
        raise TikzgenError(f"ranks: all are {run.world}, more than the {most} of a figure", hint="as in ranks: [0, 1]")


def set_clocks(run: TraceRun, choice: ClockChoice) -> tuple[TraceRun, str]:
    """The ranks by one clock, and which: nothing is moved without being said.

    `TikzgenError` where collectives do not tell the clocks, or a rank to be moved is none.
    """
    if len(run.ranks) < 2:
        return run, ""
    if isinstance(choice, Mapping):
        for number in choice:
            if number not in run.ranks:
                raise TikzgenError(f"clock: rank {number} is not drawn", hint="move ranks that are")
        moves = {number: whole_if_it_is(Fraction(by) * _MS) for number, by in choice.items()}
        ranks = {number: rank.shift_clock(moves.get(number, 0)) for number, rank in run.ranks.items()}
        told = ", ".join(f"rank {number} by {milliseconds(by)} ms" for number, by in moves.items())
        moved = replace(run, ranks=ranks)
        return moved, f"clocks moved: {told}" + _describe_early(early_messages(moved))
    hosts = {rank.host for rank in run.ranks.values()}
    if choice == "raw" or (choice == "auto" and len(hosts) == 1):
        known = "of one host" if hosts - {""} and len(hosts) == 1 else "as they are"
        return run, f"clocks {known}" + _describe_early(early_messages(run))
    clocks = find_clocks(run)
    warnings = check_clocks(run, clocks, asked=choice == "collectives")
    told = ", ".join(
        f"rank {number} {milliseconds(clock.offset)} ms (residual {milliseconds(clock.residual)} ms)"
        for number, clock in list(clocks.items())[1:]
    )
    moved = moved_by(run, clocks)
    early = early_messages(moved, max(clock.residual for clock in clocks.values()))
    return moved, "; ".join((f"clocks by the ends of collectives: {told} ahead", *warnings)) + _describe_early(early)


def _describe_early(early: Sequence[str]) -> str:
    """Describe clocks by which something is too early: how often, and the worst case."""
    return f"; by them {len(early)} operations or messages are too early: {early[0]}" if early else ""


class TraceStep(Record):
    """A step on a rank's thread: the program's number of it, and from when to when."""

    number: int
    start: Time
    end: Time


def steps_of(rank: RankTrace) -> list[TraceStep]:
    """The steps that the program or the profiler marked, in the order of time."""
    found = {
        int(match[1]): TraceStep(int(match[1]), each.start, each.end)
        for each in rank.annotations
        if (match := _STEP.match(each.name)) and len(match[1]) < 10
    }
    return sorted(found.values(), key=lambda step: step.start)


def choose_step(rank: RankTrace, wanted: str | int) -> TraceStep | None:
    """The step by its number, or the `first`, the `last-complete`, the `median` by duration; None is everything.

    The last one that is marked is complete where no more of its launches have no event than in the one before.
    `TikzgenError` where there is no such step.
    """
    steps = steps_of(rank)
    if wanted == "all" or (not steps and wanted == "last-complete"):
        return None
    if not steps:
        raise TikzgenError(f"{rank.source}: no step is marked", hint="step: all, or a window in ms, as in [12.5, 80]")
    match wanted:
        case "first":
            return steps[0]
        case "last-complete":
            *before, last = steps
            return last if not before or _count_lost(rank, last) <= _count_lost(rank, before[-1]) else before[-1]
        case "median":
            middle = median_low(step.end - step.start for step in steps)
            return next(step for step in steps if step.end - step.start == middle)
        case int():
            chosen = next((step for step in steps if step.number == wanted), None)
            if chosen:
                return chosen
    known = ", ".join(str(step.number) for step in steps[:8]) + (", …" if len(steps) > 8 else "")
    raise TikzgenError(f"{rank.source}: there is no step {quote(wanted)}", hint=f"the steps are {known}")


def _count_lost(rank: RankTrace, step: TraceStep) -> int:
    """Count launches in a step without an event; a call that launches nothing has none in any step."""
    ran = set(rank.events.links)
    inside = {
        link
        for start, link in zip(rank.launches.starts, rank.launches.links, strict=True)
        if step.start <= start < step.end
    }
    return len(inside - ran)


def launched_in(rank: RankTrace, start: Time, end: Time) -> list[int]:
    """The places of the device events whose launch lies in a stretch of time."""
    launches = rank.launches
    links = {link for begin, link in zip(launches.starts, launches.links, strict=True) if start <= begin < end}
    return [place for place, link in enumerate(rank.events.links) if link in links]


def choose_time(run: TraceRun, step: str | int, window: tuple[Fraction, Fraction] | None) -> Chosen:
    """A step of each rank, by launch, or a window in ms from the run's first moment.

    `TikzgenError` where there is no such step, or nothing in the window.
    """
    if window is None:
        events: dict[int, Sequence[int]] = {}
        stretches: list[Interval] = []
        names = set()
        for number, rank in run.ranks.items():
            found = choose_step(rank, step)
            events[number] = launched_in(rank, found.start, found.end) if found else range(len(rank.events))
            if found:
                names.add(f"step {found.number}")
                stretches.append((found.start, found.end))
        stretch = _extent(run, events) or (_hull(stretches) if stretches else _annotated_interval(run))
        return Chosen(run, events, None, stretch, tuple(sorted(names)))
    zero = _whole_interval(run)[0]
    first, last = (whole_if_it_is(zero + Fraction(edge) * _MS) for edge in window)
    inside = {
        number: [
            place
            for place in range(len(rank.events))
            if rank.events.starts[place] <= last and rank.events.ends[place] >= first
        ]
        for number, rank in run.ranks.items()
    }
    annotated = any(each.start < last and each.end > first for rank in run.ranks.values() for each in rank.annotations)
    if first >= last or not (any(inside.values()) or annotated):
        there = milliseconds(_whole_interval(run)[1] - zero)
        raise TikzgenError("window: nothing happens in it", hint=f"the traces last from 0 to {there} ms")
    said = f"from {milliseconds(first - zero)} to {milliseconds(last - zero)} ms"
    return Chosen(run, inside, (first, last), (first, last), (said,))


def _extent(run: TraceRun, events: Mapping[int, Sequence[int]]) -> Interval | None:
    found = [
        (run.ranks[number].events.starts[place], run.ranks[number].events.ends[place])
        for number, places in events.items()
        for place in places
    ]
    return _hull(found) if found else None


def _annotated_interval(run: TraceRun) -> Interval:
    found = [(each.start, each.end) for rank in run.ranks.values() for each in rank.annotations]
    if not found:
        raise TikzgenError("nothing ran on a device, and nothing is annotated", hint="profile with record_function")
    return _hull(found)


def _whole_interval(run: TraceRun) -> Interval:
    extents = [rank.extent for rank in run.ranks.values()]
    found = [extent for extent in extents if extent]
    return _hull(found) if found else _annotated_interval(run)


def _hull(intervals: Sequence[Interval]) -> tuple[Time, Time]:
    return min(start for start, _ in intervals), max(end for _, end in intervals)
