"""Terms of pipeline schedules: tasks of stages on microbatches, their order on devices, their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

from tikzgen.base.record import Record, replace


class TaskKind(StrEnum):
    """Kinds of tasks, by PyTorch's letters; B combines I (D in papers) and W."""

    FORWARD = "F"
    BACKWARD = "B"
    INPUT_GRAD = "I"
    WEIGHT_GRAD = "W"


PHASES = {
    TaskKind.FORWARD: "forward",
    TaskKind.BACKWARD: "backward",
    TaskKind.INPUT_GRAD: "input-grad",
    TaskKind.WEIGHT_GRAD: "weight-grad",
}
"""Names of operations, by kind of task."""
KINDS = {phase: kind for kind, phase in PHASES.items()}


class Task(Record):
    """Work of one kind on one microbatch by one stage of the model; both count from 0."""

    kind: TaskKind
    stage: int
    microbatch: int

    def __str__(self) -> str:
        return f"{self.stage}{self.kind.value}{self.microbatch}"


Cell: TypeAlias = tuple[Task, ...]
"""Tasks that run together: one task, or a forward and a backward whose computation and communication overlap."""


class PipelinePlan(Record):
    """Cells of every device, in order; `schedule` is the name of the schedule, "" if it has none.

    If sequences are cut into `slices`, tasks count slices instead of microbatches, microbatch by microbatch.
    """

    schedule: str
    stages: int
    microbatches: int
    cells: tuple[tuple[Cell, ...], ...]
    slices: int = 1

    @property
    def devices(self) -> int:
        """Number of devices."""
        return len(self.cells)


def spell_cell(cell: Cell) -> str:
    """Format a cell as PyTorch does: `2F0`, or `(0F3;7B1)OVERLAP_F_B`."""
    return str(cell[0]) if len(cell) == 1 else f"({';'.join(map(str, cell))})OVERLAP_F_B"


Place: TypeAlias = tuple[int, int] | None
"""Index of an operation and its device, or None without such an operation."""


def no_places(plan: PipelinePlan) -> list[Place]:
    """Return a list of empty positions with the index stage * microbatches + microbatch."""
    return [None] * (plan.stages * plan.microbatches)


def place_of(task: Task, plan: PipelinePlan) -> int | None:
    """Return the index of a task; None if the plan lacks the stage or microbatch."""
    known = task.stage < plan.stages and task.microbatch < plan.microbatches
    return task.stage * plan.microbatches + task.microbatch if known else None


def list_task_sources(
    task: Task, plan: PipelinePlan, forwards: Sequence[Place], backwards: Sequence[Place]
) -> list[Place]:
    """Return the positions of the operations whose results `task` uses.

    A slice runs forward after the previous slice, whose keys and values it attends to. It runs backward after the next
    slice, whose gradients of them it sums.
    """
    here, width, slices = place_of(task, plan), plan.microbatches, plan.slices
    if here is None:
        return []
    match task.kind:
        case TaskKind.FORWARD:
            found = [forwards[here - width]] if task.stage else []
            return [*found, forwards[here - 1]] if task.microbatch % slices else found
        case TaskKind.WEIGHT_GRAD:
            return [backwards[here]]
        case _:
            found = [forwards[here]]
            if task.stage + 1 < plan.stages:
                found.append(backwards[here + width])
            return [*found, backwards[here + 1]] if (task.microbatch + 1) % slices else found


def used_by(task: Task, last: int) -> list[Task]:
    """Return the tasks whose results a task uses, for sequences without slices and the last stage `last`."""
    match task.kind:
        case TaskKind.FORWARD:
            return [replace(task, stage=task.stage - 1)] if task.stage else []
        case TaskKind.WEIGHT_GRAD:
            return [replace(task, kind=TaskKind.INPUT_GRAD)]
        case _:
            after = [replace(task, stage=task.stage + 1)] if task.stage < last else []
            return [replace(task, kind=TaskKind.FORWARD), *after]
