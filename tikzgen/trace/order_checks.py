"""What measured operations must obey, whoever measured them: nothing begins before what it needs has ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tikzgen.base.record import Record
from tikzgen.trace.annotated_operations import MeasuredOperation
from tikzgen.trace.stamps import Time


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
