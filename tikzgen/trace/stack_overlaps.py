"""Cells of a lane that overlap stand in rows of their own, as few as may be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tikzgen.base.record import Record
from tikzgen.trace.merge_cells import Cell
from tikzgen.trace.stamps import Time


class Rows(Record):
    """Cells of a lane in rows in which they do not overlap; `clipped` is how many end where the next one starts."""

    rows: Sequence[Sequence[Cell]]
    clipped: int = 0


def stack_cells(cells: Iterable[Cell], clip: Time) -> Rows:
    """Lay the cells of a lane in as few rows as may be: an overlap of at most `clip` is cut off, a longer one takes
    another row. Instants overlap nothing."""
    rows: list[list[Cell]] = []
    clipped = 0
    for cell in sorted(cells, key=lambda each: (each.start, each.end, each.name)):
        for row in rows:
            last = row[-1]
            over = last.end - cell.start
            if over <= 0:
                row.append(cell)
                break
            if over <= clip and last.start < cell.start < cell.end:
                row[-1] = Cell(last.name, last.start, cell.start, last.events, min(last.busy, cell.start - last.start))
                row.append(cell)
                clipped += 1
                break
        else:
            rows.append([cell])
    return Rows(rows, clipped)
