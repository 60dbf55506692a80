"""Operations of pipelines that programs annotate: phase, microbatch and stage of each; and what no clock allows.

An annotation often opens before the operation waits for what it needs. `work` begins an operation at the first thing
that is computed inside, by its thread or by a kernel that this launched; `annotation` takes it as it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.record import Record
from tikzgen.schedule import KINDS, PHASES, TaskKind
from tikzgen.trace.event_classes import COMMUNICATION, ClassRules
from tikzgen.trace.exact_times import Time, milliseconds
from tikzgen.trace.linear_patterns import compile_pattern
from tikzgen.trace.run_model import Annotation, RankTrace, TraceRun

Begin: TypeAlias = Literal["work", "annotation"]

_KNOWN = (
    r"PP:(?P<stage>\d+)(?P<phase>[FBIW])(?P<microbatch>\d+)",
    r"(?P<phase>Forward|Backward) (?P<microbatch>\d+)",
    r"(?P<phase>forward|backward) mb(?P<microbatch>\d+)",
    r"(?P<phase>[FBW])(?P<microbatch>\d+)\.(?P<chunk>\d+)\.\d+",
    r"(?P<phase>[FBIW])(?P<microbatch>\d+)",
)
_NAMED_LIMIT = 5  # annotations that a message names


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

    `TikzgenError` where the pattern is none, or lacks a group.
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
    rank: RankTrace, found: list[tuple[Annotation, Any]], works: dict[str, list[tuple[Time, Time]]]
) -> Iterator[MeasuredOperation]:
    for annotation, match in found:
        groups = match.groupdict()
        letter = groups["phase"][:1].upper()
        phase = PHASES[TaskKind(letter)] if letter in KINDS.values() else groups["phase"]
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


def _pattern(spelt: str) -> Any:
    pattern = compile_pattern(spelt, "operations")
    missing = {"phase", "microbatch"} - pattern.groupindex.keys()
    if missing:
        message = f"operations: {quote(spelt)} has no group {quote(min(missing))}"
        raise TikzgenError(message, hint=r"as in (?P<phase>[FB])(?P<microbatch>\d+)")
    return pattern


def no_operations(rank: RankTrace) -> TikzgenError:
    """What to say where no annotation is an operation: the five most frequent are."""
    counts: dict[str, int] = {}
    for each in rank.annotations:
        counts[each.name] = counts.get(each.name, 0) + 1
    most = sorted(counts, key=lambda name: (-counts[name], name))[:_NAMED_LIMIT]
    there = "the most frequent annotations are " + ", ".join(map(quote, most)) if most else "nothing is annotated"
    hint = r"operations: (?P<phase>[FB])(?P<microbatch>\d+) says how they are named"
    return TikzgenError(f"{rank.source}: no annotation is known as an operation; {there}", hint=hint)


class ResultNeed(Record):
    """An operation, and one that it needs the result of."""

    source: MeasuredOperation
    target: MeasuredOperation

    @property
    def slack(self) -> Time:
        """How long after the end of the one the other begins; below 0 it cannot be so."""
        return self.target.start - self.source.end


def needs(operations: Iterable[MeasuredOperation]) -> Iterator[ResultNeed]:
    """Forwards need the stage before, backwards the one after; at the last stage, their own forward."""
    by_name: Mapping[tuple[str, int, int], MeasuredOperation] = {
        (each.phase, each.stage, each.microbatch): each for each in operations
    }
    last = max((stage for _, stage, _ in by_name), default=0)
    for (phase, stage, microbatch), each in by_name.items():
        if phase == "forward":
            source = by_name.get((phase, stage - 1, microbatch))
        elif phase == "weight-grad":
            source = by_name.get(("input-grad", stage, microbatch))
        elif stage < last:
            source = by_name.get((phase, stage + 1, microbatch))
        else:
            source = by_name.get(("forward", stage, microbatch))
        if source is not None:
            yield ResultNeed(source, each)


def find_unmet(operations: Iterable[MeasuredOperation], tolerance: Time = 0) -> list[ResultNeed]:
    """Find needs that are violated by more than `tolerance` of the clocks."""
    return [need for need in needs(operations) if need.slack < -tolerance]


def early_messages(run: TraceRun, tolerance: Time = 0) -> list[str]:
    """What is too early by more than `tolerance`, which is what the clocks do not tell: the worst first, in words."""
    found = [*_messages(run), *_early_operations(run)]
    return [told for by, told in sorted(found, key=lambda each: (-each[0], each[1])) if by > tolerance]


def _messages(run: TraceRun) -> Iterator[tuple[Time, str]]:
    sent = {
        (group, source, target, number): start
        for rank in run.ranks.values()
        for group, source, target, number, start, _ in _ends(rank, "send")
    }
    for rank in run.ranks.values():
        for group, source, target, number, _, end in _ends(rank, "recv"):
            start = sent.get((group, source, target, number))
            if start is not None and end < start:
                message = f"message {number} from rank {source} has arrived at rank {target}"
                yield start - end, f"{message} {milliseconds(start - end)} ms before it is sent"


def _ends(rank: RankTrace, name: str) -> Iterator[tuple[str, int, int, int, Time, Time]]:
    for place, each in rank.collectives.items():
        if each.name == name and each.source is not None and each.target is not None:
            times = rank.events.starts[place], rank.events.ends[place]
            yield each.group, each.source, each.target, each.number, *times


def _early_operations(run: TraceRun) -> Iterator[tuple[Time, str]]:
    every = [each for rank in run.ranks.values() for each in operations_of(rank)]
    for need in find_unmet(every):
        one, other = (f"{each.name} of stage {each.stage}" for each in (need.target, need.source))
        yield -need.slack, f"{one} begins {milliseconds(-need.slack)} ms before {other} ends"
