"""The words of a pipeline schedule: forwards and backwards of one microbatch on one stage, and who does them when."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from tikzgen.base.record import Record

__all__ = ["Cell", "Kind", "Plan", "Task"]


class Kind(StrEnum):
    """What is computed, by PyTorch's letters; B is I (the papers' D) and W in one."""

    FORWARD = "F"
    BACKWARD = "B"
    INPUT_GRAD = "I"
    WEIGHT_GRAD = "W"


class Task(Record):
    """One kind of work on one microbatch by one stage of the model; both count from 0."""

    kind: Kind
    stage: int
    microbatch: int

    def __str__(self) -> str:
        return f"{self.stage}{self.kind.value}{self.microbatch}"


Cell: TypeAlias = tuple[Task, ...]
"""What runs as one: a task, or a forward and a backward whose computation and communication overlap."""


class Plan(Record):
    """For every device, the cells that it runs in order; `schedule` is the name it goes by, "" if made by hand."""

    schedule: str
    stages: int
    microbatches: int
    cells: tuple[tuple[Cell, ...], ...]

    @property
    def devices(self) -> int:
        """How many devices there are."""
        return len(self.cells)
