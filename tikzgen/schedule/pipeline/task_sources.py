"""What a task of a pipeline computes with: its stage's forward, its neighbours' results, other slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tikzgen.base.record import replace
from tikzgen.schedule.operation import Kind, Plan, Task

Place: TypeAlias = tuple[int, int] | None
"""An operation's index and its device; None where there is no such operation."""


def no_places(plan: Plan) -> list[Place]:
    """Room for where each stage has each microbatch: entry stage * microbatches + microbatch."""
    return [None] * (plan.stages * plan.microbatches)


def place_of(task: Task, plan: Plan) -> int | None:
    """The entry of a task, None where the plan has no such stage or microbatch."""
    known = task.stage < plan.stages and task.microbatch < plan.microbatches
    return task.stage * plan.microbatches + task.microbatch if known else None


def sources(task: Task, plan: Plan, forwards: Sequence[Place], backwards: Sequence[Place]) -> list[Place]:
    """Where the operations stand whose results `task` uses.

    A slice goes forward after the one before it, whose keys and values it attends to, and back after the one behind
    it, whose gradients of them it sums.
    """
    here, width, slices = place_of(task, plan), plan.microbatches, plan.slices
    if here is None:
        return []
    match task.kind:
        case Kind.FORWARD:
            found = [forwards[here - width]] if task.stage else []
            return [*found, forwards[here - 1]] if task.microbatch % slices else found
        case Kind.WEIGHT_GRAD:
            return [backwards[here]]
        case _:
            found = [forwards[here]]
            if task.stage + 1 < plan.stages:
                found.append(backwards[here + width])
            return [*found, backwards[here + 1]] if (task.microbatch + 1) % slices else found


def used_by(task: Task, last: int) -> list[Task]:
    """The tasks whose results a task uses, where sequences are not cut and `last` is the last stage."""
    match task.kind:
        case Kind.FORWARD:
            return [replace(task, stage=task.stage - 1)] if task.stage else []
        case Kind.WEIGHT_GRAD:
            return [replace(task, kind=Kind.INPUT_GRAD)]
        case _:
            after = [replace(task, stage=task.stage + 1)] if task.stage < last else []
            return [replace(task, kind=Kind.FORWARD), *after]
