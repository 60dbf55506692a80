"""Things by where they lie: those near a place are found without a look at all the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import floor

from tikzgen.plane.rectangles import Box, Point

__all__ = ["Near", "extents"]


def extents(way: Sequence[Point]) -> Iterator[Box]:
    """The room of each leg of a line."""
    for (u0, v0), (u1, v1) in pairwise(way):
        yield min(u0, u1), min(v0, v1), max(u0, u1), max(v0, v1)


class Near:
    """Things by where they lie: those near a place are found without a look at all the others.

    Cells are as large as the things are on average, so that each lies in few of them.
    """

    def __init__(self, usual: Iterable[Box]) -> None:
        """`usual` are boxes as large as those that will be put in, and where they will be."""
        boxes = list(usual)
        self._wide = _cell([(box[0], box[2]) for box in boxes])
        self._high = _cell([(box[1], box[3]) for box in boxes])
        self._found: dict[tuple[int, int], list[int]] = {}

    def put(self, thing: int, box: Box) -> None:
        """Put in a thing that lies in this box; it may lie in several."""
        for cell in self._cells(box):
            self._found.setdefault(cell, []).append(thing)

    def near(self, box: Box) -> set[int]:
        """All things that may touch this box, and some that do not."""
        return {thing for cell in self._cells(box) for thing in self._found.get(cell, ())}

    def _cells(self, box: Box) -> Iterator[tuple[int, int]]:
        down = range(floor(box[1] / self._high), floor(box[3] / self._high) + 1)
        for column in range(floor(box[0] / self._wide), floor(box[2] / self._wide) + 1):
            for row in down:
                yield column, row


_FINEST = 4096  # cells beside each other


def _cell(reaches: Sequence[tuple[float, float]]) -> float:
    if not reaches:
        return 1.0
    whole = max(high for _, high in reaches) - min(low for low, _ in reaches)
    usual = sum(high - low for low, high in reaches) / len(reaches)
    return max(usual, whole / _FINEST, 0.01)
