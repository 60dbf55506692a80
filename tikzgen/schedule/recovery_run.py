"""Training with failures: lost work, repeated work, and the share of useful time.

- checkpoint: the state is saved every k steps. A failure loses all work since the last save, and the whole job
  restarts.
- redundant: every step takes longer, because each worker also computes some work of its neighbor. A failure costs the
  current step and a failover, without a restart (Bamboo, NSDI 2023, arXiv 2204.12013).
- rerouted: the worker does not return, and its peers in other pipelines take its microbatches. A failure costs the
  current step and a failover, and later steps take longer (ReCycle, SOSP 2024, arXiv 2405.14009).

Pipelines that train the same model have the same stages. With all workers, each runs 1F1B. The microbatches of a
failed worker are distributed round-robin over the remaining workers of its stage. They fill bubbles, because backwards
are split into input and weight gradients; a step with few microbatches can even become shorter.

The paper finds the order by an integer program. Here, a free worker takes input gradients first, then forwards while
it holds fewer than p microbatches, then weight gradients, the oldest first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.record import Record, replace
from tikzgen.schedule.exact_numbers import ScheduleError, check_operation_count
from tikzgen.schedule.operation import ScheduledOperation, ScheduleLane
from tikzgen.schedule.pipeline.gpipe_1f1b_and_zero_bubble import one_f_one_b
from tikzgen.schedule.pipeline.hanayo_and_list_scheduling import as_they_come
from tikzgen.schedule.pipeline.pipeline_costs import make_costs
from tikzgen.schedule.pipeline.plan_to_program import build_program
from tikzgen.schedule.simulate import Schedule, schedule_at, simulate
from tikzgen.schedule.tasks import PipelinePlan, Task, TaskKind

Means: TypeAlias = Literal["checkpoint", "redundant", "rerouted"]


class TrainingStretch(Record):
    """Period of all workers: a step, the lost part of a step, or a save; `number` is the number of the step.

    A restart belongs to the failed `worker`, for which all others wait. Workers in `out` do not return.
    """

    kind: str
    start: Fraction
    end: Fraction
    number: int
    worker: int | None = None
    out: frozenset[int] = frozenset()


class Survived(Record):
    """All periods in chronological order, and the failures during the run, with their times and workers."""

    schedule: Schedule
    pieces: tuple[TrainingStretch, ...]
    failures: tuple[tuple[Fraction, int], ...]

    def time_spent(self, kind: str) -> Fraction:
        """Return the total duration of the periods of one kind."""
        return sum((piece.end - piece.start for piece in self.pieces if piece.kind == kind), Fraction(0))


def simulate_recovery(
    means: Means,
    failures: Sequence[tuple[Fraction, int]],
    *,
    workers: int,
    steps: int,
    step: Fraction,
    every: int,
    save: Fraction,
    restart: Fraction,
    redundancy: Fraction,
    failover: Fraction,
    pace: Callable[[frozenset[int]], Fraction] = lambda out: Fraction(1),
) -> Survived:
    """Simulate training until `steps` steps are done; a failure at the end of a period is after it.

    With rerouted microbatches, a step lasts `pace(out)` times as long while the workers `out` are missing.
    """
    check_operation_count(workers * (steps + 4 * len(failures) * max(every, 1)))
    coming = deque(sorted(failures))
    met: list[tuple[Fraction, int]] = []
    pieces: list[TrainingStretch] = []
    now, done, saved, first = Fraction(0), 0, 0, 0  # `first`: index of the first unsaved period
    out: frozenset[int] = frozenset()
    time = step + redundancy if means == "redundant" else step
    while done < steps:
        saving = means == "checkpoint" and every > 0 and done - saved == every
        end = now + (save if saving else time)
        failed = _take_next_failure(coming, out, end)
        if failed is None:
            pieces.append(TrainingStretch("save" if saving else "step", now, end, done, out=out))
            now, done = end, done if saving else done + 1
            if saving:
                saved, first = done, len(pieces)
            continue
        if failed[0] > now:
            pieces.append(TrainingStretch("save" if saving else "lost", now, failed[0], done, out=out))
        wait = failover
        if means == "checkpoint":
            pieces[first:] = [replace(each, kind="lost") if each.kind == "step" else each for each in pieces[first:]]
            wait, done = restart, saved
        now = max(now, failed[0])
        while failed is not None:
            met.append(failed)
            out |= {failed[1]} if means == "rerouted" else set()
            again = _take_next_failure(coming, out, now + wait)  # a failure during the restart
            back = now + wait if again is None else max(now, again[0])
            if back > now:
                pieces.append(TrainingStretch("restart", now, back, done, worker=failed[1]))
            now, failed = back, again
        time = step * pace(out) if out else time
        first = len(pieces)
    schedule = schedule_at(
        (
            piece.start,
            ScheduledOperation(
                f"{piece.kind} {piece.number}",
                piece.kind,
                tuple(map(ScheduleLane, set(range(workers)) - piece.out if piece.worker is None else [piece.worker])),
                piece.end - piece.start,
                number=piece.number,
            ),
        )
        for piece in pieces
    )
    return Survived(schedule, tuple(pieces), tuple(met))


def _take_next_failure(
    coming: deque[tuple[Fraction, int]], out: Collection[int], before: Fraction
) -> tuple[Fraction, int] | None:
    """Return the next failure before a time, ignoring workers that are out; None without such a failure."""
    while coming and coming[0][1] in out:
        coming.popleft()
    return coming.popleft() if coming and coming[0][0] < before else None


_FIRST = (TaskKind.INPUT_GRAD, TaskKind.FORWARD, TaskKind.WEIGHT_GRAD)


def reroute_pipelines(stages: int, pipelines: int, microbatches: int, failed: Collection[int] = ()) -> PipelinePlan:
    """Plan one step of several pipelines around failed workers; worker i*p + s has stage s of pipeline i.

    Pipeline i has the microbatches from i*m on. Raise `ScheduleError` if no worker of a stage remains.
    """
    homes: dict[tuple[int, int], int] = {}
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
            homes[stage, number] = own

    def find_home(task: Task) -> int:
        return homes[task.stage, task.microbatch]

    def rank(task: Task) -> tuple[int, int, int]:
        # within a kind, the oldest microbatch of a pipeline first
        return _FIRST.index(task.kind), task.microbatch % microbatches, task.microbatch

    every = pipelines * microbatches
    cells = as_they_come(pipelines * stages, stages, every, TaskKind.INPUT_GRAD, find_home, rank, most=stages)
    return PipelinePlan("rerouted", stages, every, tuple(map(tuple, cells)))


def plan_full_pipelines(stages: int, pipelines: int, microbatches: int) -> PipelinePlan:
    """Plan one step of several pipelines with all workers: each runs 1F1B with its microbatches."""
    cells = [
        tuple((replace(task, microbatch=task.microbatch + pipeline * microbatches),) for (task,) in row)
        for pipeline in range(pipelines)
        for row in one_f_one_b(stages, microbatches, 1)
    ]
    return PipelinePlan("1f1b", stages, pipelines * microbatches, tuple(cells))


def measure_slowdown(stages: int, pipelines: int, microbatches: int, failed: Collection[int]) -> Fraction:
    """Return the ratio of the step time with failed workers to that without failures, for F = D = W."""
    plans = (
        reroute_pipelines(stages, pipelines, microbatches, failed),
        plan_full_pipelines(stages, pipelines, microbatches),
    )
    after, before = (simulate(build_program(plan, make_costs(stages))).makespan for plan in plans)
    return after / before
