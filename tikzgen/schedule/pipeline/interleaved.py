"""Interleaved 1F1B: every device holds v chunks of the model, p stages apart (arXiv 2104.04473, section 2.2)."""

from __future__ import annotations

from tikzgen.schedule.schedule_error import ScheduleError
from tikzgen.schedule.tasks import Cell, Kind, Task

__all__ = ["interleaved"]


def interleaved(devices: int, microbatches: int, chunks: int, group: int | None = None) -> list[list[Cell]]:
    """Groups of N microbatches go through chunk after chunk; the warm-up is 2(p-r-1) + (v-1)N.

    N is `group` (Megatron-LM's `microbatch_group_size_per_vp_stage`), at least p; the last group may be smaller, but
    not below p. What is left out is the least N that works.

    Raises:
        ScheduleError: a group would be smaller than the number of devices, which would wait for each other.
    """
    size = group or next((n for n in range(devices, microbatches + 1) if _fits(n, devices, microbatches)), 0)
    if not size:
        raise ScheduleError(
            f"interleaved-1f1b sends microbatches in groups of at least {devices}, one for each device: "
            f"there are {microbatches}",
            hint=f"microbatches: {devices}",
        )
    if not _fits(size, devices, microbatches):
        last = microbatches % size if size >= devices else size
        raise ScheduleError(
            f"interleaved-1f1b needs a microbatch for each of {devices} devices in every group: with group {size}, "
            f"{microbatches} microbatches leave a group of {last}",
            hint="leave group out: the least that works is taken",
        )
    steps = [
        (chunk, microbatch)
        for first in range(0, microbatches, size)
        for chunk in range(chunks)
        for microbatch in range(first, min(first + size, microbatches))
    ]
    return [_device(r, devices, chunks, size, steps) for r in range(devices)]


def _fits(group: int, devices: int, microbatches: int) -> bool:
    return devices <= group <= microbatches and (microbatches % group == 0 or microbatches % group >= devices)


def _device(device: int, devices: int, chunks: int, group: int, steps: list[tuple[int, int]]) -> list[Cell]:
    warmup = min(2 * (devices - device - 1) + (chunks - 1) * group, len(steps))
    forwards: list[Cell] = [(Task(Kind.FORWARD, chunk * devices + device, k),) for chunk, k in steps]
    backwards: list[Cell] = [(Task(Kind.BACKWARD, (chunks - 1 - chunk) * devices + device, k),) for chunk, k in steps]
    cells = forwards[:warmup]
    for step, backward in enumerate(backwards):
        cells += forwards[warmup + step : warmup + step + 1]
        cells.append(backward)
    return cells
