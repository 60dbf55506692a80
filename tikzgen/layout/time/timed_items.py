"""Items of timelines and space-time diagrams: frames, lines and labels at points of a time and row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tikzgen.base.record import Record
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO, Length


class TimedPoint(Record):
    """A point of a timeline: a time and a lane, with a shift on the page; or a node's anchor (`name`)."""

    x: str = ""
    y: str = ""
    dx: Length = ZERO
    dy: Length = ZERO
    name: str = ""


ORIGIN_POINT = TimedPoint()


class RectangleItem(Item):
    """A frame between two corners: a period over lanes."""

    spelling: ClassVar[str] = "timeline.rectangle"

    styles: tuple[str, ...]
    corner: TimedPoint
    far: TimedPoint


class PathItem(Item):
    """A line through points of a timeline, with a label on it or at its end.

    The label is at share `pos` of the last segment, or of segment `leg` (from 1). `along` sets it along time, and
    `wrap` is the width at which it wraps (cm). `name` is the name of the middle. `clear` gives the label a background
    over the line. `slide` is the first overlay that shows it (0: all). `known` is the drawn time that it refers to, if
    that is not its last one. `phase` and its chunk select its style. A `bent` line is a curve: its spots are the ends
    and control points of a cubic.
    """

    spelling: ClassVar[str] = "timeline.path_through"

    styles: tuple[str, ...]
    spots: tuple[TimedPoint, ...]
    text: str = ""
    anchor: str = ""
    pos: float = 1.0
    along: bool = False
    size: str = ""
    closed: bool = False
    name: str = ""
    slide: int = 0
    leg: int = 0
    clear: bool = False
    known: str = ""
    phase: tuple[str, int] | None = None
    bent: bool = False
    wrap: float = 0.0

    def iterate_end_nodes(self) -> Iterator[str]:
        yield from (at.name.partition(".")[0] for at in self.spots if at.name)

    def iterate_phases(self) -> Iterator[tuple[str, int]]:
        if self.phase:
            yield self.phase

    def iterate_styles(self) -> Iterator[str]:
        yield from super().iterate_styles()
        if self.text:
            yield "slbl"


class LabelItem(Item):
    """A label, or a marker without label, at a point of a timeline.

    `along` sets it along time; `wrap` is the width at which it wraps (cm).
    """

    spelling: ClassVar[str] = "timeline.label"

    text: tuple[str, ...]
    at: TimedPoint
    anchor: str = ""
    styles: tuple[str, ...] = ("slbl",)
    size: str = ""
    wrap: float = 0.0
    along: bool = False
    rotate: int = 0
    name: str = ""
    known: str = ""

    def iterate_end_nodes(self) -> Iterator[str]:
        yield from (self.at.name.partition(".")[0],) if self.at.name else ()


class NoteNumberItem(Item):
    """The number of a note in a circle: before the note, and at its subject."""

    spelling: ClassVar[str] = "timeline.note_number"

    number: int
    at: TimedPoint
    styles: tuple[str, ...] = ("stepmark",)
    known: str = ""
