"""Steps of training: marked periods of the thread of a rank, and the device work of each.

A device runs after its thread, so that the work of a step is the work that was launched in it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from statistics import median_low

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.record import Record
from tikzgen.trace.exact_times import Time
from tikzgen.trace.run_model import RankTrace

_STEP = re.compile(r"(?:ProfilerStep#|iteration |iter_\d+_)(\d+)\Z")


class TraceStep(Record):
    """A step on a rank's thread: the program's number of it, and from when to when."""

    number: int
    start: Time
    end: Time


def steps_of(rank: RankTrace) -> list[TraceStep]:
    """Return the marked steps in the order of time, without steps that share a number."""
    return [held[0] for held in _marked_steps(rank).values() if len(held) == 1]


def repeated_steps(rank: RankTrace) -> list[int]:
    """Return the numbers that several steps share."""
    return [number for number, held in _marked_steps(rank).items() if len(held) > 1]


def _marked_steps(rank: RankTrace) -> dict[int, list[TraceStep]]:
    """Return the steps of each number in the order of time; marks of one number that overlap are one step."""
    found: dict[int, list[TraceStep]] = {}
    for each in rank.annotations:  # sorted by start
        match = _STEP.match(each.name)
        if match and len(match[1]) < 10:
            held = found.setdefault(int(match[1]), [])
            if not held or each.start >= held[-1].end:
                held.append(TraceStep(int(match[1]), each.start, each.end))
    return found


def choose_step(rank: RankTrace, wanted: str | int) -> TraceStep | None:
    """Return a step by number, or the `first`, `last-complete` or `median` by duration; `all` is null.

    A last step is complete if it has no more launches without an event than the preceding step. Raise `TikzgenError` if
    the step does not exist.
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
    """Count launches in a step without an event; a call that launches nothing never has one."""
    ran = set(rank.events.links)
    inside = {
        link
        for start, link in zip(rank.launches.starts, rank.launches.links, strict=True)
        if step.start <= start < step.end
    }
    return len(inside - ran)


def launched_in(rank: RankTrace, start: Time, end: Time) -> list[int]:
    """Return the positions of the device events that were launched in a period."""
    launches = rank.launches
    links = {link for begin, link in zip(launches.starts, launches.links, strict=True) if start <= begin < end}
    return [place for place, link in enumerate(rank.events.links) if link in links]


def step_at(steps: Sequence[TraceStep], moment: Time) -> int | None:
    """Return the number of the step that contains a time of its thread; `steps` are sorted by start."""
    place = bisect_right(steps, moment, key=lambda step: step.start)
    return steps[place - 1].number if place and moment < steps[place - 1].end else None


def group_by_step(rank: RankTrace, steps: Sequence[TraceStep], places: Iterable[int]) -> dict[int, list[int]]:
    """Return the events that were launched in each step, in the order of `places`."""
    launches = rank.launches
    step_of_link = {
        link: step_at(steps, start) for start, link in zip(launches.starts, launches.links, strict=True) if steps
    }
    found: dict[int, list[int]] = {}
    for place in places if step_of_link else ():
        step = step_of_link.get(rank.events.links[place])
        if step is not None:
            found.setdefault(step, []).append(place)
    return found
