"""Chimera: two 1F1B pipelines in opposite directions that fill each other's gaps (arXiv 2107.06925)."""

from __future__ import annotations

from tikzgen.schedule.exact_numbers import ScheduleError
from tikzgen.schedule.tasks import Cell, Kind, Task


def chimera(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Of every p microbatches the first half goes down the p stages, the rest goes up.

    With slots of equal length, forward k of stage s takes slot s + 2k and its backward slot 2p-1-s + 2k: for an even p
    the two directions never want the same slot of a device. The next p microbatches are 2p slots later, so that their
    forwards fill what the first ones leave free. The order is that of the slots. `ScheduleError` for an odd number of
    devices.
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
                    for stage, numbers in zip((device, devices - 1 - device), _ways(unit), strict=True)
                    for slot in _slots(stage, devices, 2 * devices * begin, numbers)
                ),
                key=lambda slot: slot[0],
            )
        ]
        for device in range(devices)
    ]


def _ways(unit: range) -> tuple[range, range]:
    """The microbatches that go down, and those that go up."""
    down = (len(unit) + 1) // 2
    return unit[:down], unit[down:]


def _slots(stage: int, stages: int, begin: int, numbers: range) -> list[tuple[int, Task]]:
    forwards = [(begin + stage + 2 * k, Task(Kind.FORWARD, stage, n)) for k, n in enumerate(numbers)]
    backwards = [(begin + 2 * stages - 1 - stage + 2 * k, Task(Kind.BACKWARD, stage, n)) for k, n in enumerate(numbers)]
    return forwards + backwards
