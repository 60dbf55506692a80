"""Contents of the cells of a timeline: numbers in their phase's format, and the names of its macro."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TypeAlias

from tikzgen.base.record import Record
from tikzgen.model.figure import FigureModel
from tikzgen.model.timeline import Bubble, Half, Span, Timeline
from tikzgen.text import fill_number, typeset_label

_STANDING_IN = "9081726354"  # digits that no format contains, in place of the argument


CellClass: TypeAlias = tuple[str, float]
"""Cells of one phase and one length, in time units."""


def name_cell_class(phase: str, length: float) -> CellClass:
    """Return the class of a cell; lengths differ if they differ by a millionth of a time unit."""
    return phase, round(length, 6)


class NumberedCells(Record):
    """Cells that differ only in numbers with equally many digits: one `text`, `length` in time units."""

    phase: str
    text: str
    length: float
    lanes: int

    @property
    def kind(self) -> CellClass:
        """The class of its cells."""
        return name_cell_class(self.phase, self.length)


class NumberRange(Record):
    """Smallest and largest number of a phase; `marks`: numbers on the first lane with their middle times.

    Times are in time units.
    """

    low: int
    high: int
    marks: tuple[tuple[int, float], ...] = ()


def cell_stem(phase: str) -> str:
    """Return the stem of the macro that sets the numbers of a phase."""
    return f"{phase} cell"


def make_macro_body(cell: str) -> str:
    """Return the body of the macro that sets a number in this format: `#1` is the number."""
    return typeset_label(fill_number(cell, int(_STANDING_IN))).source.replace(_STANDING_IN, "#1")


def format_comment(text: str) -> str:
    """Return a string as a comment at the end of a line."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def split_span(span: Span) -> Iterator[tuple[Span | Half, float]]:
    """Yield the parts of a span with their shares of it: one, or two in a fused cell."""
    if span.second is None:
        yield span, 1.0
        return
    share = float(span.second.share)
    yield span, 1.0 - share
    yield span.second, share


class NumberedCell(Record):
    """Part of a span that shows a number, with the shares of the span before the part and of it."""

    span: Span
    half: Span | Half
    number: int
    before: float
    share: float


def find_numbered_cells(part: Timeline) -> list[NumberedCell]:
    """Return the cells of a timeline that show a number, in the order of its spans."""
    found = []
    for span in part.spans:
        if span.second is None:
            if span.number is not None and not span.label:
                found.append(NumberedCell(span, span, span.number, 0.0, 1.0))
            continue
        before = 0.0
        for half, share in split_span(span):
            if half.number is not None and not half.label:
                found.append(NumberedCell(span, half, half.number, before, share))
            before += share
    return found


def list_kinds_of_cells(
    figure: FigureModel, cells: Iterable[NumberedCell], length: Callable[[Span], float]
) -> tuple[NumberedCells, ...]:
    """Return the kinds of numbered cells; `length` returns the length of a span.

    The number of kinds is small even if there are many cells.
    """
    found: dict[tuple[str, int, float, int], int] = {}
    for cell in cells:
        kind = cell.half.phase, len(str(cell.number)), length(cell.span) * cell.share, len(cell.span.lanes)
        found.setdefault(kind, cell.number)
    return tuple(
        NumberedCells(phase, fill_number(figure.phase(phase).cell, number), long, lanes)
        for (phase, _, long, lanes), number in found.items()
    )


def find_number_ranges(
    part: Timeline, cells: Iterable[NumberedCell], place: Callable[[Fraction], Fraction]
) -> dict[str, NumberRange]:
    """Return the number ranges of phases whose numbers count.

    The numbers rise along every lane, and no cell has the shade of a chunk.
    """
    seen: dict[tuple[str, str], int] = {}
    numbers: dict[str, set[int]] = {}
    marks: dict[str, list[tuple[int, float]]] = {}
    others: set[str] = set()
    for cell in sorted(cells, key=lambda cell: float(cell.span.start)):
        span, phase, number = cell.span, cell.half.phase, cell.number
        lane = span.lanes[0]
        numbers.setdefault(phase, set()).add(number)
        if cell.half.chunk or number <= seen.get((lane, phase), -1):
            others.add(phase)
        seen[lane, phase] = number
        if lane == part.lanes[0].id:
            start, end = float(place(span.start)), float(place(span.end))
            marks.setdefault(phase, []).append((number, start + (end - start) * (cell.before + cell.share / 2)))
    return {
        phase: NumberRange(min(found), max(found), tuple(marks.get(phase, ())))
        for phase, found in numbers.items()
        if phase not in others
    }


def collect_chunks(part: Timeline) -> dict[str, frozenset[int]]:
    """Return the phases of a timeline in the order of use, each with its chunks."""
    found: dict[str, set[int]] = {}
    for span in part.spans:
        for half in (span, span.second) if span.second else (span,):
            found.setdefault(half.phase, set()).add(half.chunk)
    return {phase: frozenset(used) for phase, used in found.items()}


def name_bubbles(part: Timeline) -> Iterator[tuple[Bubble, str]]:
    """Yield every bubble with its name: `<lane>-bubble<k>`, counted from 1 in each lane."""
    counts: dict[str, int] = {}
    for bubble in part.bubbles:
        counts[bubble.lane] = counts.get(bubble.lane, 0) + 1
        yield bubble, f"{bubble.lane}-bubble{counts[bubble.lane]}"
