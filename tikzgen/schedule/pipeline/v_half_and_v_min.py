"""V-Half and V-Min: one pattern (building block) per microbatch, repeated every six time units.

Each device has the stages r and 2p-1-r. The block sets the times of the four tasks of a microbatch with F = D = W = 1.
A shorter block has fewer microbatches in flight: about a half, or a third, of 1F1B (arXiv 2405.15362, section 3; the
offsets are from the authors' code).

Weight gradients fill free times between blocks. Warm-up and cool-down then move to the earliest free times that do not
exceed the in-flight maximum of the blocks. This runs twice: with the weight gradients at their times, then with weight
gradients placed around the other tasks. The paper calls this reordering and squeezing; the rule here is different. Its
schedules were at least as short as those of the authors' code in every comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from tikzgen.base.record import replace
from tikzgen.schedule.tasks import Cell, Task, TaskKind, used_by

_PERIOD_STEPS = 6  # time units per microbatch
_Moments: TypeAlias = dict[Task, int]
"""Start times of tasks on a device."""
_Block: TypeAlias = Callable[[int], tuple[int, ...]]


def v_half(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of V-Half: about half of 1F1B's activations.

    At most p+2 chunks of half a stage each are in flight for an even p, p+1 for an odd one.
    """
    late = 0 if devices % 2 else 3
    return _of_blocks(
        devices,
        microbatches,
        lambda r: (2 * r, 3 * devices - 2 - r, 3 * devices - 1 + 2 * r + late, 6 * devices - 2 - r + late),
    )


def v_min(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of V-Min: about a third of 1F1B's activations.

    This is the minimum that keeps devices busy between warm-up and cool-down.
    """
    late = 0 if devices % 3 else 2
    return _of_blocks(
        devices,
        microbatches,
        lambda r: (r, 2 * devices - 1 - r, 2 * devices + r + late, 4 * devices - 1 - r + late),
    )


def _of_blocks(devices: int, microbatches: int, block: _Block) -> list[list[Cell]]:
    """List the cells of each device, from the times of F down, F up, D up and D down of microbatch 0."""
    fewer = min(microbatches, 4 * devices)  # the steady state is periodic
    last = 2 * devices - 1
    found = []
    for device in range(devices):
        stages = ((TaskKind.FORWARD, device), (TaskKind.FORWARD, last - device))
        kinds = (*stages, *((TaskKind.INPUT_GRAD, stage) for _, stage in reversed(stages)))
        moments = zip(kinds, block(device), strict=True)
        own = {Task(*kind, k): moment + _PERIOD_STEPS * k for kind, moment in moments for k in range(fewer)}
        found.append(own | _place_weight_gradients(own))
    most = max(max(_count_in_flight(own)) for own in found)
    _pull_tasks(found, most, last, weights=True)
    found = _compact_times(found, last)
    _pull_tasks(found, most, last, weights=False)
    found = _compact_times(found, last)
    lists = [sorted(own, key=own.__getitem__) for own in found]
    return [
        [(task,) for task in _repeat_steady_state(tasks, device, microbatches - fewer)]
        for device, tasks in enumerate(lists)
    ]


def _place_weight_gradients(own: _Moments) -> _Moments:
    """Return weight gradients at the first free times after their input gradients."""
    taken = set(own.values())
    found, free = {}, 0
    for task, moment in sorted(own.items(), key=lambda each: each[1]):
        if task.kind is TaskKind.INPUT_GRAD:
            free = max(free, moment + 1)
            while free in taken:
                free += 1
            found[replace(task, kind=TaskKind.WEIGHT_GRAD)] = free
            free += 1
    return found


def _count_in_flight(own: _Moments) -> list[int]:
    """Count the microbatches of each chunk in flight, by time step."""
    changes = [0] * (max(own.values()) + 2)
    for task, moment in own.items():
        if task.kind is TaskKind.FORWARD:
            changes[moment] += 1
        elif task.kind is TaskKind.WEIGHT_GRAD:
            changes[moment + 1] -= 1
    held = 0
    return [held := held + change for change in changes]


def _pull_tasks(found: list[_Moments], most: int, last: int, *, weights: bool) -> None:
    """Move warm-up and cool-down to the earliest free time step, with at most `most` in flight.

    Without `weights`, weight gradients do not block, only the cool-down moves, and weight gradients are placed again
    afterwards.
    """
    first, end = (
        found[0][Task(TaskKind.INPUT_GRAD, 0, 0)],
        max(found[0][task] for task in found[0] if _is_entering(task)),
    )
    if not weights:
        found[:] = [{task: at for task, at in own.items() if task.kind is not TaskKind.WEIGHT_GRAD} for own in found]
    home = {task: own for own in found for task in own}
    order = sorted(home, key=lambda task: (home[task][task], min(task.stage, last - task.stage)))
    steady = range(first, end + 1)
    taken = {id(own): set(own.values()) for own in found}
    for task in order:
        own = home[task]
        now = own[task]
        if now in steady or (now < first and not weights):
            continue
        used = [*used_by(task, last), *([replace(task, microbatch=task.microbatch - 1)] if task.microbatch else [])]
        earliest = max((home[each][each] + 1 for each in used), default=0)
        for moment in range(earliest, now):
            if moment not in taken[id(own)]:
                own[task] = moment
                frees = weights and task.kind is not TaskKind.FORWARD  # it frees activations
                if (
                    frees
                    or max(_count_in_flight(own if weights else own | _place_weight_gradients(own))[moment:]) <= most
                ):
                    taken[id(own)] ^= {moment, now}
                    break
                own[task] = now
    if not weights:
        found[:] = [own | _place_weight_gradients(own) for own in found]


def _is_entering(task: Task) -> bool:
    return task.kind is TaskKind.FORWARD and task.stage == 0


def _compact_times(found: list[_Moments], last: int) -> list[_Moments]:
    """Start each task as early as possible in the same orders."""
    order = sorted((moment, device, task) for device, own in enumerate(found) for task, moment in own.items())
    ends: _Moments = {}
    free = [0] * len(found)
    made: list[_Moments] = [{} for _ in found]
    for _, device, task in order:
        begin = max([free[device], *(ends[each] for each in used_by(task, last))])
        made[device][task] = begin
        ends[task] = free[device] = begin + 1
    return made


def _repeat_steady_state(tasks: list[Task], device: int, more: int) -> Iterable[Task]:
    """Repeat a device's steady state between two middle forwards for `more` microbatches."""
    if not more:
        return tasks
    middle = sum(task.kind is TaskKind.FORWARD and task.stage == device for task in tasks) // 2
    begin, end = (tasks.index(Task(TaskKind.FORWARD, device, number)) for number in (middle, middle + 1))
    turns = [replace(task, microbatch=task.microbatch + n) for n in range(more + 1) for task in tasks[begin:end]]
    return [*tasks[:begin], *turns, *(replace(task, microbatch=task.microbatch + more) for task in tasks[end:])]
