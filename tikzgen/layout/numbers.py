"""How the numbers in the cells of a timeline are set: their sizes, and bands that count those that are not."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.base.record import Record

__all__ = ["Bands", "Digits", "Numbers"]


class Digits(Record):
    """The size in pt of the numbers of each phase, and the shortest cell (in time units) that carries one.

    Cells of a phase that are too short for the longest of their numbers have none: a row in which some numbers stand
    and others do not would be misread.
    """

    sizes: Mapping[str, float]
    least: Mapping[tuple[str, int], float]

    def size(self, phase: str, length: float, lanes: int) -> float:
        """The size of the number in such a cell, 0 where it has none."""
        return self.sizes[phase] if length >= self.least.get((phase, lanes), length + 1) - 1e-9 else 0.0


class Bands(Record):
    """The shade of `phases` changes every so many numbers, from `low` on.

    `marks` are numbers of `phase` with their moments.
    """

    phases: frozenset[str]
    low: int
    every: int
    phase: str
    marks: tuple[tuple[int, float], ...]

    def chunk(self, phase: str, counted: int | None) -> int:
        """Which of two shades a cell has."""
        return (counted - self.low) // self.every % 2 if phase in self.phases and counted is not None else 0


class Numbers(Record):
    """How the numbers in the cells of a timeline are set, and the bands that count those that are not."""

    digits: Digits
    bands: Bands | None

    def chunk(self, phase: str, counted: int | None) -> int:
        """Which shade a cell has by its number."""
        return self.bands.chunk(phase, counted) if self.bands else 0
