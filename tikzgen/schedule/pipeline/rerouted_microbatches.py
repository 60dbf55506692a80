"""Microbatches that take the way of others: what a failed worker would run goes to its peers in other pipelines.

ReCycle (arXiv 2405.14009): pipelines that train the same model hold the same stages; the microbatches of a worker that
failed go, one after the other, to the workers of its stage that are left, and fill their bubbles, for backwards are cut
into input and weight gradients. The paper searches the order by an integer program; here whoever is free takes input
gradients first, then forwards while it holds less than p microbatches, then weight gradients, the oldest first.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from heapq import heapify, heappop, heappush

from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.pipeline.plan_to_program import program
from tikzgen.schedule.pipeline.stage_durations import costs
from tikzgen.schedule.simulate import simulate
from tikzgen.schedule.tasks import Cell, Kind, Plan, Task

_FIRST = (Kind.INPUT_GRAD, Kind.FORWARD, Kind.WEIGHT_GRAD)


def rerouted(stages: int, pipelines: int, microbatches: int, failed: Collection[int] = ()) -> Plan:
    """One step of several pipelines of so many `microbatches` each; worker i*p + s has stage s of pipeline i.

    Pipeline i has the microbatches from i*m on. `ScheduleError` where no worker of a stage is left.
    """
    home: dict[tuple[int, int], int] = {}
    for stage in range(stages):
        left = [own for i in range(pipelines) if (own := i * stages + stage) not in failed]
        if not left:
            raise ScheduleError(
                f"no worker is left that has stage {stage}", hint="more pipelines, or means: checkpoint"
            )
        moved = 0
        for number in range(pipelines * microbatches):
            own = number // microbatches * stages + stage
            if own in failed:
                own, moved = left[moved % len(left)], moved + 1
            home[stage, number] = own
    cells = _in_turns(stages, pipelines * stages, pipelines * microbatches, microbatches, home)
    return Plan("rerouted", stages, pipelines * microbatches, tuple(map(tuple, cells)))


def slowdown(stages: int, pipelines: int, microbatches: int, failed: Collection[int]) -> Fraction:
    """How many times as long a step takes when some workers failed: F = D = W, against 1F1B with all of them."""
    run = simulate(program(rerouted(stages, pipelines, microbatches, failed), costs(stages)))
    return max(Fraction(1), run.makespan / (3 * (microbatches + stages - 1)))


def _in_turns(stages: int, workers: int, numbers: int, each: int, home: dict[tuple[int, int], int]) -> list[list[Cell]]:
    """Every worker's cells; all tasks take one time unit."""
    ready: list[list[tuple[int, int, int, Task]]] = [[] for _ in range(workers)]
    cells: list[list[Cell]] = [[] for _ in range(workers)]
    held = [0] * workers

    def offer(task: Task) -> None:
        # of one kind, the oldest of its pipeline first
        key = (_FIRST.index(task.kind), task.microbatch % each, task.microbatch)
        heappush(ready[home[task.stage, task.microbatch]], (*key, task))

    for number in range(numbers):
        offer(Task(Kind.FORWARD, 0, number))
    while any(ready):
        done: list[Task] = []
        for worker, tasks in enumerate(ready):
            waiting = [] if held[worker] < stages else [one for one in tasks if one[-1].kind is Kind.FORWARD]
            if waiting:
                tasks[:] = [one for one in tasks if one[-1].kind is not Kind.FORWARD]
                heapify(tasks)
            if tasks:
                task = heappop(tasks)[-1]
                cells[worker].append((task,))
                held[worker] += {Kind.FORWARD: 1, Kind.WEIGHT_GRAD: -1}.get(task.kind, 0)
                done.append(task)
            for one in waiting:
                heappush(tasks, one)
        for task in done:
            for follower in _behind(task, stages):
                offer(follower)
    return cells


def _behind(task: Task, stages: int) -> list[Task]:
    """What can run once a task is done."""
    stage, number = task.stage, task.microbatch
    match task.kind:
        case Kind.FORWARD if stage + 1 < stages:
            return [Task(Kind.FORWARD, stage + 1, number)]
        case Kind.FORWARD:
            return [Task(Kind.INPUT_GRAD, stage, number)]
        case Kind.INPUT_GRAD:
            weight = Task(Kind.WEIGHT_GRAD, stage, number)
            return [weight, Task(Kind.INPUT_GRAD, stage - 1, number)] if stage else [weight]
        case _:
            return []
