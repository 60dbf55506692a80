"""Writes one device's cells for schedules with two chunks a device: counts microbatches, remembers weight gradients."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from tikzgen.base.record import Record
from tikzgen.schedule.tasks import Cell, Kind, Task

__all__ = ["Chunk", "Script"]


class Chunk(Record):
    """A part of the model on a device: its stage, and the `count` microbatches from `first` that pass through it."""

    stage: int
    first: int
    count: int


@dataclass(slots=True)
class Script:
    """Every call appends the next microbatch of its kind; a chunk that has no microbatch left is passed over."""

    chunks: tuple[Chunk, Chunk]
    cells: list[Cell] = field(default_factory=list)
    _used: Counter[tuple[Kind, int]] = field(default_factory=Counter)
    _owed: deque[Task] = field(default_factory=deque)

    def forward(self, chunk: int) -> None:
        """A forward."""
        self._put(self._next(Kind.FORWARD, chunk))

    def backward(self, chunk: int, *, split: bool = False) -> None:
        """A full backward; with `split` its input gradient only, and the weight gradient is owed."""
        kind = Kind.INPUT_GRAD if split else Kind.BACKWARD
        task = self._next(kind, chunk)
        self._put(task)
        if split and task:
            self._owed.append(Task(Kind.WEIGHT_GRAD, task.stage, task.microbatch))

    def weight(self) -> None:
        """The weight gradient that has been owed longest, if any."""
        if self._owed:
            self._put(self._owed.popleft())

    def weights_of(self, chunk: int) -> None:
        """All weight gradients that are owed for one chunk."""
        stage = self.chunks[chunk].stage
        for _ in [task for task in self._owed if task.stage == stage]:
            self.weight_of(chunk)

    def weight_of(self, chunk: int) -> None:
        """The weight gradient that has been owed longest for one chunk, if any."""
        stage = self.chunks[chunk].stage
        task = next((task for task in self._owed if task.stage == stage), None)
        if task:
            self._owed.remove(task)
            self._put(task)

    def overlap(self, forward: int, backward: int) -> None:
        """A forward of one chunk fused with a full backward of another."""
        self._put(self._next(Kind.FORWARD, forward), self._next(Kind.BACKWARD, backward))

    def _next(self, kind: Kind, chunk: int) -> Task | None:
        # Full backwards and input gradients count together: each microbatch has one or the other.
        counted = Kind.FORWARD if kind is Kind.FORWARD else Kind.BACKWARD
        part, number = self.chunks[chunk], self._used[counted, chunk]
        self._used[counted, chunk] += 1
        return Task(kind, part.stage, part.first + number) if number < part.count else None

    def _put(self, *tasks: Task | None) -> None:
        cell = tuple(task for task in tasks if task)
        if cell:
            self.cells.append(cell)
