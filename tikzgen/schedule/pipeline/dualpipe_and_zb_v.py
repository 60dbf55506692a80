"""Schedules with two parts of the model on each device, which run the pipeline from both ends.

- Chimera: two 1F1B pipelines in opposite directions that fill each other's gaps (arXiv 2107.06925).
- DualPipe and DualPipeV: microbatches from both ends, forwards fused with backwards (arXiv 2412.19437).
- ZB-V: two chunks per device in a V, so that the first device also has the last stage (arXiv 2401.10241, section 6).

A `Script` writes the cells of one device: it counts microbatches and remembers weight gradients.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from tikzgen.base.record import Record
from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.tasks import Cell, Task, TaskKind


def list_chimera_cells(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of Chimera: of every p microbatches, half go down the p stages and half go up.

    With slots of equal length, forward k of stage s takes slot s + 2k and its backward slot 2p-1-s + 2k. For an even
    p, the two directions never need the same slot of a device. The next p microbatches start 2p slots later, so that
    their forwards fill the free slots of the first ones. Cells are in the order of slots. Raise `ScheduleError` for an
    odd number of devices.
    """
    if devices % 2:
        raise ScheduleError(
            f"chimera's two directions only mesh on an even number of devices, not {devices}",
            hint=f"devices: {devices + 1}",
        )
    units = [range(first, min(first + devices, microbatches)) for first in range(0, microbatches, devices)]
    return [
        [
            (task,)
            for _, task in sorted(
                (
                    slot
                    for begin, unit in enumerate(units)
                    for stage, numbers in zip((device, devices - 1 - device), _split_directions(unit), strict=True)
                    for slot in _list_slots(stage, devices, 2 * devices * begin, numbers)
                ),
                key=lambda slot: slot[0],
            )
        ]
        for device in range(devices)
    ]


def _split_directions(unit: range) -> tuple[range, range]:
    """Split microbatches into two halves, for the directions down and up."""
    down = (len(unit) + 1) // 2
    return unit[:down], unit[down:]


def _list_slots(stage: int, stages: int, begin: int, numbers: range) -> list[tuple[int, Task]]:
    forwards = [(begin + stage + 2 * k, Task(TaskKind.FORWARD, stage, n)) for k, n in enumerate(numbers)]
    backwards = [
        (begin + 2 * stages - 1 - stage + 2 * k, Task(TaskKind.BACKWARD, stage, n)) for k, n in enumerate(numbers)
    ]
    return forwards + backwards


class Chunk(Record):
    """Part of the model on a device: its stage, and the `count` microbatches from `first` that it processes."""

    stage: int
    first: int
    count: int


@dataclass
class Script:
    """Writer of the cells of one device.

    Every call appends the next microbatch of its kind, or has no effect if the chunk has no microbatch left.
    """

    chunks: tuple[Chunk, Chunk]
    cells: list[Cell] = field(default_factory=list)
    _used: Counter[tuple[TaskKind, int]] = field(default_factory=Counter)
    _owed: deque[Task] = field(default_factory=deque)

    def add_forward(self, chunk: int) -> None:
        """Append a forward."""
        self._add_cell(self._take_next_task(TaskKind.FORWARD, chunk))

    def add_backward(self, chunk: int, *, split: bool = False) -> None:
        """Append a full backward; with `split` its input gradient only, and remember the weight gradient."""
        kind = TaskKind.INPUT_GRAD if split else TaskKind.BACKWARD
        task = self._take_next_task(kind, chunk)
        self._add_cell(task)
        if split and task:
            self._owed.append(Task(TaskKind.WEIGHT_GRAD, task.stage, task.microbatch))

    def add_weight_gradient(self) -> None:
        """Append the oldest remembered weight gradient, if any."""
        if self._owed:
            self._add_cell(self._owed.popleft())

    def weights_of(self, chunk: int) -> None:
        """Append all remembered weight gradients of one chunk."""
        stage = self.chunks[chunk].stage
        for _ in [task for task in self._owed if task.stage == stage]:
            self.weight_of(chunk)

    def weight_of(self, chunk: int) -> None:
        """Append the oldest remembered weight gradient of one chunk, if any."""
        stage = self.chunks[chunk].stage
        task = next((task for task in self._owed if task.stage == stage), None)
        if task:
            self._owed.remove(task)
            self._add_cell(task)

    def add_overlap(self, forward: int, backward: int) -> None:
        """Append a forward of one chunk fused with a full backward of another."""
        self._add_cell(
            self._take_next_task(TaskKind.FORWARD, forward), self._take_next_task(TaskKind.BACKWARD, backward)
        )

    def _take_next_task(self, kind: TaskKind, chunk: int) -> Task | None:
        # Full backwards and input gradients share a counter: each microbatch has only one of them.
        counted = TaskKind.FORWARD if kind is TaskKind.FORWARD else TaskKind.BACKWARD
        part, number = self.chunks[chunk], self._used[counted, chunk]
        self._used[counted, chunk] += 1
        return Task(kind, part.stage, part.first + number) if number < part.count else None

    def _add_cell(self, *tasks: Task | None) -> None:
        cell = tuple(task for task in tasks if task)
        if cell:
            self.cells.append(cell)


