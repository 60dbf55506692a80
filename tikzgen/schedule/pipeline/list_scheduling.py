"""List scheduling: whenever a device is free it runs the first task that is ready, by an order of kinds and chunks.

- ZB-V of few microbatches (arXiv 2401.10241): with at most p of them this is as short as the authors' own heuristic.
- Hanayo's waves: every device holds v chunks, so that the model goes down and up the devices (arXiv 2308.15762).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.tasks import Cell, Kind, Task, used_by

Choice = tuple[Kind, int]
"""A kind of task, and the chunk of the device that it is for."""
_LASTS = {Kind.FORWARD: 1, Kind.BACKWARD: 2, Kind.INPUT_GRAD: 1, Kind.WEIGHT_GRAD: 1}


def hanayo(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Waves: the model goes down and up the devices once for every two chunks.

    A device takes backwards first, those of its first chunk before others, then forwards of its last chunk. One wave is
    Chimera folded in its middle, without its second copy of the weights: it takes as long as Chimera of twice as many
    devices and microbatches. `ScheduleError` for an odd number of chunks, which would be half a wave, or more than p
    microbatches.
    """
    if chunks % 2:
        raise ScheduleError(f"hanayo goes down and up: {chunks} chunks are odd", hint=f"chunks: {chunks + 1}")
    if microbatches > devices:
        raise ScheduleError(
            f"hanayo's waves are of at most p = {devices} microbatches, not {microbatches}: its paper has no order for "
            "more",
            hint=f"microbatches: {devices}",
        )
    order = [(Kind.BACKWARD, c) for c in range(chunks)] + [(Kind.FORWARD, c) for c in reversed(range(chunks))]
    return by_priority(devices, microbatches, chunks, order)


def _zigzag(device: int, devices: int, chunks: int) -> list[int]:
    """The stages of a device where they go down the devices and up again: r, 2p-1-r, 2p+r, 4p-1-r …"""
    return [turn * devices + (devices - 1 - device if turn % 2 else device) for turn in range(chunks)]


@dataclass(slots=True)
class _Device:
    """What a device has done, in its order, and when it is free."""

    stages: list[int]
    cells: list[Cell] = field(default_factory=list)
    free: int = 0
    owed: deque[Task] = field(default_factory=deque)
    begun: dict[Choice, int] = field(default_factory=dict)


def by_priority(devices: int, microbatches: int, chunks: int, order: Sequence[Choice]) -> list[list[Cell]]:
    """Each device's cells: a forward and each half of a backward take one time unit, a full backward two.

    Of what is ready, a device takes what stands first in `order`, which has no weight gradients: those that are owed
    run where nothing else can.
    """
    workers = [_Device(_zigzag(device, devices, chunks)) for device in range(devices)]
    last = devices * chunks - 1
    done: dict[Task, int] = {}
    woken = {0: set(range(devices))}  # by moment, the devices that may have something to begin
    moments = [0]
    while moments:
        now = heappop(moments)
        for device in sorted(woken.pop(now)):
            worker = workers[device]
            task = _first(worker, order, microbatches, last, done, now)
            if task is None:
                continue
            worker.cells.append((task,))
            worker.free = done[task] = end = now + _LASTS[task.kind]
            if task.kind is Kind.INPUT_GRAD:
                worker.owed.append(Task(Kind.WEIGHT_GRAD, task.stage, task.microbatch))
            if end not in woken:
                heappush(moments, end)
            user = task.stage + (1 if task.kind is Kind.FORWARD else -1)
            woken.setdefault(end, set()).update((device, *_home(user, devices, last)))
    return [worker.cells for worker in workers]


def _home(stage: int, devices: int, last: int) -> Iterator[int]:
    """The device of a stage, if there is such a stage."""
    if 0 <= stage <= last:
        turn, place = divmod(stage, devices)
        yield devices - 1 - place if turn % 2 else place


def _first(
    worker: _Device, order: Sequence[Choice], microbatches: int, last: int, done: dict[Task, int], now: int
) -> Task | None:
    """What a device begins now, taken off its lists; None if it is busy, or nothing is ready."""
    if worker.free > now:
        return None
    for kind, chunk in order:
        number = worker.begun.get((kind, chunk), 0)
        if number < microbatches:
            task = Task(kind, worker.stages[chunk], number)
            if all(done.get(each, now + 1) <= now for each in used_by(task, last)):
                worker.begun[kind, chunk] = number + 1
                return task
    return worker.owed.popleft() if worker.owed else None
