"""V-Half and V-Min: microbatches pass in one pattern, the building block, six time units after each other.

Each device has the stages r and 2p-1-r; the block says when it runs a microbatch's four tasks with F = D = W = 1. The
nearer its ends are, the less is in flight: about a half, or a third, of what 1F1B holds (arXiv 2405.15362, section 3;
the offsets are those of the authors' code). Weight gradients go where the blocks leave room. The authors then move
what warms up and cools down earlier, by a search: their V-Half of p=4, m=8 takes 53 where the plain blocks take 60.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from tikzgen.schedule.operation import Cell, Kind, Task

_PERIOD = 6


def v_half(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """About half of 1F1B's activations: at most p+2 chunks of half a stage each for an even p, p+1 for an odd one."""
    late = 0 if devices % 2 else 3
    return _blocks(
        devices,
        microbatches,
        lambda r: (2 * r, 3 * devices - 2 - r, 3 * devices - 1 + 2 * r + late, 6 * devices - 2 - r + late),
    )


def v_min(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """About a third of 1F1B's activations, the least that keeps devices busy between warm-up and cool-down."""
    late = 0 if devices % 3 else 2
    return _blocks(
        devices,
        microbatches,
        lambda r: (r, 2 * devices - 1 - r, 2 * devices + r + late, 4 * devices - 1 - r + late),
    )


def _blocks(devices: int, microbatches: int, block: Callable[[int], tuple[int, ...]]) -> list[list[Cell]]:
    """The cells of each device, from the moments at which it runs F down, F up, D up and D down of microbatch 0."""
    return [_device(device, 2 * devices - 1 - device, microbatches, block(device)) for device in range(devices)]


def _device(down: int, up: int, microbatches: int, moments: tuple[int, ...]) -> list[Cell]:
    kinds = ((Kind.FORWARD, down), (Kind.FORWARD, up), (Kind.INPUT_GRAD, up), (Kind.INPUT_GRAD, down))
    slots = {
        moment + _PERIOD * k: Task(kind, stage, k)
        for moment, (kind, stage) in zip(moments, kinds, strict=True)
        for k in range(microbatches)
    }
    cells: list[Cell] = []
    owed: deque[Task] = deque()
    free = 0  # the first moment behind the task before
    for moment, task in sorted(slots.items(), key=lambda slot: slot[0]):
        cells += [(owed.popleft(),) for _ in range(min(len(owed), moment - free))]
        cells.append((task,))
        free = moment + 1
        if task.kind is Kind.INPUT_GRAD:
            owed.append(Task(Kind.WEIGHT_GRAD, task.stage, task.microbatch))
    return [*cells, *((task,) for task in owed)]
