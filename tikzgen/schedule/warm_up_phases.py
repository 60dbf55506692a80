"""Warm-up, steady state and cool-down of each device, as PyTorch or Megatron-LM defines them.

- PyTorch (`Schedule1F1B`): the warm-up ends when the first backward begins, the cool-down begins when the last
  forward ends. The last of p devices has one forward in its warm-up. It fits every schedule.
- Megatron-LM (`schedules.py`): the steady state consists of pairs, a forward and then a backward. In 1F1B, p-1-r
  forwards precede it on device r. If v chunks are interleaved in groups of N microbatches, 2(p-1-r) + (v-1)N do.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import takewhile
from typing import Literal, TypeAlias

from tikzgen.base.record import Record
from tikzgen.schedule.measure_schedule import by_device
from tikzgen.schedule.operation import COMPUTE
from tikzgen.schedule.simulate import Schedule
from tikzgen.schedule.tasks import Task, TaskKind

WarmUp: TypeAlias = Literal["torch", "megatron"]
"""Source of the definition of a warm-up."""

MEGATRON_WARM_UPS: dict[str, Callable[[int], int]] = {
    "1f1b": lambda hops: hops,
    "pipedream": lambda hops: hops,
    "pipedream-2bw": lambda hops: hops,
    "interleaved-1f1b": lambda hops: 2 * hops,
}
"""Number of warm-up forwards of a device, by schedule, as a function of its hops from the last device.

Forwards of further chunks are not included."""


class Phases(Record):
    """Phases of one device: warm-up from `start` to `steady`, cool-down from `cooling` to `end`.

    Between `steady` and `cooling` is the steady state, if `cooling` is later. All are in time units.
    """

    start: Fraction
    steady: Fraction
    cooling: Fraction
    end: Fraction


def find_device_phases(schedule: Schedule, megatron: str | None = None) -> dict[int, Phases]:
    """Return the phases of each device that runs forwards and backwards, as PyTorch defines them.

    `megatron` names the schedule, one of `MEGATRON_WARM_UPS`, for Megatron-LM's definition.
    """
    own = {device: _group_by_task(schedule, indices) for device, indices in _of_tasks(schedule).items()}
    held = _held_by_chunks(list(own[min(own)])) if own else 0
    found = {}
    for device, tasks in own.items():
        forwards = [indices for task, indices in tasks.items() if task.kind is TaskKind.FORWARD]
        backwards = [indices for task, indices in tasks.items() if task.kind is not TaskKind.FORWARD]
        if not forwards or not backwards:
            continue
        steady, cooling = schedule.start(backwards[0][0]), schedule.end(forwards[-1][-1])
        if megatron:
            warmup = MEGATRON_WARM_UPS[megatron](max(own) - device) + held
            if warmup < len(forwards):
                steady = schedule.start(forwards[warmup][0])
                after = (schedule.end(each[-1]) for each in backwards if schedule.start(each[0]) >= cooling)
                cooling = next(after, cooling)
            else:
                cooling = steady
        ends = [schedule.end(indices[-1]) for indices in tasks.values()]
        found[device] = Phases(schedule.start(forwards[0][0]), steady, cooling, max(ends))
    return found


def _of_tasks(schedule: Schedule) -> dict[int, list[int]]:
    return by_device(schedule, lambda operation, lane: bool(operation.tasks) and lane.stream == COMPUTE)


def _group_by_task(schedule: Schedule, indices: list[int]) -> dict[Task, list[int]]:
    """Return the operations of each task of a device, in the order in which they run."""
    found: dict[Task, list[int]] = {}
    for index in indices:
        for task in schedule.operations[index].tasks:
            found.setdefault(task, []).append(index)
    return found


def _held_by_chunks(tasks: list[Task]) -> int:
    """Return the number of forwards that a device runs first for all chunks except one: (v-1)N."""
    forwards = [task for task in tasks if task.kind is TaskKind.FORWARD]
    group = len(list(takewhile(lambda task: task.stage == forwards[0].stage, forwards)))
    return (len({task.stage for task in forwards}) - 1) * group
