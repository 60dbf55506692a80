"""Simulator for all programs: exact start and end times of operations, and diagnosis of deadlocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from heapq import heapify, heappop, heappush
from math import lcm

from tikzgen.base.record import Record, WithCache
from tikzgen.schedule.exact_numbers import Deadlock, ScheduleError
from tikzgen.schedule.operation import Program, ScheduledOperation, ScheduleLane

_MOST_NAMES_COUNT = 8


def describe_deadlock(program: Program, done: Sequence[bool]) -> Deadlock:
    """Return the error that names one cycle among the operations that are not `done`."""
    blockers = _find_blockers(program, done)
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
    if len(names) > _MOST_NAMES_COUNT:
        names = [*names[: _MOST_NAMES_COUNT - 1], f"… ({len(cycle) - _MOST_NAMES_COUNT + 1} more)"]
    devices = [lane.device for index in cycle for lane in program.operations[index].lanes]
    where = f"on device {devices[0]}, " if devices else ""  # messages are not on a device
    return Deadlock(
        f"deadlock: {where}" + " waits for ".join([*names, program.operations[cycle[0]].name]),
        cycle=tuple(cycle),
        hint=f"{len(blockers)} of {len(done)} operations never run; change the order of one of these",
    )


def _find_blockers(program: Program, done: Sequence[bool]) -> dict[int, int]:
    """Map each blocked operation to one that it waits for: a dependency, else its predecessor on a lane."""
    blockers: dict[int, int] = {}
    last: dict[ScheduleLane, int] = {}
    for index, operation in enumerate(program.operations):
        if done[index]:
            continue
        before = [last[lane] for lane in operation.lanes if lane in last]
        needed = [need.operation for need in operation.needs if not done[need.operation]]
        if needed or before:
            blockers[index] = (needed or before)[0]
        last.update((lane, index) for lane in operation.lanes if not lane.queue)
    return blockers


class Schedule(WithCache, Record):
    """Start and end of every operation of `program`, in units of 1/`scale`.

    `order` lists the operations by start, simultaneous ones in simulation order. `forced` lists operations that began
    before their dependencies had ended (only after `simulate(…, forgiving=True)`).
    """

    program: Program
    scale: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    order: tuple[int, ...]
    forced: tuple[int, ...] = ()

    @property
    def operations(self) -> tuple[ScheduledOperation, ...]:
        """Operations of the program."""
        return self.program.operations

    def start(self, index: int) -> Fraction:
        """Return the start of the operation at `index`, in time units."""
        return self.times[self.starts[index]]

    def end(self, index: int) -> Fraction:
        """Return the end of the operation at `index`, in time units."""
        return self.times[self.ends[index]]

    @cached_property
    def times(self) -> Mapping[int, Fraction]:
        """Starts and ends in time units, by their number of units of 1/`scale`: many operations share them."""
        return {each: Fraction(each, self.scale) for each in {*self.starts, *self.ends}}

    @cached_property
    def makespan(self) -> Fraction:
        """End of the last operation, in time units."""
        return Fraction(max(self.ends, default=0), self.scale)


def simulate(program: Program, *, forgiving: bool = False) -> Schedule:
    """Run every operation as early as the order of its lanes and its dependencies allow.

    Simultaneous operations are taken in the program's order. The run time is linear in operations and dependencies,
    times the logarithm of the number of ready operations. Raise `Deadlock` if operations wait for each other; with
    `forgiving`, start the next operation of a lane anyway. Raise `ScheduleError` if an operation needs one that does
    not exist.
    """
    operations = program.operations
    count = len(operations)
    scale = _scale(program)
    waiting = [0] * count
    followers: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    numbers: dict[ScheduleLane, int] = {}
    lanes = [[numbers.setdefault(lane, len(numbers)) for lane in operation.lanes] for operation in operations]
    last: dict[int, int] = {}
    for index, operation in enumerate(operations):
        for need in operation.needs:
            if not 0 <= need.operation < count:
                raise ScheduleError(f"{operation.name} needs operation {need.operation}, which does not exist")
            followers[need.operation].append((index, _convert_to_units(need.latency, scale)))
        waiting[index] += len(operation.needs)
        for number, lane in zip(lanes[index], operation.lanes, strict=True):
            if not lane.queue:
                if number in last:
                    followers[last[number]].append((index, 0))
                    waiting[index] += 1
                last[number] = index

    ready, starts, ends = [0] * count, [0] * count, [0] * count
    free = [0] * len(numbers)
    order: list[int] = []
    forced: list[int] = []
    done = [False] * count
    heap = [(0, index) for index in range(count) if not waiting[index]]
    heapify(heap)
    while len(order) < count:
        if not heap:
            if not forgiving:
                raise describe_deadlock(program, done)
            index = _to_force(program, done)
            forced.append(index)
            heap.append((ready[index], index))
        begin, index = heappop(heap)
        if done[index]:
            continue
        begin = max([begin, *[free[number] for number in lanes[index]]])
        end = begin + _convert_to_units(operations[index].duration, scale)
        for number in lanes[index]:
            free[number] = end
        starts[index], ends[index], done[index] = begin, end, True
        order.append(index)
        for follower, latency in followers[index]:
            if end + latency > ready[follower]:
                ready[follower] = end + latency
            waiting[follower] -= 1
            if not waiting[follower]:
                heappush(heap, (ready[follower], follower))
    return Schedule(program, scale, tuple(starts), tuple(ends), tuple(order), tuple(forced))


def _scale(program: Program) -> int:
    """Return the common denominator of all times, so that the loop can count in integers."""
    denominators = {operation.duration.denominator for operation in program.operations}
    denominators |= {need.latency.denominator for operation in program.operations for need in operation.needs}
    return lcm(*denominators)


def _convert_to_units(time: Fraction, scale: int) -> int:
    return time.numerator * (scale // time.denominator)


def _to_force(program: Program, done: list[bool]) -> int:
    """Return the operation to start in a deadlock, among the next operations of their lanes.

    It is one that needs a later operation of the same lane, else the first.
    """
    taken: set[ScheduleLane] = set()
    heads: list[int] = []
    for index, operation in enumerate(program.operations):
        if not done[index]:
            if not taken.intersection(lane for lane in operation.lanes if not lane.queue):
                heads.append(index)
            taken.update(operation.lanes)
    for index in heads:
        own = set(program.operations[index].lanes)
        needed = (
            program.operations[need.operation] for need in program.operations[index].needs if not done[need.operation]
        )
        if any(own.intersection(each.lanes) for each in needed):
            return index
    return heads[0]


def schedule_at(placed: Iterable[tuple[Fraction, ScheduledOperation]]) -> Schedule:
    """Build a schedule from operations with their starts, in chronological order, ties in the given order."""
    found = sorted(placed, key=lambda each: each[0])
    scale = lcm(*(time.denominator for start, operation in found for time in (start, operation.duration)))
    starts = tuple(int(start * scale) for start, _ in found)
    ends = tuple(int((start + operation.duration) * scale) for start, operation in found)
    return Schedule(Program(tuple(operation for _, operation in found)), scale, starts, ends, tuple(range(len(found))))
