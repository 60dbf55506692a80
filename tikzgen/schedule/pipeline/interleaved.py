"""Interleaved 1F1B: every device holds v chunks of the model, p stages apart (arXiv 2104.04473, section 2.2)."""

from __future__ import annotations

from tikzgen.schedule.schedule_error import ScheduleError
from tikzgen.schedule.tasks import Cell, Kind, Task

__all__ = ["interleaved"]


def interleaved(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Groups of p microbatches go through chunk after chunk; the warm-up is 2(p-r-1) + (v-1)p, everything when m = p.

    Raises:
        ScheduleError: the microbatches are no multiple of the devices, so the last group would leave holes.
    """
    if microbatches % devices:
        raise ScheduleError(
            f"interleaved-1f1b sends microbatches in groups of {devices}, one for each device: "
            f"{microbatches} is no multiple of {devices}",
            hint=f"microbatches: {(microbatches // devices + 1) * devices}",
        )
    return [_device(r, devices, microbatches, chunks) for r in range(devices)]


def _device(device: int, devices: int, microbatches: int, chunks: int) -> list[Cell]:
    total = microbatches * chunks
    warmup = 2 * (devices - device - 1) + (chunks - 1) * devices
    if microbatches == devices:
        warmup = total
    warmup = min(warmup, total)

    def task(kind: Kind, step: int) -> Cell:
        group, place = divmod(step, devices * chunks)
        chunk = place // devices
        if kind is Kind.BACKWARD:
            chunk = chunks - 1 - chunk
        return (Task(kind, chunk * devices + device, group * devices + place % devices),)

    cells = [task(Kind.FORWARD, step) for step in range(warmup)]
    for step in range(total):
        if warmup + step < total:
            cells.append(task(Kind.FORWARD, warmup + step))
        cells.append(task(Kind.BACKWARD, step))
    return cells
