"""What stands where: plain frozen data between the description and its spelling in TikZ.

Lengths are in cm and symbolic (`Length`); texts are macros (`\\pslabel`) whose contents are parameters. The templates
in `templates/` spell each of these classes, one line an element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tikzgen.layout.length import ZERO, Length
from tikzgen.model.look import FlowKind, Phase

__all__ = [
    "Arrow",
    "Bar",
    "Box",
    "Brace",
    "Caption",
    "Edge",
    "Entry",
    "Extent",
    "Family",
    "Fit",
    "HalfBar",
    "IconPicture",
    "Item",
    "Key",
    "Label",
    "Mark",
    "Mass",
    "Note",
    "Numeral",
    "Parameter",
    "Path",
    "Piece",
    "Rectangle",
    "Rows",
    "Scene",
    "Scope",
    "Spot",
    "Steps",
    "Style",
    "Ticks",
    "Title",
    "union",
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A macro at the top of the file."""

    name: str
    value: str
    meaning: str
    type: Literal["length-cm", "text", "text-of-number"]

    @property
    def argument(self) -> str:
        """What stands between the macro and its body: the format of a number takes the number."""
        return "#1" if self.type == "text-of-number" else ""

    @property
    def macro(self) -> str:
        return f"\\{self.name}"


@dataclass(frozen=True, slots=True)
class Style:
    """A named style; `kind` picks how it is spelt, `look` holds the colours of flows and phases."""

    name: str
    kind: str
    look: FlowKind | Phase | None = None


@dataclass(frozen=True, slots=True)
class IconPicture:
    """An icon that the figure uses, with the macro that draws it."""

    macro: str
    icon: str
    color: str


@dataclass(frozen=True, slots=True)
class Box:
    """A named node: an icon, or a box with text and cells.

    With a `rule`, the first text is the head before it, which may have several `lines`.
    """

    name: str
    x: Length
    y: Length
    styles: tuple[str, ...]
    text: tuple[str, ...] = ()
    width: Length = ZERO
    room: float = 0.0
    sheets: int = 1
    icon: bool = False
    rule: str = ""
    lines: bool = False


