"""What a schedule holds over time: bubbles, microbatches in flight, the critical path."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.schedule.measure_schedule import in_flight
from tikzgen.schedule.operation import COMPUTE, Kind, Lane
from tikzgen.schedule.simulate import Schedule


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


class Level(Record):
    """From `start` to `end`, a device holds `count` microbatches (of each chunk)."""

    start: Fraction
    end: Fraction
    count: int


class Phases(Record):
    """Moments of one device: it warms up from `start` to `steady`, cools down from `cooling` to `end`.

    The first backward begins at `steady`, the last forward has ended at `cooling`; the steady state lies between if
    `cooling` is later.
    """

    start: Fraction
    steady: Fraction
    cooling: Fraction
    end: Fraction


def activations(schedule: Schedule) -> dict[int, tuple[Level, ...]]:
    """For each device of a pipeline, the microbatches in flight, from time 0 to the makespan."""
    found = {}
    for device, indices in _pipelines(schedule).items():
        operations = [schedule.program.operations[index] for index in indices]
        levels: list[Level] = []
        now, held = Fraction(0), 0
        for index, operation, count in zip(indices, operations, in_flight(operations), strict=True):
            start, end = schedule.start(index), schedule.end(index)
            levels += [*_level(now, start, held), *_level(start, end, count)]
            held = count - sum(task.kind in (Kind.BACKWARD, Kind.WEIGHT_GRAD) for task in operation.tasks)
            now = end
        found[device] = _merged([*levels, *_level(now, schedule.makespan, held)])
    return found


def phases(schedule: Schedule) -> dict[int, Phases]:
    """For each device of a pipeline that runs forwards and backwards, its phases."""
    found = {}
    for device, indices in _pipelines(schedule).items():
        kinds = {index: {task.kind for task in schedule.program.operations[index].tasks} for index in indices}
        forwards = [index for index in indices if Kind.FORWARD in kinds[index]]
        backwards = [index for index in indices if kinds[index] - {Kind.FORWARD}]
        if forwards and backwards:
            found[device] = Phases(
                schedule.start(indices[0]),
                schedule.start(backwards[0]),
                schedule.end(forwards[-1]),
                schedule.end(indices[-1]),
            )
    return found


def _pipelines(schedule: Schedule) -> dict[int, list[int]]:
    """The operations of each device that compute a pipeline's tasks, in the order of time."""
    found: dict[int, list[int]] = {}
    for index in schedule.order:
        operation = schedule.program.operations[index]
        if operation.tasks and operation.lanes[0].stream == COMPUTE:
            found.setdefault(operation.lanes[0].device, []).append(index)
    return dict(sorted(found.items()))


def _level(start: Fraction, end: Fraction, count: int) -> list[Level]:
    return [Level(start, end, count)] if start < end else []


def _merged(levels: list[Level]) -> tuple[Level, ...]:
    """Neighbours of one height as one."""
    merged: list[Level] = []
    for level in levels:
        if merged and merged[-1].count == level.count:
            merged[-1] = Level(merged[-1].start, level.end, level.count)
        else:
            merged.append(level)
    return tuple(merged)


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
