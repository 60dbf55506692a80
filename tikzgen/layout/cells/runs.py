"""Positions of rows and columns in units of a cell, and the runs, lines and borders of the cells of a layer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import TypeAlias

from tikzgen.base.record import Record
from tikzgen.model.addresses import Range
from tikzgen.model.cells import EMPTY, HOLE, Header

DOTS_SHARE = 0.5
"""Share of a cell that the dots of an ellipsis take."""
Lines: TypeAlias = tuple[str, tuple[float, ...], float, float]
"""Parallel lines: `h` or `v`, their places, and the two ends of each."""


class Positions(Record):
    """Places of the rows or columns of an array, in units of a cell: the first one is at its number.

    `dots` are the places at which dots begin.
    """

    first: int
    starts: Mapping[int, float]
    end: float
    dots: tuple[float, ...] = ()

    @property
    def start(self) -> float:
        """Place at which the first one begins."""
        return float(self.first)

    @property
    def size(self) -> float:
        """Size of all in cells."""
        return self.end - self.start

    def find_span(self, span: Range) -> tuple[float, float] | None:
        """Return the places between which the drawn ones of a range are, or None if none is drawn."""
        drawn = [self.starts[index] for index in range(*span) if index in self.starts]
        return (drawn[0], drawn[-1] + 1) if drawn else None


def make_positions(header: Header, count: int, at_most: int | None = None, keep: Collection[int] = ()) -> Positions:
    """Return the places of rows or columns, with dots for those that are not drawn."""
    starts: dict[int, float] = {}
    place, dots = float(header.first), []
    for index in header.drawn_indices(count, at_most, keep):
        if index is None:
            dots.append(place)
            place += DOTS_SHARE
        else:
            starts[index] = place
            place += 1
    return Positions(header.first, starts, place, tuple(dots))


def find_runs(line: Sequence[str], columns: Positions) -> Iterator[tuple[float, float, str]]:
    """Yield the runs of equal filled cells of a row: start, length and fill; nothing for empty cells and holes."""
    cells = [(columns.starts[index], letter) for index, letter in enumerate(line) if index in columns.starts]
    for letter, group in groupby(_number_cells(cells), key=lambda cell: cell[1:]):
        places = [place for place, *_ in group]
        if letter[0] not in (EMPTY, HOLE):
            yield places[0], len(places), letter[0]


def _number_cells(cells: Sequence[tuple[float, str]]) -> Iterator[tuple[float, str, float]]:
    """Yield the cells with a number that differs on both sides of dots."""
    for number, (place, letter) in enumerate(cells):
        yield place, letter, place - number


def find_lines(
    rows: Positions, columns: Positions, is_line: Callable[[int, int, int, int], bool], *, outer: bool
) -> list[Lines]:
    """Return the lines between neighboring cells, given by row and column of both, that `is_line` accepts.

    With `outer`, also those around all cells: a neighbor that is not there has the index -1. Equal lines are listed
    together.
    """
    found: list[tuple[str, float, float, float]] = []
    for way, along, across in (("v", columns, rows), ("h", rows, columns)):
        for one, other, place in _iterate_boundaries(along, outer=outer):
            open_from: float | None = None
            last = 0.0
            for index, start in across.starts.items():
                pair = (index, one, index, other) if way == "v" else (one, index, other, index)
                meets = is_line(*pair)
                if open_from is not None and (not meets or start > last):
                    found.append((way, place, open_from, last))
                    open_from = None
                if meets and open_from is None:
                    open_from = start
                last = start + 1
            if open_from is not None:
                found.append((way, place, open_from, last))
    merged: dict[tuple[str, float, float], list[float]] = {}
    for way, place, start, end in found:
        merged.setdefault((way, start, end), []).append(place)
    return [(way, tuple(places), start, end) for (way, start, end), places in merged.items()]


def _iterate_boundaries(along: Positions, *, outer: bool) -> Iterator[tuple[int, int, float]]:
    """Yield the two indices at each boundary with its place; dots have a boundary at each side."""
    indices = list(along.starts)
    if outer:
        yield -1, indices[0], along.starts[indices[0]]
    for one, other in pairwise(indices):
        end, start = along.starts[one] + 1, along.starts[other]
        if end == start:
            yield one, other, start
        elif outer:
            yield one, -1, end
            yield -1, other, start
    if outer:
        yield indices[-1], -1, along.starts[indices[-1]] + 1
