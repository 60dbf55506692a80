"""Selection of a run: ranks, clock, and a step or period."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.errors import TikzgenError
from tikzgen.base.intervals import Interval
from tikzgen.base.record import NOTHING, Record, replace
from tikzgen.trace.annotated_operations import early_messages
from tikzgen.trace.exact_times import Time, milliseconds, whole_if_it_is
from tikzgen.trace.parallelism import hint_axes
from tikzgen.trace.rank_clocks import check_clocks, find_clocks, moved_by
from tikzgen.trace.run_model import TraceRun
from tikzgen.trace.trace_steps import TraceStep, choose_step, launched_in

ClockChoice: TypeAlias = Literal["auto", "raw", "collectives"] | Mapping[int, Fraction]

_RANK_LIMIT = 8  # ranks drawn by default, and missing ranks in messages
_MS = 10**6


class Chosen(Record):
    """Part of a run: places of the events of each rank, a window that cuts them, if any, and notes."""

    run: TraceRun
    events: Mapping[int, Sequence[int]]
    window: Interval | None
    stretch: Interval
    said: tuple[str, ...]
    steps: Mapping[int, TraceStep] = NOTHING
    """The chosen step of each rank, in times of its thread."""


def choose_ranks(run: TraceRun, wanted: Sequence[int] | Literal["all"] | None, most: int) -> tuple[TraceRun, str]:
    """Return the wanted ranks, or the first eight, and a note about the others.

    Raise `TikzgenError` if a wanted rank has no trace, or all ranks are more than `most`.
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
        raise TikzgenError(message, hint="leave out `ranks` to draw the existing ranks")
    if run.world > most:
        raise TikzgenError(f"ranks: all are {run.world}, more than the {most} of a figure", hint="as in ranks: [0, 1]")


def set_clocks(run: TraceRun, choice: ClockChoice) -> tuple[TraceRun, str]:
    """Return the ranks with corrected clocks, and a note about the correction.

    Raise `TikzgenError` if collectives do not determine the clocks, or a rank to shift does not exist.
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
    if choice == "raw" or (choice == "auto" and run.has_one_host):
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


def choose_replica(run: TraceRun, number: int | None) -> TraceRun:
    """Select the ranks of one replica; all ranks if `number` is missing.

    Raise `TikzgenError` if replicas are unknown, or the replica does not exist.
    """
    if number is None:
        return run
    replicas = run.parallelism.replicas
    if not replicas:
        raise TikzgenError("replica: nothing states the replicas of the run", hint=hint_axes(run.world))
    if number >= len(replicas):
        raise TikzgenError(f"replica: {number} is not a replica", hint=f"replicas are 0 to {len(replicas) - 1}")
    ranks = {rank: held for rank, held in run.ranks.items() if run.parallelism.replica_of(rank) == replicas[number]}
    return replace(run, ranks=ranks, world=run.world // len(replicas))


def choose_time(run: TraceRun, step: str | int, window: tuple[Fraction, Fraction] | None) -> Chosen:
    """Choose a step of each rank, by launch, or a window in ms from the start of the run.

    Raise `TikzgenError` if the step does not exist, or the window is empty.
    """
    if window is None:
        steps = choose_steps(run, step)
        events: dict[int, Sequence[int]] = {
            number: launched_in(rank, steps[number].start, steps[number].end)
            if number in steps
            else range(len(rank.events))
            for number, rank in run.ranks.items()
        }
        stretches = [(each.start, each.end) for each in steps.values()]
        stretch = _extent(run, events) or (_hull(stretches) if stretches else _annotated_interval(run))
        names = tuple(sorted({f"step {each.number}" for each in steps.values()}))
        notes = (*names, *_count_other_steps(run, events, steps))
        return Chosen(run, events, None, stretch, notes, steps)
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
    named = (each for rank in run.ranks.values() for each in (*rank.annotations, *rank.spans))
    annotated = any(each.start < last and each.end > first for each in named)
    if first >= last or not (any(inside.values()) or annotated):
        there = milliseconds(_whole_interval(run)[1] - zero)
        raise TikzgenError("window: nothing happens in it", hint=f"the traces last from 0 to {there} ms")
    period = f"from {milliseconds(first - zero)} to {milliseconds(last - zero)} ms"
    return Chosen(run, inside, (first, last), (first, last), (period,))


def choose_steps(run: TraceRun, wanted: str | int) -> dict[int, TraceStep]:
    """Return the step of each rank: of one number, in times of its thread. Empty means all.

    Raise `TikzgenError` if the step does not exist, or only some ranks have steps.
    """
    chosen = {number: found for number, rank in run.ranks.items() if (found := choose_step(rank, wanted))}
    without = next((rank for number, rank in run.ranks.items() if number not in chosen), None)
    if chosen and without:
        message = f"step: {without.source} has no marked step, but other ranks have"
        raise TikzgenError(message, hint="step: all, or a window in ms, as in [12.5, 80]")
    numbers = [each.number for each in chosen.values()]
    if len(set(numbers)) < 2:
        return chosen
    common = min(numbers) if wanted == "last-complete" else max(numbers) if wanted == "first" else numbers[0]
    return {number: found for number in chosen if (found := choose_step(run.ranks[number], common))}


def _count_other_steps(
    run: TraceRun, events: Mapping[int, Sequence[int]], steps: Mapping[int, TraceStep]
) -> Iterator[str]:
    """Count events that run after the end of their step, and events of other steps that run during it."""
    late = during = unknown = 0
    for number, step in steps.items():
        starts, ends, own = run.ranks[number].events.starts, run.ranks[number].events.ends, events[number]
        late += sum(starts[place] >= step.end for place in own)
        if own:
            first, last = min(starts[place] for place in own), max(ends[place] for place in own)
            drawn = set(own)
            links = run.ranks[number].events.links
            others = [
                bool(links[place])
                for place, (start, end) in enumerate(zip(starts, ends, strict=True))
                if start < last and end > first and place not in drawn
            ]
            during, unknown = during + sum(others), unknown + others.count(False)
    if late:
        yield f"{late} events run after the end of their step"
    if during:
        yield f"{during} events of other steps are not drawn"
    if unknown:
        yield f"{unknown} events without a known launch are not drawn: nothing states their step"


def _extent(run: TraceRun, events: Mapping[int, Sequence[int]]) -> Interval | None:
    found = [
        (run.ranks[number].events.starts[place], run.ranks[number].events.ends[place])
        for number, places in events.items()
        for place in places
    ]
    return _hull(found) if found else None


def _annotated_interval(run: TraceRun) -> Interval:
    found = [(each.start, each.end) for rank in run.ranks.values() for each in (*rank.annotations, *rank.spans)]
    if not found:
        raise TikzgenError("the traces have no device events and no annotations", hint="profile with record_function")
    return _hull(found)


def _whole_interval(run: TraceRun) -> Interval:
    extents = [rank.extent for rank in run.ranks.values()]
    found = [extent for extent in extents if extent]
    return _hull(found) if found else _annotated_interval(run)


def _hull(intervals: Sequence[Interval]) -> tuple[Time, Time]:
    return min(start for start, _ in intervals), max(end for _, end in intervals)
