"""DualPipe and DualPipeV: microbatches from both ends, forwards fused with backwards (arXiv 2412.19437)."""

from __future__ import annotations

from tikzgen.schedule.pipeline.script import Chunk, Script
from tikzgen.schedule.schedule_error import ScheduleError
from tikzgen.schedule.tasks import Cell

__all__ = ["dualpipe", "dualpipev"]


def dualpipe(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Half of the microbatches go down the p stages, the other half up; every device holds two stages' weights.

    Raises:
        ScheduleError: an odd number of devices or microbatches, or fewer than 2p microbatches.
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
        lists.append(_device(min(device, devices - 1 - device), devices // 2, half, near))
    return lists


def dualpipev(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """DualPipe folded in its middle: device r has the stages r and 2p-1-r, all microbatches enter at device 0.

    Raises:
        ScheduleError: fewer than 2p microbatches.
    """
    if microbatches < 2 * devices:
        raise ScheduleError(
            f"dualpipev needs at least as many microbatches as stages, 2p = {2 * devices}, not {microbatches}",
            hint=f"microbatches: {2 * devices}",
        )
    return [
        _device(r, devices, microbatches, (Chunk(r, 0, microbatches), Chunk(2 * devices - 1 - r, 0, microbatches)))
        for r in range(devices)
    ]


def _device(rank: int, ranks: int, microbatches: int, chunks: tuple[Chunk, Chunk]) -> list[Cell]:
    """`rank` of `ranks` counts from where chunk 0 enters to where it meets chunk 1; each chunk has `microbatches`."""
    near, far = 0, 1
    script = Script(chunks)
    outer = ranks - 1 - rank
    for _ in range(2 * outer):
        script.forward(near)
    for _ in range(rank + 1):
        script.forward(near)
        script.forward(far)
    for _ in range(outer):
        script.backward(far, split=True)
        script.weight()
        script.forward(far)
    for step in range(microbatches - 2 * ranks + rank + 1):
        if step == 0 and outer == 0:
            # The meeting point does not fuse its first pair: the bubble gets smaller.
            script.forward(near)
            script.backward(far)
        else:
            script.overlap(near, far)
        script.overlap(far, near)
    for _ in range(outer):
        script.backward(far)
        script.overlap(far, near)
    for step in range(2 * (rank + 1)):
        # The second half of these postpones its weight gradients.
        script.backward(near if step % 2 else far, split=step > rank)
    for _ in range(outer):
        script.weight()
        script.backward(near, split=True)
    for _ in range(rank + 1):
        script.weight()
    return script.cells
