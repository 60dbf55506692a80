"""Items of timelines only: spans as bars or in rows, the ruler, braces, and step curves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tikzgen.base.record import Record
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import Length
from tikzgen.layout.time.timed_items import TimedPoint
from tikzgen.text import Tex


class CellText(Record):
    """A label as set in a cell: its macro, the macro's number, and its size if it is not the usual one.

    It is empty if no label fits. `reads` is the visible text. A `turned` label is rotated by 90 degrees from the usual
    direction in its span.
    """

    macro: str = ""
    size: str = ""
    reads: str = ""
    number: str = ""
    turned: bool = False

    @property
    def lines(self) -> bool:
        """Whether it has several lines."""
        return ("\\\\" if isinstance(self.reads, Tex) else "\n") in self.reads


NO_CELL_TEXT = CellText()


class HalfBar(Record):
    """The second part of a fused span: `share` of the bar, up to its end."""

    phase: str
    share: str
    said: CellText
    chunk: int


class SpanItem(Item):
    """A span on a timeline: time and lane coordinates, in time units and lanes.

    `said` is its label. `chunk` selects the shade of the phase, `heavy` a border for the critical path, `slide` the
    first overlay that shows it (0: all). An `arrow` has no fill, because an outline below it is filled. `idle` marks a
    bubble, with a lighter border; `comment` ends its line in the file. `full` is its share of the height. `even` means
    that labels of its lane need an adjustment to share a baseline.
    """

    spelling: ClassVar[str] = "timeline.bar"

    name: str
    phase: str
    start: str
    duration: str
    lane: float
    lanes: float
    said: CellText = NO_CELL_TEXT
    level: bool = False
    chunk: int = 0
    second: HalfBar | None = None
    fault: bool = False
    heavy: bool = False
    slide: int = 0
    idle: bool = False
    comment: str = ""
    arrow: bool = False
    full: float = 1.0
    even: bool = False

    def iterate_macros(self) -> Iterator[str]:
        yield self.said.macro
        if self.second:
            yield self.second.said.macro

    def iterate_styles(self) -> Iterator[str]:
        yield from super().iterate_styles()
        yield "flatspan" if self.level else "span"
        if self.second or self.fault:  # its cross is between its fill and its label
            yield "flatfused" if self.level else "fused"
        marks = ("bubble", self.idle), ("critical", self.heavy), ("fault", self.fault), ("even", self.even)
        yield from (style for style, used in marks if used)

    def iterate_phases(self) -> Iterator[tuple[str, int]]:
        yield self.phase, self.chunk
        if self.second:
            yield self.second.phase, self.second.chunk


class SpanRowsItem(Record):
    """Spans of equal style: `batches` of rows (start, lane, duration, label), in time units and lanes.

    `gaps` are the halves of a gap at their beginning and end, 0 for runs. Corners are sharp, because rounded corners
    cost TeX 2 ms each. The rows take the lanes' height from `low` to `high`. `macro` sets the labels if they are
    numbers; otherwise each row names its own macro.
    """

    styles: str
    lanes: str
    batches: tuple[tuple[tuple[str, str, str, str], ...], ...]
    gaps: tuple[int, int]
    low: str = "0"
    high: str = "1"
    texts: bool = False
    macro: str = ""
    size: str = ""
    level: bool = False
    lines: bool = False


class SpanMassItem(Item):
    """More spans than TeX can draw as nodes, written as rows; `points` are spans that still need a node.

    `looks` are the phases with their chunks, `text` the macros that the rows use, `notes` the omissions and merges.
    """

    spelling: ClassVar[str] = "mass.mass"

    direction: str
    count: int
    groups: tuple[SpanRowsItem, ...]
    points: tuple[SpanItem, ...]
    looks: tuple[tuple[str, int], ...]
    text: tuple[str, ...]
    notes: tuple[str, ...]

    def iterate_names(self) -> Iterator[str]:
        yield from (name for bar in self.points for name in bar.iterate_names())

    def iterate_styles(self) -> Iterator[str]:
        yield from (style for bar in self.points for style in bar.iterate_styles())
        if any("bubble" in rows.styles.split(", ") for rows in self.groups):
            yield "bubble"

    def iterate_phases(self) -> Iterator[tuple[str, int]]:
        yield from self.looks

    def iterate_remarks(self) -> Iterator[str]:
        yield from self.notes


class NumberItem(Item):
    """A number next to the first lane, at a time: it counts cells that are too small for their numbers."""

    spelling: ClassVar[str] = "timeline.numeral"
    look: ClassVar[str] = "numeral"

    start: str
    lane: str
    text: str
    number: str
    color: str
    anchor: str


class BraceItem(Item):
    """A curly brace over a period from a point; `mirrored` if it opens towards the label's top."""

    spelling: ClassVar[str] = "timeline.brace"
    look: ClassVar[str] = "brace"

    at: TimedPoint
    duration: str
    mirrored: bool = False
    known: str = ""


class TicksItem(Item):
    """Tick marks on the time axis and the numbers under some of them: positions in time units, and text."""

    spelling: ClassVar[str] = "timeline.ticks"

    row: str
    shift: Length
    marks: tuple[str, ...]
    numbers: tuple[tuple[str, str], ...]
    drop: float
    direction: str
    size: str

    def iterate_styles(self) -> Iterator[str]:
        yield "tick"
        if self.numbers:
            yield "number"


class GridLinesItem(Item):
    """Thin lines at the ticks, across the lanes from one row to another."""

    spelling: ClassVar[str] = "timeline.grid"
    look: ClassVar[str] = "grid line"

    marks: tuple[str, ...]
    first: str
    last: str


class StepCurveItem(Item):
    """A step curve over time in the row of a lane: corners in time units and in its own units.

    `top` is the value that fills the row. `over` are the parts above the `cap`, each with its corners. The label at
    the cap is `cap_text` (a macro) or `cap_number`. `peak` is the position and text of the number of the greatest
    value; `inside` means that it is inside the curve.
    """

    spelling: ClassVar[str] = "timeline.steps"

    name: str
    row: str
    top: str
    direction: str
    corners: tuple[tuple[str, str], ...]
    over: tuple[tuple[tuple[str, str], ...], ...]
    cap: str
    end: str
    cap_text: str
    cap_number: str
    cap_size: str
    peak: tuple[str, str, str]
    inside: bool

    def iterate_macros(self) -> Iterator[str]:
        yield self.cap_text

    def iterate_styles(self) -> Iterator[str]:
        yield "levels"
        if self.over:
            yield "over"
        if self.cap:
            yield "limit"
        if self.cap or self.peak[0]:
            yield "number"
