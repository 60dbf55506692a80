"""List scheduling: a free device runs the first ready task, by an order of kinds and chunks.

- Hanayo's waves: every device holds v chunks, so that the model goes down and up the devices (arXiv 2308.15762).
- Microbatches of failed workers, which their peers take (ReCycle: `recovery_run`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count
from math import inf

from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.tasks import Cell, Task, TaskKind

_LASTS = {TaskKind.FORWARD: 1, TaskKind.BACKWARD: 2, TaskKind.INPUT_GRAD: 1, TaskKind.WEIGHT_GRAD: 1}
_Ready = tuple[int | tuple[int, ...], int, Task]
"""A task by its rank, and by how many became ready before it."""
_HOLDS = {TaskKind.FORWARD: 1, TaskKind.WEIGHT_GRAD: -1}


def list_hanayo_cells(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of Hanayo: the model goes down and up the devices once for every two chunks (a wave).

    A device prefers backwards, in the order of chunks, then forwards in reverse order of chunks. One wave is Chimera
    folded in the middle, without its second copy of the weights. Its duration equals that of Chimera with twice as
    many devices and microbatches. Raise `ScheduleError` for an odd number of chunks, or more than p microbatches.
    """
    if chunks % 2:
        raise ScheduleError(f"hanayo goes down and up: {chunks} chunks are odd", hint=f"chunks: {chunks + 1}")
    if microbatches > devices:
        raise ScheduleError(
            f"hanayo's waves are of at most p = {devices} microbatches, not {microbatches}: its paper has no order for "
            "more",
            hint=f"microbatches: {devices}",
        )
    order = [(TaskKind.BACKWARD, c) for c in range(chunks)] + [(TaskKind.FORWARD, c) for c in reversed(range(chunks))]
    places = {choice: place for place, choice in enumerate(order)}

    def find_device(task: Task) -> int:
        turn, place = divmod(task.stage, devices)
        return devices - 1 - place if turn % 2 else place

    def rank(task: Task) -> int:
        return places[task.kind, task.stage // devices]

    return as_they_come(devices, devices * chunks, microbatches, TaskKind.BACKWARD, find_device, rank)


def as_they_come(
    workers: int,
    stages: int,
    microbatches: int,
    back: TaskKind,
    home: Callable[[Task], int],
    rank: Callable[[Task], int | tuple[int, ...]],
    most: float = inf,
) -> list[list[Cell]]:
    """List the cells of each worker by list scheduling.

    A forward and each half of a backward last one time unit, a full backward two. `back` is the kind of task that
    follows a forward of the last stage. A worker runs the ready task of least `rank`; among equal ranks, the first
    that became ready. It starts no forward while it holds `most` microbatches.
    """
    ready: list[list[_Ready]] = [[] for _ in range(workers)]
    cells: list[list[Cell]] = [[] for _ in range(workers)]
    held, free = [0] * workers, [0] * workers
    ended = {0: [Task(TaskKind.FORWARD, -1, number) for number in range(microbatches)]}  # by end time
    moments, numbers = [0], count()
    while moments:
        now = heappop(moments)
        for done in ended.pop(now):
            for follower in _list_followers(done, stages, back):
                heappush(ready[home(follower)], (rank(follower), next(numbers), follower))
        for worker, waiting in enumerate(ready):
            task = None if free[worker] > now else _take_first(waiting, forward=held[worker] < most)
            if task is None:
                continue
            cells[worker].append((task,))
            held[worker] += _HOLDS.get(task.kind, 0)
            free[worker] = end = now + _LASTS[task.kind]
            if end not in ended:
                heappush(moments, end)
            ended.setdefault(end, []).append(task)
    return cells


def _take_first(waiting: list[_Ready], *, forward: bool) -> Task | None:
    """Remove and return the first task of a heap, or without `forward` the first that is not a forward."""
    passed = []
    found = None
    while waiting and found is None:
        entry = heappop(waiting)
        if forward or entry[-1].kind is not TaskKind.FORWARD:
            found = entry[-1]
        else:
            passed.append(entry)
    for entry in passed:
        heappush(waiting, entry)
    return found


def _list_followers(task: Task, stages: int, back: TaskKind) -> Iterator[Task]:
    """Yield the tasks that can run after a task."""
    stage, number = task.stage, task.microbatch
    if task.kind is TaskKind.FORWARD:
        yield Task(TaskKind.FORWARD, stage + 1, number) if stage + 1 < stages else Task(back, stage, number)
    elif task.kind is not TaskKind.WEIGHT_GRAD:
        if task.kind is TaskKind.INPUT_GRAD:
            yield Task(TaskKind.WEIGHT_GRAD, stage, number)
        if stage:
            yield Task(back, stage - 1, number)
