"""Annotated operations of pipelines: phase, microbatch, stage and time of each, and violated needs.

On devices an operation lasts from its first to its last kernel. On threads it lasts as long as its annotation, which
often opens before the operation waits for its inputs: `work` begins it at the first computation inside.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.intervals import Interval, union
from tikzgen.base.record import NOTHING, Record
from tikzgen.schedule import KINDS, PHASES, TaskKind
from tikzgen.trace.claimed_kernels import MOST_UNCLAIMED, claim_kernels, unclaimed_share
from tikzgen.trace.event_classes import COMMUNICATION, ClassRules
from tikzgen.trace.exact_times import Time, milliseconds
from tikzgen.trace.linear_patterns import compile_pattern
from tikzgen.trace.run_model import Annotation, Parallelism, RankTrace, TraceRun
from tikzgen.trace.trace_steps import TraceStep, step_at, steps_of

Begin: TypeAlias = Literal["work", "annotation"]
Timing: TypeAlias = Literal["auto", "device", "thread"]

_KNOWN = [
    re.compile(r"PP:(?P<stage>\d+)(?P<phase>[FBIW])(?P<microbatch>\d+)"),
    re.compile(r"(?P<phase>Forward|Backward) (?P<microbatch>\d+)"),
    re.compile(r"(?P<phase>forward|backward) mb(?P<microbatch>\d+)"),
    re.compile(r"(?P<phase>[FBW])(?P<microbatch>\d+)\.(?P<chunk>\d+)\.\d+"),
    re.compile(r"(?P<phase>[FBIW])(?P<microbatch>\d+)"),
]
_NAMED_LIMIT = 5  # annotations that a message names


class MeasuredOperation(Record):
    """Operation of a rank, from `start` to `end`; its annotation was `opened` before, if both are times of a thread.

    `busy` is how long its kernels ran. Operations need each other only within a replica and a step.
    """

    phase: str
    microbatch: int
    stage: int | None
    opened: Time
    start: Time
    end: Time
    busy: Time | None = None
    step: int | None = None
    replica: tuple[int, ...] = ()
    device: str = ""

    @property
    def name(self) -> str:
        """Name in papers, such as `F3`."""
        letter = KINDS.get(self.phase) or self.phase[:1].upper()
        return f"{letter}{self.microbatch}"

    @property
    def wait(self) -> Time:
        """Time between the start of the annotation and the first computation in it."""
        return self.start - self.opened


class RankOperations(Record):
    """Operations of a rank, sorted by start; `annotated` counts them before selection, `unplaced` ones have no kernels.

    `unclaimed` is the share of computing time between the first and last operation that no operation claims, by device.
    """

    annotated: int
    found: Sequence[MeasuredOperation]
    unplaced: Mapping[str, int] = NOTHING
    unclaimed: Mapping[str, Fraction] = NOTHING
    unclaimed_events: int = 0
    """Number of events that no operation claims, communication not counted."""

    @property
    def is_complete(self) -> bool:
        """Whether idle time between the operations is known."""
        return not self.unplaced and all(share <= MOST_UNCLAIMED for share in self.unclaimed.values())


def annotated_stages(rank: RankTrace) -> frozenset[int]:
    """Return the stages that the annotations of a rank state; empty if an operation states none."""
    stages = [match.groupdict().get("stage") for _, match in _match_annotations(rank, None)]
    return frozenset(int(stage) for stage in stages if stage) if all(stages) else frozenset()


def operations_of_run(
    run: TraceRun,
    begin: Begin = "work",
    pattern: str | None = None,
    timing: Timing = "auto",
    steps: Mapping[int, TraceStep] = NOTHING,
) -> tuple[dict[int, RankOperations], bool]:
    """Return the operations of each rank, of `steps` or all, and whether they have times of devices.

    All ranks have times of one kind: of devices if an operation claims a kernel, unless `timing` is `thread`. Raise
    `TikzgenError` if the pattern is invalid or lacks a group, or no operation claims a kernel and `timing` is `device`.
    """
    found: dict[int, RankOperations] = {}
    if timing != "thread":
        found = {
            number: _operations_on_devices(rank, run.parallelism, pattern, steps.get(number))
            for number, rank in run.ranks.items()
        }
    if any(each.found for each in found.values()):
        return found, True
    if timing == "device":
        raise TikzgenError("timing: no operation has a kernel", hint="timing: thread draws times of threads")
    for number, rank in run.ranks.items():
        every = operations_of(rank, begin, pattern, parallelism=run.parallelism)
        step = steps.get(number)
        own = [each for each in every if step is None or step.start <= each.opened < step.end]
        found[number] = RankOperations(len(every), own)
    return found, False


def operations_of(
    rank: RankTrace, begin: Begin = "work", pattern: str | None = None, parallelism: Parallelism | None = None
) -> list[MeasuredOperation]:
    """Return the operations of a rank in times of its threads; `pattern` is a regular expression of the user.

    Raise `TikzgenError` if the pattern is invalid, or lacks a group.
    """
    works, steps = _works(rank) if begin == "work" else {}, steps_of(rank)
    found = []
    for annotation, match in _match_annotations(rank, pattern):
        begun = works.get(annotation.thread, [])
        first, last = (bisect_left(begun, (moment,)) for moment in (annotation.start, annotation.end))
        inside = (start for _, start in begun[first:last] if start < annotation.end)
        start = min(inside, default=annotation.start)
        found.append(
            MeasuredOperation(
                **_read_name(rank, match, parallelism or Parallelism()),
                opened=annotation.start,
                start=start,
                end=annotation.end,
                step=step_at(steps, annotation.start),
            )
        )
    return sorted(found, key=lambda each: (each.start, each.end))


def _operations_on_devices(
    rank: RankTrace, parallelism: Parallelism, pattern: str | None, chosen: TraceStep | None
) -> RankOperations:
    """Return the operations of a rank in times of its devices."""
    matched, rules, steps = _match_annotations(rank, pattern), ClassRules(), steps_of(rank)
    names = [_read_name(rank, match, parallelism) for _, match in matched]
    backward = [number for number, name in enumerate(names) if name["phase"] != "forward"]
    claimed = claim_kernels(rank, [annotation for annotation, _ in matched], rules, need_launch=backward)
    found: list[MeasuredOperation] = []
    unplaced: Counter[str] = Counter()
    hulls: defaultdict[tuple[str, int | None], list[Interval]] = defaultdict(list)
    for number, (annotation, _) in enumerate(matched):
        if chosen and not chosen.start <= annotation.start < chosen.end:
            continue
        if not claimed.get(number):
            unplaced[names[number]["phase"]] += 1
        step = step_at(steps, annotation.start)
        for each in claimed.get(number, ()):
            hulls[each.device, step].append((each.start, each.end))
            device = each.device if len(rank.devices) > 1 else ""
            found.append(
                MeasuredOperation(
                    **names[number],
                    opened=each.start,
                    start=each.start,
                    end=each.end,
                    busy=each.busy,
                    step=step,
                    device=device,
                )
            )
    spans: defaultdict[str, list[Interval]] = defaultdict(list)
    for (device, _), held in hulls.items():
        spans[device].append((min(start for start, _ in held), max(end for _, end in held)))
    every = [each for held in claimed.values() for each in held]
    shares = {device: unclaimed_share(rank, rules, every, union(held), device) for device, held in spans.items()}
    moves = [rules.of(kind) == COMMUNICATION for kind in rank.kinds]
    left = sum(not moves[kind] for kind in rank.events.kinds) - sum(len(each.places) for each in every)
    operations = sorted(found, key=lambda each: (each.start, each.end))
    return RankOperations(len(matched), operations, unplaced, shares, left)


def _match_annotations(rank: RankTrace, pattern: str | None) -> list[tuple[Annotation, Any]]:
    """Return the annotations of operations, matched by the user's pattern or the known ones.

    An operation may have several annotations, such as `PP:0F1` around `Forward 1`: the first known pattern counts.
    """
    found: list[tuple[Annotation, Any]] = []
    covered: defaultdict[tuple[str, ...], list[Interval]] = defaultdict(list)
    for known in [_pattern(pattern)] if pattern else _KNOWN:
        matched = [(each, match) for each in rank.annotations if (match := known.fullmatch(each.name))]
        merged = {key: union(held) for key, held in covered.items()} if matched else {}
        for each, match in matched:
            keys = (each.thread,), (match["phase"][:1].upper(), match["microbatch"])
            if not any(_overlaps(merged.get(key, ()), each) for key in keys):
                found.append((each, match))
                for key in keys:
                    covered[key].append((each.start, each.end))
    return sorted(found, key=lambda pair: (pair[0].start, -pair[0].end, pair[0].name))


def _overlaps(disjoint: Sequence[Interval], each: Annotation) -> bool:
    """Return whether a period overlaps one of sorted, disjoint intervals."""
    place = bisect_left(disjoint, each.end, key=lambda interval: interval[0])
    return place > 0 and disjoint[place - 1][1] > each.start


def _read_name(rank: RankTrace, match: Any, parallelism: Parallelism) -> dict[str, Any]:
    """Return phase, microbatch, stage and replica of an operation."""
    groups, number = match.groupdict(), rank.number or 0
    letter, stage = groups["phase"][:1].upper(), groups.get("stage")
    return {
        "phase": PHASES[TaskKind(letter)] if letter in KINDS.values() else groups["phase"],
        "microbatch": int(groups["microbatch"]),
        "stage": parallelism.stage_of(int(stage) if stage and stage.isdecimal() else None, number),
        "replica": parallelism.replica_of(number),
    }


def _works(rank: RankTrace) -> dict[str, list[tuple[Time, Time]]]:
    """Return the computations of each thread as pairs of call time and execution time, sorted.

    An operator executes when it is called, a kernel when the device is free. Kernels of communication are left out.
    """
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


def has_operations(rank: RankTrace) -> bool:
    """Return whether an annotation of a rank is an operation."""
    return any(known.fullmatch(each.name) for each in rank.annotations for known in _KNOWN)


def no_operations(rank: RankTrace) -> TikzgenError:
    """Return the error for annotations without operations, with the five most frequent annotations."""
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
        """Time between the end of the source and the start of the target; negative if the need is violated."""
        return self.target.start - self.source.end


def needs(operations: Iterable[MeasuredOperation]) -> Iterator[ResultNeed]:
    """Yield the needs of operations with known stages, within a replica and a step.

    A forward needs the stage before, a backward the stage after it; at the last stage, its own forward. Operations of
    unmarked steps need each other in the order of time, if both are in the trace equally often. An operation on several
    devices is one; its parts need each other in the order of time.
    """
    by_name: defaultdict[tuple[Any, ...], list[MeasuredOperation]] = defaultdict(list)
    last: defaultdict[tuple[Any, ...], int] = defaultdict(int)
    for each in operations:
        if each.stage is not None:
            where = each.replica, each.step
            by_name[(*where, each.phase, each.stage, each.microbatch)].append(each)
            last[where] = max(last[where], each.stage)
    for (*place, phase, stage, microbatch), targets in by_name.items():
        where = tuple(place)
        if phase == "forward":
            needed = phase, stage - 1
        elif phase == "weight-grad":
            needed = "input-grad", stage
        elif stage < last[where]:
            needed = phase, stage + 1
        else:
            needed = "forward", stage
        before, after = (_group_parts(each) for each in (by_name.get((*where, *needed, microbatch), ()), targets))
        if len(before) == len(after):
            yield from map(_tightest_need, before, after)


def _group_parts(operations: Sequence[MeasuredOperation]) -> list[Sequence[MeasuredOperation]]:
    """Group operations of one name by time: as many parts as the operations have devices."""
    by_start = sorted(operations, key=lambda each: each.start)
    size = len({each.device for each in operations}) or 1
    return [by_start[place : place + size] for place in range(0, len(by_start), size)]


def _tightest_need(sources: Sequence[MeasuredOperation], targets: Sequence[MeasuredOperation]) -> ResultNeed:
    """Return the need with the least slack between the parts of two operations.

    If their numbers of devices differ, only the first end and the last start are known to need each other.
    """
    if len(sources) == len(targets):
        return min(map(ResultNeed, sources, targets), key=lambda need: need.slack)
    return ResultNeed(min(sources, key=lambda each: each.end), max(targets, key=lambda each: each.start))


def find_unmet(operations: Iterable[MeasuredOperation], tolerance: Time = 0) -> list[ResultNeed]:
    """Find needs that are violated by more than `tolerance` of the clocks."""
    return [need for need in needs(operations) if need.slack < -tolerance]


def early_messages(run: TraceRun, tolerance: Time = 0) -> list[str]:
    """Describe needs and messages violated by more than `tolerance` of the clocks, the largest first."""
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
    found, _ = operations_of_run(run)
    every = [each for rank in found.values() for each in rank.found]
    for need in find_unmet(every):
        one, other = (f"{each.name} of stage {each.stage}" for each in (need.target, need.source))
        yield -need.slack, f"{one} begins {milliseconds(-need.slack)} ms before {other} ends"
