"""Items of placed notes in timelines and space-time diagrams."""

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
    """Yield the items of each note: its leader line or its numbers, then its label.

    `known` are the drawn times that the notes refer to. Positions are offsets from `origins`, times of rows, or from
    the beginning of the first row.
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
        place, macro = facts.spot_of(one.at, time, row), facts.find_field_macro("notes", index, "text")
        yield LabelItem((macro,), place, styles=look, wrap=one.wrap, known=moment)
