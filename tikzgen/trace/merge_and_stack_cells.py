"""Events become cells that a page can show: what is too near to be told apart is one cell, which knows how full it is.

Cells are drawn and never measured. Events of a class that are less than `gap` apart, in a lane, are one cell; cells of
a lane that overlap stand in rows of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from tikzgen.base.intervals import Interval, sum_lengths, union
from tikzgen.base.record import Record
from tikzgen.trace.exact_times import Time
from tikzgen.trace.run_model import Annotation


class MergedEvents(Record):
    """What is drawn as one: `events` of one class; `busy` is how long any of them ran."""

    name: str
    start: Time
    end: Time
    events: int
    busy: Time

    @property
    def occupancy(self) -> Fraction:
        """The share of its length in which something ran; an instant is full."""
        return Fraction(self.busy) / Fraction(self.end - self.start) if self.end > self.start else Fraction(1)


def merge_cells(name: str, intervals: Iterable[Interval], gap: Time) -> list[MergedEvents]:
    """The cells of the events of one class in one lane, in the order of time.

    >>> [(cell.start, cell.end, cell.events, str(cell.occupancy)) for cell in merge_cells("gemm", [(0, 2), (3, 4)], 1)]
    [(0, 4, 2, '3/4')]
    """
    cells: list[MergedEvents] = []
    held: list[Interval] = []
    reached: Time = 0

    def close() -> None:
        if held:
            cells.append(MergedEvents(name, held[0][0], reached, len(held), sum_lengths(union(held))))

    for start, end in sorted(intervals):
        if held and start - reached > gap:
            close()
            held = []
        reached = max(reached, end) if held else end
        held.append((start, end))
    close()
    return cells


class StackedCells(Record):
    """Cells of a lane in rows in which they do not overlap; `clipped` is how many end where the next one starts."""

    rows: Sequence[Sequence[MergedEvents]]
    clipped: int = 0


def stack_cells(cells: Iterable[MergedEvents], clip: Time) -> StackedCells:
    """Lay the cells of a lane in as few rows as may be: an overlap of at most `clip` is cut off, a longer one takes
    another row. Instants overlap nothing."""
    rows: list[list[MergedEvents]] = []
    clipped = 0
    for cell in sorted(cells, key=lambda each: (each.start, each.end, each.name)):
        for row in rows:
            last = row[-1]
            over = last.end - cell.start
            if over <= 0:
                row.append(cell)
                break
            if over <= clip and last.start < cell.start < cell.end:
                row[-1] = MergedEvents(
                    last.name, last.start, cell.start, last.events, min(last.busy, cell.start - last.start)
                )
                row.append(cell)
                clipped += 1
                break
        else:
            rows.append([cell])
    return StackedCells(rows, clipped)


def outermost_spans(spans: Iterable[Annotation]) -> dict[str, list[Annotation]]:
    """Return the spans of each lane that no other span of the lane contains, sorted by start."""
    by_lane: defaultdict[str, list[Annotation]] = defaultdict(list)
    for each in sorted(spans, key=lambda each: (each.start, -each.end)):
        own = by_lane[each.lane]
        if not own or each.end > own[-1].end:
            own.append(each)
    return dict(sorted(by_lane.items()))
