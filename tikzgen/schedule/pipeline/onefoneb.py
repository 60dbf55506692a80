"""1F1B: a few forwards, then one forward and one backward in turn, then the backwards that are left (Megatron-LM)."""

from __future__ import annotations

from tikzgen.schedule.tasks import Cell, Kind, Task

__all__ = ["eager", "one_f_one_b"]


def one_f_one_b(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Device r warms up with min(m, p-1-r) forwards: at most min(m, p-r) microbatches are in flight."""
    return [_device(r, devices - 1 - r, microbatches) for r in range(devices)]


def eager(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Eager 1F1B: twice the warm-up, so that messages overlap with computation (arXiv 2211.05322)."""
    return [_device(r, 2 * (devices - 1 - r), microbatches) for r in range(devices)]


def _device(stage: int, warmup: int, microbatches: int) -> list[Cell]:
    warmup = min(warmup, microbatches)
    cells: list[Cell] = [(Task(Kind.FORWARD, stage, k),) for k in range(warmup)]
    for k in range(microbatches):
        if warmup + k < microbatches:
            cells.append((Task(Kind.FORWARD, stage, warmup + k),))
        cells.append((Task(Kind.BACKWARD, stage, k),))
    return cells
