"""GPipe: all forwards, then all backwards (arXiv 1811.06965)."""

from __future__ import annotations

from tikzgen.schedule.tasks import Cell, Kind, Task

__all__ = ["gpipe", "gpipe_reversed"]


def gpipe(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Every device keeps all microbatches in flight; any number of microbatches."""
    return [
        [(Task(kind, stage, k),) for kind in (Kind.FORWARD, Kind.BACKWARD) for k in range(microbatches)]
        for stage in range(devices)
    ]


def gpipe_reversed(devices: int, microbatches: int, chunks: int | None) -> list[list[Cell]]:
    """The same with the backwards from the last microbatch to the first, as the paper draws them (its figure 2c)."""
    lists = gpipe(devices, microbatches, 1)
    return [[*cells[:microbatches], *reversed(cells[microbatches:])] for cells in lists]
