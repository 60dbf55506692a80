"""The critical path: a chain of operations, each waiting for the one before, that is as long as the schedule."""

from __future__ import annotations

from tikzgen.schedule.operation import Lane
from tikzgen.schedule.simulate import Schedule

__all__ = ["critical_path"]


def critical_path(schedule: Schedule) -> tuple[int, ...]:
    """The indices of the operations on one longest chain, from the beginning to the makespan.

    Where several let an operation begin, the chain stays on the lane if it can.
    """
    if not schedule.order:
        return ()
    before = _lane_predecessors(schedule)
    at = max(schedule.order, key=lambda index: (schedule.ends[index], -index))
    path = [at]
    while schedule.starts[at] > 0:
        source = _cause(schedule, at, before[at])
        if source is None:
            break
        path.append(source)
        at = source
    return tuple(reversed(path))


def _cause(schedule: Schedule, index: int, before: tuple[int, ...]) -> int | None:
    """What ended, or arrived, at the moment at which the operation at `index` began."""
    start = schedule.starts[index]
    for source in before:
        if schedule.ends[source] == start:
            return source
    for need in schedule.program.operations[index].needs:
        if schedule.ends[need.operation] + need.latency * schedule.scale == start:
            return need.operation
    return None


def _lane_predecessors(schedule: Schedule) -> dict[int, tuple[int, ...]]:
    last: dict[Lane, int] = {}
    found: dict[int, tuple[int, ...]] = {}
    for index in schedule.order:
        lanes = schedule.program.operations[index].lanes
        found[index] = tuple(last[lane] for lane in lanes if lane in last)
        last.update((lane, index) for lane in lanes)
    return found
