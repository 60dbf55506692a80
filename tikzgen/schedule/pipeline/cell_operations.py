"""Operations of the cells of a pipeline plan, including work around a task and data transfers.

Such work is embedding, loss, recomputation, offloading and the communication of experts. The main function is
`operations_of`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import zip_longest

from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.operation import COMMUNICATION, COMPUTE, NOTHING, OperationNeed, ScheduledOperation, ScheduleLane
from tikzgen.schedule.pipeline.pipeline_costs import Around, Costs
from tikzgen.schedule.tasks import (
    PHASES,
    Cell,
    PipelinePlan,
    Place,
    Task,
    TaskKind,
    list_task_sources,
    no_places,
    place_of,
    spell_cell,
)


class CellPiece(Record):
    """Part of the work of a cell, for one task or for the two tasks of a fused cell.

    If `sent`, its end makes the result available to other stages.
    """

    kind: str
    time: Fraction
    tasks: Cell
    stream: str = COMPUTE
    sent: bool = False


def operations_of(plan: PipelinePlan, costs: Costs, around: Around | None = None) -> tuple[ScheduledOperation, ...]:
    """Return the operations of all cells, device by device: one per cell, or its pieces if `around` adds work.

    Each piece waits for the previous one. Raise `ScheduleError` if tokens are sent to experts in cells with an
    explicit duration, or with messages that block devices.
    """
    if around and around.travels and costs.overlapped is not None:
        raise ScheduleError("overlapped: the messages determine the length of fused cells", hint="leave overlapped out")
    if around and around.travels and costs.p2p != "async":
        raise ScheduleError("p2p: tokens to experts need asynchronous messages", hint="p2p: async")
    weave = _Weave(plan, costs, around or Around(), no_places(plan), no_places(plan))
    for device, cells in enumerate(plan.cells):
        if around is None:
            weave.whole_cells(device, cells)
        else:
            weave.add_device(device, cells)
    return tuple(weave.list_operations())


@dataclass
class _Weave:
    """Collector of operations; it adds dependencies on other cells when all operations are known."""

    plan: PipelinePlan
    costs: Costs
    around: Around
    forwards: list[Place]
    backwards: list[Place]
    made: list[tuple[CellPiece, ScheduleLane, Sequence[int], Sequence[Task]]] = field(default_factory=list)
    """For each operation: its piece, its lane, the operations on its device that precede it, and the tasks that begin
    with it."""

    def whole_cells(self, device: int, cells: tuple[Cell, ...]) -> None:
        """Add the operations of a device without extra work: one per cell."""
        lane = ScheduleLane(device)
        for cell in cells:
            kind = PHASES[cell[0].kind] if len(cell) == 1 else "overlapped"
            self._add(lane, CellPiece(kind, self.costs.compute_cell_time(cell), cell, sent=True), (), cell)

    def add_device(self, device: int, cells: tuple[Cell, ...]) -> None:
        """Add the operations of a device, including work around its stages."""
        leaving = self._offloaded_activations(cells)
        ends: list[int] = []  # last computation of each previous cell
        gone: dict[tuple[int, int], int] = {}
        done: list[int] = []  # last pieces of the previous cell: experts' communication of a cell stays within its time
        for cell in cells:
            back: dict[Task, int] = {}
            for task in cell:
                key = (task.stage, task.microbatch)
                if key in gone and task.kind in (TaskKind.BACKWARD, TaskKind.INPUT_GRAD):
                    # a reload may start together with the operation before the backward
                    needs = [gone.pop(key), *ends[-2:-1]]
                    back[task] = self._move("reload", device, task, self.around.reload, needs)
            last, computed = dict(back), 0
            for piece in self._split_cell(cell):
                # A piece waits for the previous piece of its task. The first waits for the inputs of the task and for
                # `done`.
                begin = [task for task in piece.tasks if last.get(task) == back.get(task)]
                waits = [*(last[each] for each in piece.tasks if each in last), *(done if begin else ())]
                index = self._add(ScheduleLane(device, piece.stream), piece, waits, begin)
                last |= dict.fromkeys(piece.tasks, index)
                computed = index if piece.stream == COMPUTE else computed
            ends.append(computed)
            done = [last[task] for task in cell] if self.around.travels else []
            for task in cell:
                if task.kind is TaskKind.FORWARD and (task.stage, task.microbatch) in leaving:
                    moved = self._move("offload", device, task, self.around.offload, [last[task]])
                    gone[task.stage, task.microbatch] = moved

    def list_operations(self) -> Iterator[ScheduledOperation]:
        """Yield the operations with their dependencies."""
        known: dict[tuple[int, int], OperationNeed] = {}  # by source and waiting device
        for index, (piece, lane, waits, begin) in enumerate(self.made):
            needs = {each: OperationNeed(each) for each in waits}
            for task in begin:
                for place in list_task_sources(task, self.plan, self.forwards, self.backwards):
                    if place is not None and place[0] != index:
                        key = (place[0], lane.device)
                        if key not in known:
                            latency = (
                                self.costs.find_latency(place[1], lane.device) if place[1] != lane.device else NOTHING
                            )
                            known[key] = OperationNeed(place[0], latency)
                        needs[place[0]] = known[key]
            tasks = piece.tasks
            plain = piece.kind in (PHASES[tasks[0].kind], "overlapped")
            yield ScheduledOperation(
                spell_cell(tasks) if plain else f"{piece.kind} of {tasks[0]}",
                piece.kind,
                (lane,),
                piece.time,
                tuple(needs.values()),
                tasks[0].microbatch // self.plan.slices,
                tasks,
                tuple(map(self.costs.cost_of_task, tasks)) if len(tasks) > 1 else (),
            )

    def _offloaded_activations(self, cells: tuple[Cell, ...]) -> set[tuple[int, int]]:
        """Return the stages and microbatches whose activations leave between forward and backward."""
        if not (self.around.offload or self.around.reload):
            return set()
        began: dict[tuple[int, int], int] = {}
        found = set()
        for position, cell in enumerate(cells):
            for task in cell:
                key = (task.stage, task.microbatch)
                if task.kind is TaskKind.FORWARD:
                    began[key] = position
                elif task.kind is not TaskKind.WEIGHT_GRAD and position - began.get(key, position) > 1:
                    found.add(key)
        return found

    def _move(self, kind: str, device: int, task: Task, time: Fraction, needs: Sequence[int]) -> int:
        return self._add(ScheduleLane(device, kind), CellPiece(kind, time, (task,), kind), needs, ())

    def _add(self, lane: ScheduleLane, piece: CellPiece, waits: Sequence[int], begin: Sequence[Task]) -> int:
        """Append a piece and return its index."""
        index = len(self.made)
        self.made.append((piece, lane, waits, begin))
        for task in piece.tasks if piece.sent else ():
            place = place_of(task, self.plan)
            if place is not None and task.kind is not TaskKind.WEIGHT_GRAD:
                (self.forwards if task.kind is TaskKind.FORWARD else self.backwards)[place] = (index, lane.device)
        return index

    def _split_cell(self, cell: Cell) -> Iterator[CellPiece]:
        """Yield the pieces of a cell in order; in a fused cell, backward and forward alternate."""
        if len(cell) == 1:
            yield from self._split_task(cell[0])
            return
        chains = [list(self._split_task(task)) for task in reversed(cell)]
        if self.around.travels:
            for turn in zip_longest(*map(_split_after_communication, chains), fillvalue=()):
                yield from (piece for part in turn for piece in part)
            return
        # the two main pieces are fused
        places = [next(i for i, piece in enumerate(chain) if piece.sent) for chain in chains]
        for chain, place in zip(chains, places, strict=True):
            yield from chain[:place]
        yield CellPiece("overlapped", self.costs.compute_cell_time(cell), cell, sent=True)
        for chain, place in zip(chains, places, strict=True):
            yield from chain[place + 1 :]

    def _split_task(self, task: Task) -> Iterator[CellPiece]:
        """Yield the pieces of one task."""
        around, tasks = self.around, (task,)
        first, last = task.stage == 0, task.stage == self.plan.stages - 1
        if task.kind is TaskKind.WEIGHT_GRAD:
            yield CellPiece("weight-grad", self.costs.cost_of_task(task), tasks, sent=True)
            return
        forward = task.kind is TaskKind.FORWARD
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
        yield from (CellPiece(kind, time, tasks) for kind, time in before if time)
        yield from self._split_stage(task)
        yield from (CellPiece(kind, time, tasks) for kind, time in behind if time)

    def _split_stage(self, task: Task) -> Iterator[CellPiece]:
        """Yield the work of a stage: one piece, or the parts around and inside its experts."""
        kind, time, tasks = PHASES[task.kind], self.costs.cost_of_task(task), (task,)
        around = self.around
        if not around.travels:
            yield CellPiece(kind, time, tasks, sent=True)
            return
        experts = CellPiece(kind, time * around.experts, tasks)
        there = CellPiece("dispatch", around.dispatch, tasks, COMMUNICATION)
        back = CellPiece("combine", around.combine, tasks, COMMUNICATION)
        rest = time - experts.time
        if task.kind is TaskKind.FORWARD:
            yield from (CellPiece(kind, rest, tasks), there, experts)
            yield CellPiece(back.kind, back.time, tasks, COMMUNICATION, sent=True)
        else:
            yield from (back, experts, there)
            yield CellPiece(kind, rest, tasks, sent=True)


def _split_after_communication(pieces: Iterable[CellPiece]) -> Iterator[tuple[CellPiece, ...]]:
    """Split pieces after each communication; while it runs, the other task continues."""
    turn: list[CellPiece] = []
    for piece in pieces:
        turn.append(piece)
        if piece.stream != COMPUTE:
            yield tuple(turn)
            turn = []
    yield tuple(turn)
