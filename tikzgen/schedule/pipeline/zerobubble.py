"""ZB-H1 and ZB-H2: weight gradients wait until they fill what would be a bubble (arXiv 2401.10241)."""

from __future__ import annotations

from tikzgen.schedule.schedule_error import ScheduleError
from tikzgen.schedule.tasks import Cell, Kind, Task

__all__ = ["zb_h1", "zb_h2"]


def zb_h1(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """The memory of 1F1B's first device on every device: min(m, p) microbatches in flight.

    With m >= p and W no longer than F and D, every device is idle for (p-1)(F + D - W).
    """
    return [_device(r, devices - 1 - r, r, microbatches) for r in range(devices)]


def zb_h2(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """No idle time between a device's first and last operation when F = D = W, for 2p-1 microbatches in flight.

    Raises:
        ScheduleError: there are fewer than 2p-1 microbatches, too few to fill the pipeline.
    """
    least = 2 * devices - 1
    if microbatches < least:
        raise ScheduleError(
            f"zb-h2 fills {devices} devices with 2p-1 = {least} microbatches in flight: {microbatches} are too few",
            hint=f"microbatches: {least}, or schedule: zb-h1",
        )
    return [_device(r, 2 * (devices - 1 - r), 2 * r, microbatches) for r in range(devices)]


def _device(stage: int, warmup: int, lag: int, microbatches: int) -> list[Cell]:
    """`warmup` forwards, then forward and input gradient in turn; weight gradients are `lag` microbatches late."""
    warmup = min(warmup, microbatches)
    cells: list[Cell] = [(Task(Kind.FORWARD, stage, k),) for k in range(warmup)]
    for k in range(microbatches):
        if warmup + k < microbatches:
            cells.append((Task(Kind.FORWARD, stage, warmup + k),))
        cells.append((Task(Kind.INPUT_GRAD, stage, k),))
        if k >= lag:
            cells.append((Task(Kind.WEIGHT_GRAD, stage, k - lag),))
    owed = range(max(0, microbatches - lag), microbatches)
    return cells + [(Task(Kind.WEIGHT_GRAD, stage, k),) for k in owed]
