"""Why nothing can run any more: a cycle of operations that wait for each other, by name."""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.schedule.operation import Lane, Program
from tikzgen.schedule.schedule_error import Deadlock

__all__ = ["deadlock"]

_MOST_NAMES = 8


def deadlock(program: Program, done: Sequence[bool]) -> Deadlock:
    """The error that names one cycle among the operations that are not `done`."""
    blockers = _blockers(program, done)
    seen: dict[int, int] = {}
    path: list[int] = []
    at = next(iter(blockers))
    while at not in seen:
        seen[at] = len(path)
        path.append(at)
        at = blockers[at]
    cycle = path[seen[at] :]
    first = cycle.index(min(cycle))
    cycle = cycle[first:] + cycle[:first]
    names = [program.operations[index].name for index in cycle]
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"… ({len(cycle) - _MOST_NAMES + 1} more)"]
    where = program.operations[cycle[0]].lanes[0].device
    return Deadlock(
        f"deadlock: on device {where}, " + " waits for ".join([*names, program.operations[cycle[0]].name]),
        cycle=tuple(cycle),
        hint=f"{len(blockers)} of {len(done)} operations never run; change the order of one of these",
    )


def _blockers(program: Program, done: Sequence[bool]) -> dict[int, int]:
    """For every blocked operation, one that it waits for: what it needs, else what stands before it on its lane."""
    blockers: dict[int, int] = {}
    last: dict[Lane, int] = {}
    for index, operation in enumerate(program.operations):
        if done[index]:
            continue
        before = [last[lane] for lane in operation.lanes if lane in last]
        needed = [need.operation for need in operation.needs if not done[need.operation]]
        if needed or before:
            blockers[index] = (needed or before)[0]
        last.update((lane, index) for lane in operation.lanes if not lane.queue)
    return blockers
