"""GPipe: all forwards, then all backwards (arXiv 1811.06965)."""

from __future__ import annotations

from tikzgen.schedule.tasks import Cell, Kind, Task

__all__ = ["gpipe"]


def gpipe(devices: int, microbatches: int, chunks: int) -> list[list[Cell]]:
    """Every device keeps all microbatches in flight; any number of microbatches."""
    return [
        [(Task(kind, stage, k),) for kind in (Kind.FORWARD, Kind.BACKWARD) for k in range(microbatches)]
        for stage in range(devices)
    ]