@dataclass(frozen=True, slots=True)
class Caption:
    """Text without a name of its own: below a node (`below`), or at a place, by an anchor."""

    text: tuple[str, ...]
    styles: tuple[str, ...]
    below: str = ""
    x: Length = ZERO
    y: Length = ZERO
    anchor: str = ""
    shift: float = 0.0
    name: str = ""
    wrap: float = 0.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A small node set off from another node's anchor: a shard, a legend swatch, a step number."""

    name: str
    styles: tuple[str, ...]
    text: str
    of: str
    dx: float = 0.0
    dy: float = 0.0
    anchor: str = ""
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Edge:
    """A flow between two nodes; ends are `node.anchor`, shifted by `source_shift` and `target_shift` (x, y).

    A curve sets out `bend` degrees to the left of the line between its ends. A flow with a corner makes it by `turn`,
    `-|` or `|-`; a bus has one more, `trunk` away from the end that is its `hub`: "source" or "target".
    An `inline` label interrupts its own line: it has neighbours on both sides.
    """

    style: str
    source: str
    target: str
    source_shift: tuple[Length, Length] = (ZERO, ZERO)
    target_shift: tuple[Length, Length] = (ZERO, ZERO)
    route: str = "straight"
    bend: int = 0
    label: str = ""
    label_style: str = ""
    side: str = "left"
    pos: float = 0.5
    arrow: str = "forward"
    points: tuple[tuple[float, str], ...] = ()
    step: str = ""
    turn: str = ""
    hub: str = ""
    trunk: tuple[Length, Length] = (ZERO, ZERO)
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    r"""Flows that differ only in the member at one end: one `\foreach` over the members."""

    members: tuple[str, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class HalfBar:
    """The second part of a fused span: `share` of the bar, up to its end. Texts as in `Bar`."""

    phase: str
    share: str
    text: str = ""
    number: str = ""
    size: str = ""
    chunk: int = 0
    lines: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """A span on a timeline: time and lane coordinates, in time units and lanes.

    `text` is the macro of what stands inside, `number` its argument where it takes one. `chunk` picks the shade of
    the phase, `heavy` a border for the critical path, `slide` the overlay from which it is shown (0: always),
    `lines` whether the text has several.
    `idle` marks a bubble, whose border recedes; `comment` ends its line in the file.
    """

    name: str
    phase: str
    start: str
    duration: str
    lane: float
    lanes: float
    text: str = ""
    number: str = ""
    size: str = ""
    level: bool = False
    chunk: int = 0
    second: HalfBar | None = None
    fault: bool = False
    heavy: bool = False
    slide: int = 0
    lines: bool = False
    idle: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """Spans of a mass that look alike: `batches` of rows (start, lane, duration, text), in time units and lanes.

    `line` is the width of their borders in pt, 0 for none, of ink or (not `inked`) of paper; `inset` leaves a line of
    paper between the lanes. `macro` sets the texts, which are numbers then; without it each row names its own macro.
    """

    styles: str
    line: str
    inked: bool
    lanes: str
    batches: tuple[tuple[tuple[str, str, str, str], ...], ...]
    inset: bool = False
    texts: bool = False
    macro: str = ""
    size: str = ""
    level: bool = False
    lines: bool = False


@dataclass(frozen=True, slots=True)
class Mass:
    """More spans than TeX bears as nodes, spelt row by row; `points` are those that need a node all the same.

    `looks` are the phases with their chunks, `text` the macros that the rows use, `notes` what was left out or merged.
    """

    direction: str
    count: int
    groups: tuple[Rows, ...]
    points: tuple[Bar, ...] = ()
    looks: tuple[tuple[str, int], ...] = ()
    text: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number beside the first lane, at a moment: cells that cannot carry theirs are counted by it."""

    start: str
    lane: str
    text: str
    number: str
    color: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A frame on a timeline, in time units and lanes."""

    style: str
    x0: str
    y0: str
    x1: str
    y1: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A point on a timeline: a moment and a lane, shifted on paper; or a node's anchor (`name`)."""

    x: str = ""
    y: str = ""
    dx: Length = ZERO
    dy: Length = ZERO
    name: str = ""


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points of a timeline, with text on it or at its end.

    `pos` is the share of the line at which the text stands, `along` sets it along time, `name` names the middle.
    `slide` is the overlay from which it is shown (0: always).
    """

    styles: tuple[str, ...]
    spots: tuple[Spot, ...]
    text: str = ""
    anchor: str = ""
    pos: float = 1.0
    along: bool = False
    size: str = ""
    closed: bool = False
    name: str = ""
    slide: int = 0


@dataclass(frozen=True, slots=True)
class Label:
    """Text, or a sign without any, at a point of a timeline; `along` sets it along time, `wrap` breaks it (cm)."""

    text: tuple[str, ...]
    at: Spot
    anchor: str = ""
    styles: tuple[str, ...] = ("slbl",)
    size: str = ""
    wrap: float = 0.0
    along: bool = False
    rotate: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Brace:
    """A curly brace over a period from a point on; `mirrored` where it opens towards the text's top."""

    at: Spot
    duration: str
    mirrored: bool = False


@dataclass(frozen=True, slots=True)
class Ticks:
    """Tick marks on the time arrow and the numbers under some of them: places in time units with what they say."""

    row: str
    shift: Length
    marks: tuple[str, ...]
    numbers: tuple[tuple[str, str], ...]
    drop: float
    direction: str
    size: str


@dataclass(frozen=True, slots=True)
class Steps:
    """A step curve over time in the row of a lane: corners in time units and in units of its own.

    `top` is the value that fills the row; `over` are the parts above the `cap`, each with its corners. At the cap
    stands `cap_text` (a macro) or `cap_number`; `peak` is where the number of the greatest value stands, and it.
    """

    name: str
    row: str
    top: str
    direction: str
    corners: tuple[tuple[str, str], ...]
    over: tuple[tuple[tuple[str, str], ...], ...] = ()
    cap: str = ""
    end: str = ""
    cap_text: str = ""
    cap_number: str = ""
    cap_size: str = ""
    peak: tuple[str, str, str] = ("", "", "")


@dataclass(frozen=True, slots=True)
class Arrow:
    """A link between panels: a curve whose control points lie `reach` cm from its ends, in these directions."""

    source: str
    target: str
    out_angle: int
    in_angle: int
    reach: float
    arrow: str


@dataclass(frozen=True, slots=True)
class Fit:
    """A frame around named nodes with a label on its upper edge."""

    name: str
    members: tuple[str, ...]
    label: str
    pad: float
    label_name: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of the figure with its own origin; `axes` gives a timeline its unit vectors."""

    comment: str
    items: tuple[Item, ...]
    x: Length = ZERO
    y: Length = ZERO
    axes: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the legend: its nodes are `legend-<name>` and `legend-<name>-text`.

    `swatches` are the styles of its swatches side by side: one, or one for each shade of a phase. `number` is the
    argument of a text that takes one. A `tall` text is centred on its swatch; all others stand on one baseline.
    """

    name: str
    text: str
    swatches: tuple[str, ...] = ()
    number: str = ""
    tall: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A row of the legend, from `x` on."""

    x: Length
    y: Length
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A comment line that opens a section of the file."""

    text: str


@dataclass(frozen=True, slots=True)
class Title:
    """The figure's title, centred above everything; `wrap` is the width in cm that it is broken to."""

    text: str
    x: Length
    y: Length
    wrap: float = 0.0


Item = (
    Box
    | Caption
    | Mark
    | Edge
    | Family
    | Bar
    | Mass
    | Rectangle
    | Path
    | Label
    | Brace
    | Ticks
    | Steps
    | Arrow
    | Fit
    | Key
    | Note
    | Numeral
    | Title
    | Scope
)


# Not frozen, though nobody changes one, as lengths are not.
@dataclass(slots=True, unsafe_hash=True)
class Extent:
    """The corners of what is drawn."""

    left: Length = ZERO
    bottom: Length = ZERO
    right: Length = ZERO
    top: Length = ZERO

    def moved(self, dx: Length, dy: Length) -> Extent:
        return Extent(self.left + dx, self.bottom + dy, self.right + dx, self.top + dy)

    def grown(self, by: float) -> Extent:
        return Extent(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def width(self, values: Mapping[str, float]) -> float:
        return self.right.at(values) - self.left.at(values)

    def height(self, values: Mapping[str, float]) -> float:
        return self.top.at(values) - self.bottom.at(values)


def union(extents: Sequence[Extent], values: Mapping[str, float]) -> Extent:
    """The smallest rectangle around all: each side by the length that reaches farthest for these values."""

    def reach(length: Length) -> float:
        return length.at(values)

    return Extent(
        min((extent.left for extent in extents), key=reach),
        min((extent.bottom for extent in extents), key=reach),
        max((extent.right for extent in extents), key=reach),
        max((extent.top for extent in extents), key=reach),
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A topology or a timeline around its own origin; `axis` is what a title above it is centred on.

    `outlines` are the places of the nodes that links can end on, by name; spans are found by their times.
    """

    items: tuple[Item, ...]
    extent: Extent
    axis: Length | None = None
    axes: str = ""
    struck: frozenset[str] = frozenset()
    outlines: Mapping[str, Extent] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scene:
    """All that the templates need to write one file."""

    parameters: tuple[Parameter, ...]
    palette: Mapping[str, str]
    palette_name: str
    styles: tuple[Style, ...]
    icons: tuple[IconPicture, ...]
    items: tuple[Item, ...]
    extent: Extent
    libraries: tuple[str, ...]
    packages: tuple[str, ...]
    cjk: bool
    family: str
    size: float
    fixed: bool = False
    notes: tuple[str, ...] = ()

    @property
    def timed(self) -> bool:
        """Whether it has a timeline: what only these need is compiled for them alone."""
        return any(isinstance(item, Scope) and item.axes for item in self.items)

    @property
    def massed(self) -> bool:
        """Whether it has rows of more spans than nodes can draw."""
        return any(isinstance(part, Mass) for item in self.items if isinstance(item, Scope) for part in item.items)
