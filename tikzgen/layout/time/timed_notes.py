"""Notes of timelines and space-time diagrams, as they are drawn where they found their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count

from tikzgen.layout.place_free_notes import Stood
from tikzgen.layout.time.part_with_time import PartWithTime
from tikzgen.layout.time.timed_items import LabelItem, NoteNumberItem, PathItem


def note_items(
    facts: PartWithTime,
    stood: Sequence[Stood],
    *,
    known: Sequence[str] = (),
    origins: Sequence[tuple[Fraction, float]] = (),
) -> Iterator[PathItem | LabelItem | NoteNumberItem]:
    """Each note behind its line, or its number.

    `known` are the moments of which they speak, on paper, where that is told. They are set off from `origins`,
    moments of rows, or from the beginning of the first row.
    """
    numbers = count(1)
    for index, one in enumerate(stood):
        time, row = origins[index] if origins else (Fraction(0), 0)
        moment = known[index] if known else ""
        if one.line:
            yield PathItem(("note line",), tuple(facts.spot_of(at, time, row) for at in one.line), known=moment)
        number = next(numbers) if one.numbered else 0
        for at in one.numbered:
            yield NoteNumberItem(number, facts.spot_of(at, time, row), known=moment)
        look = ("boxed note",) if one.note.boxed else ("slbl",)
        place, macro = facts.spot_of(one.at, time, row), facts.macro("notes", index, "text")
        yield LabelItem((macro,), place, styles=look, wrap=one.wrap, known=moment)
