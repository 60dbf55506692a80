"""Operations of pipelines that programs annotate: phase, microbatch and stage of each, from when to when.

An annotation often opens before the operation waits for what it needs. `work` begins an operation at the first thing
that is computed inside, by its thread or by a kernel that this launched; `annotation` takes it as it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, TypeAlias

from tikzgen.base.errors import TikzgenError, quoted
from tikzgen.base.record import Record
from tikzgen.schedule.operation import Kind
from tikzgen.schedule.pipeline.pieces import KINDS, PHASES
from tikzgen.trace.event_classes import COMMUNICATION, ClassRules
from tikzgen.trace.run_model import Annotation, RankTrace
from tikzgen.trace.stamps import Time

Begin: TypeAlias = Literal["work", "annotation"]

_KNOWN = (
    r"PP:(?P<stage>\d+)(?P<phase>[FBIW])(?P<microbatch>\d+)",
    r"(?P<phase>Forward|Backward) (?P<microbatch>\d+)",
    r"(?P<phase>forward|backward) mb(?P<microbatch>\d+)",
    r"(?P<phase>[FBW])(?P<microbatch>\d+)\.(?P<chunk>\d+)\.\d+",
    r"(?P<phase>[FBIW])(?P<microbatch>\d+)",
)
_AT_MOST = 5


class MeasuredOperation(Record):
    """One operation of a rank; `opened` is when its annotation began, `start` when its work did."""

    phase: str
    microbatch: int
    stage: int
    opened: Time
    start: Time
    end: Time

    @property
    def name(self) -> str:
        """As people write it: `F3`."""
        letter = KINDS.get(self.phase) or self.phase[:1].upper()
        return f"{letter}{self.microbatch}"

    @property
    def wait(self) -> Time:
        """How long it waited, inside of its annotation."""
        return self.start - self.opened


def operations_of(rank: RankTrace, begin: Begin = "work", pattern: str | None = None) -> list[MeasuredOperation]:
    """The operations of a rank, in the order of time; `pattern` is a regular expression of the user's.

    Raises:
        TikzgenError: the pattern is none, or lacks a group.
    """
    patterns = [_pattern(pattern)] if pattern else [re.compile(each) for each in _KNOWN]
    found = []
    for known in patterns:
        found = [(each, match) for each in rank.annotations if (match := known.fullmatch(each.name))]
        if found:
            break
    works = _works(rank) if begin == "work" else {}
    return sorted(_operations(rank, found, works), key=lambda each: (each.start, each.end))


def _operations(
    rank: RankTrace, found: list[tuple[Annotation, re.Match[str]]], works: dict[str, list[tuple[Time, Time]]]
) -> Iterator[MeasuredOperation]:
    for annotation, match in found:
        groups = match.groupdict()
        letter = groups["phase"][:1].upper()
        phase = PHASES[Kind(letter)] if letter in KINDS.values() else groups["phase"]
        stage = groups.get("stage")
        begun = works.get(annotation.thread, [])
        first, last = (bisect_left(begun, (moment,)) for moment in (annotation.start, annotation.end))
        inside = (start for _, start in begun[first:last] if start < annotation.end)
        yield MeasuredOperation(
            phase,
            int(groups["microbatch"]),
            int(stage) if stage and stage.isdecimal() else rank.number or 0,
            annotation.start,
            min(inside, default=annotation.start),
            annotation.end,
        )


def _works(rank: RankTrace) -> dict[str, list[tuple[Time, Time]]]:
    """By thread, in order, when something was begun and when it ran: operators at once, kernels once the device is
    free. Kernels that communicate are no work: they wait for each other."""
    found: dict[str, list[tuple[Time, Time]]] = {thread: [] for thread in rank.threads}
    for start, thread in zip(rank.operators.starts, rank.operators.threads, strict=True):
        found[rank.threads[thread]].append((start, start))
    events, rules = rank.events, ClassRules()
    works = [rules.of(kind) != COMMUNICATION for kind in rank.kinds]
    ran = {
        link: start
        for link, start, kind in zip(events.links, events.starts, events.kinds, strict=True)
        if link and works[kind]
    }
    launches = rank.launches
    for start, thread, link in zip(launches.starts, launches.threads, launches.links, strict=True):
        if link in ran:
            found[rank.threads[thread]].append((start, ran[link]))
    for begun in found.values():
        begun.sort()
    return found


def _pattern(spelt: str) -> re.Pattern[str]:
    try:
        pattern = re.compile(spelt)
    except re.error as error:
        raise TikzgenError(f"operations: {quoted(spelt)} is no regular expression: {error.msg}") from None
    missing = {"phase", "microbatch"} - pattern.groupindex.keys()
    if missing:
        message = f"operations: {quoted(spelt)} has no group {quoted(min(missing))}"
        raise TikzgenError(message, hint=r"as in (?P<phase>[FB])(?P<microbatch>\d+)")
    return pattern


def no_operations(rank: RankTrace) -> TikzgenError:
    """What to say where no annotation is an operation: the five most frequent are."""
    counts: dict[str, int] = {}
    for each in rank.annotations:
        counts[each.name] = counts.get(each.name, 0) + 1
    most = sorted(counts, key=lambda name: (-counts[name], name))[:_AT_MOST]
    there = "the most frequent annotations are " + ", ".join(map(quoted, most)) if most else "nothing is annotated"
    hint = r"operations: (?P<phase>[FB])(?P<microbatch>\d+) says how they are named"
    return TikzgenError(f"{rank.source}: no annotation is known as an operation; {there}", hint=hint)
