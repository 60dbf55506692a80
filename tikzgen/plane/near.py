"""Things by where they lie: those near a place are found without a look at all the others."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, inf

from tikzgen.plane.rectangles import Box, Point

__all__ = ["Near"]

_SLIP = 1e-6  # of a cell: what rounding may take from a line
_STEEPEST = 1e4  # of a line whose place in a row is asked for


class Near:
    """Things by where they lie: those near a place are found without a look at all the others.

    Cells as large as the places that are asked for let a question look into few of them.
    """

    def __init__(self, wide: float, high: float) -> None:
        """`wide` and `high` are the sides of a cell."""
        self._wide, self._high = wide, high
        self._found: dict[tuple[int, int], list[int]] = {}

    def put(self, thing: int, box: Box) -> None:
        """Put in a thing that lies in this box; it may lie in several."""
        for cell in self._cells(box):
            self._found.setdefault(cell, []).append(thing)

    def put_line(self, thing: int, start: Point, goal: Point) -> None:
        """Put in a straight line: a slanting one lies in the cells along it, not in all of its box."""
        (u0, v0), (u1, v1) = sorted((start, goal), key=lambda point: point[1])
        slope = (u1 - u0) / (v1 - v0) if v0 < v1 else inf
        slip = self._wide * _SLIP
        for row in range(floor(v0 / self._high), floor(v1 / self._high) + 1):
            low, high = max(v0, row * self._high), min(v1, (row + 1) * self._high)
            # a line that is nearly level is taken whole
            ends = (u0 + (low - v0) * slope, u0 + (high - v0) * slope) if abs(slope) < _STEEPEST else (u0, u1)
            first, last = floor((min(ends) - slip) / self._wide), floor((max(ends) + slip) / self._wide)
            for column in range(first, last + 1):
                self._found.setdefault((column, row), []).append(thing)

    def drop(self, thing: int, box: Box) -> None:
        """Take a thing out that was put in with this box."""
        for cell in self._cells(box):
            self._found[cell].remove(thing)

    def near(self, box: Box) -> set[int]:
        """All things that may touch this box, and some that do not."""
        return {thing for cell in self._cells(box) if cell in self._found for thing in self._found[cell]}

    def _cells(self, box: Box) -> Iterator[tuple[int, int]]:
        down = range(floor(box[1] / self._high), floor(box[3] / self._high) + 1)
        for column in range(floor(box[0] / self._wide), floor(box[2] / self._wide) + 1):
            for row in down:
                yield column, row
