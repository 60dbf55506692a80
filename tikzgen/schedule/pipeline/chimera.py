"""Chimera: two 1F1B pipelines in opposite directions that fill each other's gaps (arXiv 2107.06925)."""

from __future__ import annotations

from tikzgen.schedule.schedule_error import ScheduleError
from tikzgen.schedule.tasks import Cell, Kind, Task

__all__ = ["chimera"]


def chimera(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """The first half of at most p microbatches goes down the p stages, the rest goes up.

    With slots of equal length, forward k of stage s takes slot s + 2k and its backward slot 2p-1-s + 2k: for an even
    p the two directions never want the same slot of a device. The order is that of the slots.

    Raises:
        ScheduleError: an odd number of devices, or more microbatches than devices.
    """
    if devices % 2:
        raise ScheduleError(
            f"chimera's two directions only mesh on an even number of devices, not {devices}",
            hint=f"devices: {devices + 1}",
        )
    if microbatches > devices:
        raise ScheduleError(
            f"chimera's basic unit has at most p = {devices} microbatches, not {microbatches}",
            hint=f"microbatches: {devices}",
        )
    down = (microbatches + 1) // 2
    return [
        [
            (task,)
            for _, task in sorted(
                (*_slots(device, devices, 0, down), *_slots(devices - 1 - device, devices, down, microbatches - down)),
                key=lambda slot: slot[0],
            )
        ]
        for device in range(devices)
    ]


def _slots(stage: int, stages: int, first: int, count: int) -> list[tuple[int, Task]]:
    forwards = [(stage + 2 * k, Task(Kind.FORWARD, stage, first + k)) for k in range(count)]
    backwards = [(2 * stages - 1 - stage + 2 * k, Task(Kind.BACKWARD, stage, first + k)) for k in range(count)]
    return forwards + backwards
