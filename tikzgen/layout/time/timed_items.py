"""What timelines and space-time diagrams are both drawn with: frames, lines and texts at points of a time and a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tikzgen.base.record import Record
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO, Length


class TimedPoint(Record):
    """A point on a timeline: a moment and a lane, shifted on paper; or a node's anchor (`name`)."""

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
    """A line through points of a timeline, with text on it or at its end.

    `pos` is the share of the line at which the text stands: of its last leg, or of the one that `leg` counts from 1.
    `along` sets the text along time, `wrap` breaks it (cm), `name` names the middle, `clear` sets the text on paper,
    over the line.
    `slide` is the overlay from which it is shown (0: always), `known` the moment of which it speaks, on paper, where
    that is not its own last one. A `phase` with its chunk is whose look it has; a `bent` one is a curve: its spots are
    the ends and the control points of a cubic.
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

    def rests(self) -> Iterator[str]:
        yield from (at.name.partition(".")[0] for at in self.spots if at.name)

    def phases(self) -> Iterator[tuple[str, int]]:
        if self.phase:
            yield self.phase

    def uses(self) -> Iterator[str]:
        yield from super().uses()
        if self.text:
            yield "slbl"


class LabelItem(Item):
    """Text, or a sign without any, at a point of a timeline; `along` sets it along time, `wrap` breaks it (cm)."""

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

    def rests(self) -> Iterator[str]:
        yield from (self.at.name.partition(".")[0],) if self.at.name else ()


class NoteNumberItem(Item):
    """The number of a note in a circle: before it, and at what it is about."""

    spelling: ClassVar[str] = "timeline.note_number"

    number: int
    at: TimedPoint
    styles: tuple[str, ...] = ("stepmark",)
    known: str = ""
