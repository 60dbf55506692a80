"""How the numbers in the cells of a timeline are set: their size, and bands that count those that are not."""

from __future__ import annotations

from tikzgen.base.record import Record


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
    """How the numbers in the cells of a timeline are set: `size` is that of all, in pt, in the cells of `phases`.

    Where one phase on some lanes has no room for its numbers, none on these lanes has any: a row in which some numbers
    stand and others do not would be misread. `bands` count what has none.
    """

    size: float
    phases: frozenset[str]
    bands: Bands | None

    def chunk(self, phase: str, counted: int | None) -> int:
        """Which shade a cell has by its number."""
        return self.bands.chunk(phase, counted) if self.bands else 0
