"""Cells taken apart: what comes before and behind the task of a stage, what travels beside it, and what leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import zip_longest

from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.operation import COMMUNICATION, COMPUTE, NOTHING, Lane, Need, Operation
from tikzgen.schedule.pipeline.stage_durations import Around, Costs
from tikzgen.schedule.tasks import PHASES, Cell, Kind, Place, Plan, Task, no_places, place_of, sources, spell_cell


class Piece(Record):
    """A part of what a cell does, for one task or for the two of a fused cell.

    `sent` says that what other stages wait for is there when it ends.
    """

    kind: str
    time: Fraction
    tasks: Cell
    stream: str = COMPUTE
    sent: bool = False


def taken_apart(plan: Plan, costs: Costs, around: Around) -> tuple[Operation, ...]:
    """The operations of all cells in their pieces, device after device; each piece waits for the one before it.

    `ScheduleError` for tokens that travel in cells whose duration is given as a whole.
    """
    if around.travels and costs.overlapped is not None:
        raise ScheduleError(
            "overlapped: how long cells of two take follows from what travels in them", hint="leave overlapped out"
        )
    if around.travels and costs.p2p != "async":
        raise ScheduleError("p2p: tokens that travel to experts go beside messages", hint="p2p: async")
    weave = _Weave(plan, costs, around)
    for device, cells in enumerate(plan.cells):
        weave.device(device, cells)
    return tuple(weave.resolved())


@dataclass(slots=True)
class _Weave:
    plan: Plan
    costs: Costs
    around: Around
    made: list[Operation] = field(default_factory=list)
    beginning: dict[int, list[Task]] = field(default_factory=dict)  # by operation, the tasks that begin with it
    forwards: list[Place] = field(default_factory=list)
    backwards: list[Place] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.forwards, self.backwards = no_places(self.plan), no_places(self.plan)

    def device(self, device: int, cells: tuple[Cell, ...]) -> None:
        """Everything that one device does."""
        leaving = self._leaving(cells)
        ends: list[int] = []  # what the cells before computed last
        gone: dict[tuple[int, int], int] = {}
        done: list[int] = []  # what ends the cell before: what travels for one cell does so in its time
        for cell in cells:
            back: dict[Task, int] = {}
            for task in cell:
                key = (task.stage, task.microbatch)
                if key in gone and task.kind in (Kind.BACKWARD, Kind.INPUT_GRAD):
                    # as soon as the operation before it may begin
                    needs = [gone.pop(key), *ends[-2:-1]]
                    back[task] = self._move("reload", device, task, self.around.reload, needs)
            last, computed = dict(back), 0
            for piece in self._pieces(cell):
                index = self._add(device, piece, last, back, done)
                last |= dict.fromkeys(piece.tasks, index)
                computed = index if piece.stream == COMPUTE else computed
            ends.append(computed)
            done = [last[task] for task in cell] if self.around.travels else []
            for task in cell:
                if task.kind is Kind.FORWARD and (task.stage, task.microbatch) in leaving:
                    moved = self._move("offload", device, task, self.around.offload, [last[task]])
                    gone[task.stage, task.microbatch] = moved

    def resolved(self) -> Iterator[Operation]:
        """The operations, each with what it waits for in other cells."""
        for index, operation in enumerate(self.made):
            device = operation.lanes[0].device
            needs = list(operation.needs)
            for task in self.beginning.get(index, ()):
                for place in sources(task, self.plan, self.forwards, self.backwards):
                    if place is not None and place[0] != index:
                        latency = self.costs.between(place[1], device) if place[1] != device else NOTHING
                        needs.append(Need(place[0], latency))
            yield Operation(
                operation.name,
                operation.kind,
                operation.lanes,
                operation.duration,
                tuple(dict.fromkeys(needs)),
                operation.number,
                operation.tasks,
                operation.parts,
            )

    def _leaving(self, cells: tuple[Cell, ...]) -> set[tuple[int, int]]:
        """The stages and microbatches whose activations leave: between forward and backward something else runs."""
        if not (self.around.offload or self.around.reload):
            return set()
        began: dict[tuple[int, int], int] = {}
        found = set()
        for position, cell in enumerate(cells):
            for task in cell:
                key = (task.stage, task.microbatch)
                if task.kind is Kind.FORWARD:
                    began[key] = position
                elif task.kind is not Kind.WEIGHT_GRAD and position - began.get(key, position) > 1:
                    found.add(key)
        return found

    def _move(self, kind: str, device: int, task: Task, time: Fraction, needs: Iterable[int]) -> int:
        waits = tuple(map(Need, needs))
        number = task.microbatch // self.plan.slices
        self.made.append(Operation(f"{kind} of {task}", kind, (Lane(device, kind),), time, waits, number, (task,)))
        return len(self.made) - 1

    def _add(self, device: int, piece: Piece, last: dict[Task, int], back: dict[Task, int], done: Iterable[int]) -> int:
        """Append a piece, which waits for the piece of its task before it, or for what the task computes with and for
        what is `done` before its cell."""
        index = len(self.made)
        begin = [task for task in piece.tasks if last.get(task) == back.get(task)]
        if begin:
            self.beginning[index] = begin
        if piece.sent:
            for task in piece.tasks:
                place = place_of(task, self.plan)
                if place is not None and task.kind is not Kind.WEIGHT_GRAD:
                    (self.forwards if task.kind is Kind.FORWARD else self.backwards)[place] = (index, device)
        task = piece.tasks[0]
        plain = piece.kind in (PHASES[task.kind], "overlapped")
        self.made.append(
            Operation(
                spell_cell(piece.tasks) if plain else f"{piece.kind} of {task}",
                piece.kind,
                (Lane(device, piece.stream),),
                piece.time,
                tuple(map(Need, [*(last[each] for each in piece.tasks if each in last), *(done if begin else ())])),
                task.microbatch // self.plan.slices,
                piece.tasks,
                tuple(map(self.costs.alone, piece.tasks)) if len(piece.tasks) > 1 else (),
            )
        )
        return index

    def _pieces(self, cell: Cell) -> Iterator[Piece]:
        """The pieces of a cell in their order; of a fused one, the backward's and the forward's take turns."""
        if len(cell) == 1:
            yield from self._of(cell[0])
            return
        chains = [list(self._of(task)) for task in reversed(cell)]
        if self.around.travels:
            for turn in zip_longest(*map(_turns, chains), fillvalue=()):
                yield from (piece for part in turn for piece in part)
            return
        # its two main pieces are one
        places = [next(i for i, piece in enumerate(chain) if piece.sent) for chain in chains]
        for chain, place in zip(chains, places, strict=True):
            yield from chain[:place]
        yield Piece("overlapped", self.costs.of(cell), cell, sent=True)
        for chain, place in zip(chains, places, strict=True):
            yield from chain[place + 1 :]

    def _of(self, task: Task) -> Iterator[Piece]:
        """The pieces of one task."""
        around, tasks = self.around, (task,)
        first, last = task.stage == 0, task.stage == self.plan.stages - 1
        if task.kind is Kind.WEIGHT_GRAD:
            yield Piece("weight-grad", self.costs.alone(task), tasks, sent=True)
            return
        forward = task.kind is Kind.FORWARD
        before: list[tuple[str, Fraction]] = []
        behind: list[tuple[str, Fraction]] = []
        if first:
            (before if forward else behind).append(("embedding", around.embedding[not forward]))
        if last:
            (behind if forward else before).append(("vocabulary", around.vocabulary[not forward]))
        if last and forward:
            behind.append(("loss", around.loss))
        if around.recompute is not None and not forward:
            row = around.recompute[task.stage]
            before.append(("recompute", row[task.microbatch if len(row) > 1 else 0]))
        yield from (Piece(kind, time, tasks) for kind, time in before if time)
        yield from self._stage(task)
        yield from (Piece(kind, time, tasks) for kind, time in behind if time)

    def _stage(self, task: Task) -> Iterator[Piece]:
        """A stage's own work: as a whole, or before, in and behind its experts, with what travels in between."""
        kind, time, tasks = PHASES[task.kind], self.costs.alone(task), (task,)
        around = self.around
        if not around.travels:
            yield Piece(kind, time, tasks, sent=True)
            return
        experts = Piece(kind, time * around.experts, tasks)
        there = Piece("dispatch", around.dispatch, tasks, COMMUNICATION)
        back = Piece("combine", around.combine, tasks, COMMUNICATION)
        rest = time - experts.time
        if task.kind is Kind.FORWARD:
            yield from (Piece(kind, rest, tasks), there, experts)
            yield Piece(back.kind, back.time, tasks, COMMUNICATION, sent=True)
        else:
            yield from (back, experts, there)
            yield Piece(kind, rest, tasks, sent=True)


def _turns(pieces: Iterable[Piece]) -> Iterator[tuple[Piece, ...]]:
    """Up to what travels, and so on: while that is under way, it is the other task's turn."""
    turn: list[Piece] = []
    for piece in pieces:
        turn.append(piece)
        if piece.stream != COMPUTE:
            yield tuple(turn)
            turn = []
    yield tuple(turn)
