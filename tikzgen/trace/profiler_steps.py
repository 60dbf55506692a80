"""Steps of training, and what a device did in one: what was launched in it, for the device comes after its thread."""

from __future__ import annotations

import re
from statistics import median_low

from tikzgen.base.errors import TikzgenError, quoted
from tikzgen.base.record import Record
from tikzgen.trace.run_model import RankTrace
from tikzgen.trace.stamps import Time

_MARK = re.compile(r"(?:ProfilerStep#|iteration |iter_\d+_)(\d+)\Z")


class Step(Record):
    """A step on a rank's thread: the program's number of it, and from when to when."""

    number: int
    start: Time
    end: Time


def steps_of(rank: RankTrace) -> list[Step]:
    """The steps that the program or the profiler marked, in the order of time."""
    found = {
        int(match[1]): Step(int(match[1]), each.start, each.end)
        for each in rank.annotations
        if (match := _MARK.match(each.name)) and len(match[1]) < 10
    }
    return sorted(found.values(), key=lambda step: step.start)


def choose_step(rank: RankTrace, wanted: str | int) -> Step | None:
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
            return last if not before or _lost(rank, last) <= _lost(rank, before[-1]) else before[-1]
        case "median":
            middle = median_low(step.end - step.start for step in steps)
            return next(step for step in steps if step.end - step.start == middle)
        case int():
            chosen = next((step for step in steps if step.number == wanted), None)
            if chosen:
                return chosen
    known = ", ".join(str(step.number) for step in steps[:8]) + (", …" if len(steps) > 8 else "")
    raise TikzgenError(f"{rank.source}: there is no step {quoted(wanted)}", hint=f"the steps are {known}")


def _lost(rank: RankTrace, step: Step) -> int:
    """How many launches in a step have no event: a call that puts nothing on the device has none in any step."""
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
