"""Microbatches in flight over time, and the phases of a pipeline's device: warm-up, steady state, cool-down."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.base.record import Record
from tikzgen.schedule.measure_schedule import in_flight
from tikzgen.schedule.operation import COMPUTE
from tikzgen.schedule.simulate import Schedule
from tikzgen.schedule.tasks import Kind

__all__ = ["Level", "Phases", "activations", "phases"]


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