def list_dualpipe_cells(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of DualPipe: half of the microbatches go down the p stages, the other half up.

    Every device holds the weights of two stages. Raise `ScheduleError` for an odd number of devices or microbatches,
    or fewer than 2p microbatches.
    """
    if devices % 2:
        raise ScheduleError(
            f"dualpipe pairs device r with device p-1-r: {devices} devices are odd", hint=f"devices: {devices + 1}"
        )
    if microbatches % 2 or microbatches < 2 * devices:
        raise ScheduleError(
            f"dualpipe needs an even number of microbatches, at least 2p = {2 * devices}, not {microbatches}",
            hint=f"microbatches: {max(2 * devices, microbatches + microbatches % 2)}",
        )
    half = microbatches // 2
    lists = []
    for device in range(devices):
        down, up = Chunk(device, 0, half), Chunk(devices - 1 - device, half, half)
        near = (down, up) if device < devices // 2 else (up, down)
        lists.append(_dualpipe_device(min(device, devices - 1 - device), devices // 2, half, near))
    return lists


def list_dualpipev_cells(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of DualPipe folded in the middle: device r has the stages r and 2p-1-r.

    All microbatches enter at device 0. Raise `ScheduleError` for fewer than 2p microbatches.
    """
    if microbatches < 2 * devices:
        raise ScheduleError(
            f"dualpipev needs at least as many microbatches as stages, 2p = {2 * devices}, not {microbatches}",
            hint=f"microbatches: {2 * devices}",
        )
    return [
        _dualpipe_device(
            r, devices, microbatches, (Chunk(r, 0, microbatches), Chunk(2 * devices - 1 - r, 0, microbatches))
        )
        for r in range(devices)
    ]


def _dualpipe_device(rank: int, ranks: int, microbatches: int, chunks: tuple[Chunk, Chunk]) -> list[Cell]:
    """Return the cells of one device of DualPipe, with `microbatches` per chunk.

    `rank` of `ranks` counts from the entry of chunk 0 to the device at which it meets chunk 1.
    """
    near, far = 0, 1
    script = Script(chunks)
    outer = ranks - 1 - rank
    for _ in range(2 * outer):
        script.add_forward(near)
    for _ in range(rank + 1):
        script.add_forward(near)
        script.add_forward(far)
    for _ in range(outer):
        script.add_backward(far, split=True)
        script.add_weight_gradient()
        script.add_forward(far)
    for step in range(microbatches - 2 * ranks + rank + 1):
        if step == 0 and outer == 0:
            # The meeting point does not fuse its first pair, for a smaller bubble.
            script.add_forward(near)
            script.add_backward(far)
        else:
            script.add_overlap(near, far)
        script.add_overlap(far, near)
    for _ in range(outer):
        script.add_backward(far)
        script.add_overlap(far, near)
    for step in range(2 * (rank + 1)):
        # The second half of these postpones its weight gradients.
        script.add_backward(near if step % 2 else far, split=step > rank)
    for _ in range(outer):
        script.add_weight_gradient()
        script.add_backward(near, split=True)
    for _ in range(rank + 1):
        script.add_weight_gradient()
    return script.cells


def zb_v(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """List the cells of ZB-V: device r has the stages r and 2p-1-r.

    If F = D = W and m >= 2p-1, a device has no idle time between its first and last operation. Fewer microbatches use
    the order of 2p-1 microbatches without the missing ones (PyTorch's ScheduleZBVZeroBubble).
    """
    return [_zb_v_device(r, devices, microbatches) for r in range(devices)]


def _zb_v_device(device: int, devices: int, microbatches: int) -> list[Cell]:
    down, up = 0, 1
    script = Script((Chunk(device, 0, microbatches), Chunk(2 * devices - 1 - device, 0, microbatches)))

    def add_split_backward(chunk: int) -> None:
        script.add_backward(chunk, split=True)
        script.weight_of(chunk)

    for _ in range(2 * (devices - device) - 1):
        script.add_forward(down)
    for _ in range(device):
        script.add_forward(up)
        script.add_forward(down)
    for _ in range(devices - device):
        script.add_forward(up)
        add_split_backward(up)
    # Here, p microbatches have reached the second chunk. Each iteration of the steady state adds one.
    for _ in range(max(microbatches, 2 * devices - 1) - devices):
        script.add_forward(down)
        add_split_backward(down)
        script.add_forward(up)
        add_split_backward(up)
    for _ in range(device):
        script.add_backward(down, split=True)
        script.add_backward(up, split=True)
    for _ in range(devices - device):
        script.add_backward(down, split=True)
        script.weight_of(down)
    script.weights_of(up)
    script.weights_of(down)
    return script.cells
