"""The bubbles of a schedule: when a lane does nothing, and what it waits for."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.schedule.operation import COMPUTE, Lane
from tikzgen.schedule.simulate import Schedule

__all__ = ["Gap", "gaps"]


class Gap(Record):
    """A time in which `lane` is idle: before operation `then` (None at the end), which waits for `source`.

    `source` is the operation that is the last to let `then` begin, None where nothing does.
    """

    lane: Lane
    start: Fraction
    end: Fraction
    then: int | None
    source: int | None


def gaps(schedule: Schedule, stream: str = COMPUTE) -> tuple[Gap, ...]:
    """Every gap from time 0 to the makespan on the lanes of `stream`, lane by lane, in the order of time."""
    operations = schedule.program.operations
    lanes = [lane for lane in schedule.program.lanes() if lane.stream == stream]
    reached = dict.fromkeys(lanes, 0)
    found: dict[Lane, list[Gap]] = {lane: [] for lane in lanes}
    for index in schedule.order:
        start = schedule.starts[index]
        for lane in operations[index].lanes:
            if lane not in reached:
                continue
            if start > reached[lane]:
                begin, end = Fraction(reached[lane], schedule.scale), schedule.start(index)
                found[lane].append(Gap(lane, begin, end, index, _last_source(schedule, index)))
            reached[lane] = schedule.ends[index]
    last = max(schedule.ends, default=0)
    for lane, done in reached.items():
        if done < last:
            found[lane].append(Gap(lane, Fraction(done, schedule.scale), schedule.makespan, None, None))
    return tuple(gap for each in found.values() for gap in each)


def _last_source(schedule: Schedule, index: int) -> int | None:
    """The operation that the one at `index` needs and whose result arrives last."""
    needs = schedule.program.operations[index].needs
    arrivals = [(schedule.end(need.operation) + need.latency, need.operation) for need in needs]
    return max(arrivals)[1] if arrivals else None
