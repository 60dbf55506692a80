"""What no clock allows: operations that begin before what they need has ended, messages that arrive unsent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tikzgen.base.record import Record
from tikzgen.trace.annotated_operations import MeasuredOperation, operations_of
from tikzgen.trace.run_model import RankTrace, Run
from tikzgen.trace.stamps import Time, milliseconds


class Need(Record):
    """An operation, and one that it needs the result of."""

    source: MeasuredOperation
    target: MeasuredOperation

    @property
    def slack(self) -> Time:
        """How long after the end of the one the other begins; below 0 it cannot be so."""
        return self.target.start - self.source.end


def needs(operations: Iterable[MeasuredOperation]) -> Iterator[Need]:
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
            yield Need(source, each)


def broken(operations: Iterable[MeasuredOperation], tolerance: Time = 0) -> list[Need]:
    """The needs that are not met, by more than `tolerance`: what the clocks do not tell."""
    return [need for need in needs(operations) if need.slack < -tolerance]


def early_messages(run: Run, tolerance: Time = 0) -> list[str]:
    """What is too early by more than `tolerance`, which is what the clocks do not tell: the worst first, in words."""
    found = [*_messages(run), *_operations(run)]
    return [told for by, told in sorted(found, key=lambda each: (-each[0], each[1])) if by > tolerance]


def _messages(run: Run) -> Iterator[tuple[Time, str]]:
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


def _operations(run: Run) -> Iterator[tuple[Time, str]]:
    every = [each for rank in run.ranks.values() for each in operations_of(rank)]
    for need in broken(every):
        one, other = (f"{each.name} of stage {each.stage}" for each in (need.target, need.source))
        yield -need.slack, f"{one} begins {milliseconds(-need.slack)} ms before {other} ends"
