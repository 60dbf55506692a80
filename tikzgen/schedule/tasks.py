"""The words of a pipeline schedule: tasks of stages on microbatches, who runs them in which order, what each uses."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

from tikzgen.base.record import Record, replace


class TaskKind(StrEnum):
    """What is computed, by PyTorch's letters; B is I (the papers' D) and W in one."""

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
"""What the operations of each kind of task are called."""
KINDS = {phase: kind for kind, phase in PHASES.items()}


class Task(Record):
    """One kind of work on one microbatch by one stage of the model; both count from 0."""

    kind: TaskKind
    stage: int
    microbatch: int

    def __str__(self) -> str:
        return f"{self.stage}{self.kind.value}{self.microbatch}"


Cell: TypeAlias = tuple[Task, ...]
"""What runs as one: a task, or a forward and a backward whose computation and communication overlap."""


class PipelinePlan(Record):
    """For every device, the cells that it runs in order; `schedule` is the name it goes by, "" if made by hand.

    Where sequences are cut into `slices`, tasks count those in place of microbatches, one microbatch's after another's.
    """

    schedule: str
    stages: int
    microbatches: int
    cells: tuple[tuple[Cell, ...], ...]
    slices: int = 1

    @property
    def devices(self) -> int:
        """How many devices there are."""
        return len(self.cells)


def spell_cell(cell: Cell) -> str:
    """A cell as PyTorch writes it: `2F0`, or `(0F3;7B1)OVERLAP_F_B`."""
    return str(cell[0]) if len(cell) == 1 else f"({';'.join(map(str, cell))})OVERLAP_F_B"


Place: TypeAlias = tuple[int, int] | None
"""An operation's index and its device; None where there is no such operation."""


def no_places(plan: PipelinePlan) -> list[Place]:
    """Room for where each stage has each microbatch: entry stage * microbatches + microbatch."""
    return [None] * (plan.stages * plan.microbatches)


def place_of(task: Task, plan: PipelinePlan) -> int | None:
    """The entry of a task, None where the plan has no such stage or microbatch."""
    known = task.stage < plan.stages and task.microbatch < plan.microbatches
    return task.stage * plan.microbatches + task.microbatch if known else None


def sources(task: Task, plan: PipelinePlan, forwards: Sequence[Place], backwards: Sequence[Place]) -> list[Place]:
    """Where the operations stand whose results `task` uses.

    A slice goes forward after the one before it, whose keys and values it attends to, and back after the one behind
    it, whose gradients of them it sums.
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
    """The tasks whose results a task uses, where sequences are not cut and `last` is the last stage."""
    match task.kind:
        case TaskKind.FORWARD:
            return [replace(task, stage=task.stage - 1)] if task.stage else []
        case TaskKind.WEIGHT_GRAD:
            return [replace(task, kind=TaskKind.INPUT_GRAD)]
        case _:
            after = [replace(task, stage=task.stage + 1)] if task.stage < last else []
            return [replace(task, kind=TaskKind.FORWARD), *after]
