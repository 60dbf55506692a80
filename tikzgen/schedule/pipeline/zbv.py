"""ZB-V: two chunks a device in a V, so that the first device also has the last stage (arXiv 2401.10241, section 6)."""

from __future__ import annotations

from tikzgen.schedule.pipeline.script import Chunk, Script
from tikzgen.schedule.schedule_error import ScheduleError
from tikzgen.schedule.tasks import Cell

__all__ = ["zb_v"]


def zb_v(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Device r has the stages r and 2p-1-r; no idle time inside a device's span when F = D = W.

    Raises:
        ScheduleError: fewer than 2p-1 microbatches, for which the paper's order is not made.
    """
    if microbatches < 2 * devices - 1:
        raise ScheduleError(
            f"zb-v fills its V with at least 2p-1 = {2 * devices - 1} microbatches, not {microbatches}",
            hint=f"microbatches: {2 * devices - 1}",
        )
    return [_device(r, devices, microbatches) for r in range(devices)]


def _device(device: int, devices: int, microbatches: int) -> list[Cell]:
    down, up = 0, 1
    script = Script((Chunk(device, 0, microbatches), Chunk(2 * devices - 1 - device, 0, microbatches)))

    def through(chunk: int) -> None:
        script.backward(chunk, split=True)
        script.weight_of(chunk)

    for _ in range(2 * (devices - device) - 1):
        script.forward(down)
    for _ in range(device):
        script.forward(up)
        script.forward(down)
    for _ in range(devices - device):
        script.forward(up)
        through(up)
    # By now p microbatches have come up; each turn of the steady state takes one more.
    for _ in range(microbatches - devices):
        script.forward(down)
        through(down)
        script.forward(up)
        through(up)
    for _ in range(device):
        script.backward(down, split=True)
        script.backward(up, split=True)
    for _ in range(devices - device):
        script.backward(down, split=True)
        script.weight_of(down)
    script.weights_of(up)
    script.weights_of(down)
    return script.cells
