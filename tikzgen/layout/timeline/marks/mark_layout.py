"""Layout of marks that packages provide: their positions next to the lanes, and their items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tikzgen.base.extensions import load_instance
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import SymbolicBox
from tikzgen.layout.time.part_with_time import Side
from tikzgen.layout.timeline.marks.pack_shelves import Put, Want
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.timeline import type_of


class MarkLayout:
    """Layout of the marks of one type.

    `key` identifies a mark among all marks next to the lanes; `macro` is the macro of a label.
    """

    def wants(self, facts: TimelineOnPaper, side: Side, key: tuple[str, int], mark: Any) -> Iterator[Want]:
        """Yield the place that a mark needs before or after the lanes, so that nothing else is drawn there."""
        yield from ()

    def items(self, facts: TimelineOnPaper, index: int, mark: Any, put: Put | None) -> Iterator[Item | SymbolicBox]:
        """Yield the items of a mark and their areas; `put` is its position."""
        yield from ()


def wants_of_packages(facts: TimelineOnPaper, side: Side) -> Iterator[Want]:
    """Yield the requests of marks of packages."""
    for index, mark in enumerate(facts.part.marks):
        yield from _layout_of(mark).wants(facts, side, ("marks", index), mark)


def package_mark_parts(facts: TimelineOnPaper, put: Mapping[tuple[str, int], Put]) -> Iterator[Item | SymbolicBox]:
    """Yield the items of marks of packages."""
    for index, mark in enumerate(facts.part.marks):
        yield from _layout_of(mark).items(facts, index, mark, put.get(("marks", index)))


def _layout_of(mark: Any) -> MarkLayout:
    made: MarkLayout = load_instance(type_of(mark).layout_address)
    return made
