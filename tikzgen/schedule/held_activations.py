"""How many microbatches' activations a device of a pipeline holds over time."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from tikzgen.base.record import Record
from tikzgen.schedule.operation import COMPUTE
from tikzgen.schedule.simulate import Schedule
from tikzgen.schedule.tasks import Kind


class Level(Record):
    """From `start` to `end`, a device holds the activations of `count` microbatches (of each chunk)."""

    start: Fraction
    end: Fraction
    count: Fraction | int


def activations(schedule: Schedule, kept: Fraction | int = 0) -> dict[int, tuple[Level, ...]]:
    """For each device of a pipeline, the microbatches whose activations it holds, from time 0 to the makespan.

    One counts from the start of its forward to the end of its last gradient. Where it is recomputed, it counts as
    `kept` up to the recomputation; where it is offloaded, it does not from the end of the offload to the reload.
    """
    operations = schedule.operations
    lives: dict[int, dict[tuple[int, int], dict[str, int]]] = {}
    for index in schedule.order:
        operation = operations[index]
        for task in operation.tasks:
            moments = lives.setdefault(operation.lanes[0].device, {}).setdefault((task.stage, task.microbatch), {})
            if operation.kind in _MOMENTS:
                moments[operation.kind] = index
            elif task.kind is Kind.FORWARD and operation.lanes[0].stream == COMPUTE:
                moments.setdefault("forward", index)
            elif task.kind in (Kind.BACKWARD, Kind.WEIGHT_GRAD):
                moments["freed"] = index
    found = {}
    for device, microbatches in sorted(lives.items()):
        changes: dict[Fraction, Fraction | int] = {Fraction(0): 0, schedule.makespan: 0}
        for moments in microbatches.values():
            for time, change in _changes(schedule, moments, kept):
                changes[time] = changes.get(time, 0) + change
        levels, held = [], Fraction(0)
        for start, end in pairwise(sorted(changes)):
            held += Fraction(changes[start]) / schedule.program.slices
            levels.append(Level(start, end, held))
        found[device] = _merged(levels)
    return found


_MOMENTS = ("recompute", "offload", "reload")


def _changes(
    schedule: Schedule, moments: dict[str, int], kept: Fraction | int
) -> Iterator[tuple[Fraction, Fraction | int]]:
    """When a device holds more or less of one microbatch."""
    if "forward" not in moments:
        return
    again = moments.get("recompute")
    yield schedule.start(moments["forward"]), 1 if again is None else kept
    if again is not None:
        yield schedule.start(again), 1 - kept
    if "offload" in moments:
        yield schedule.end(moments["offload"]), -1
    if "reload" in moments:
        yield schedule.start(moments["reload"]), 1
    if "freed" in moments:
        yield schedule.end(moments["freed"]), -1


def _merged(levels: list[Level]) -> tuple[Level, ...]:
    """Neighbours of one height as one."""
    merged: list[Level] = []
    for level in levels:
        if merged and merged[-1].count == level.count:
            merged[-1] = Level(merged[-1].start, level.end, level.count)
        else:
            merged.append(level)
    return tuple(merged)
