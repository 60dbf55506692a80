"""What stands where: plain frozen data between the description and its spelling in TikZ.

Lengths are in cm and symbolic (`Length`); texts are macros (`\\pslabel`) whose contents are parameters. The templates
in `templates/` spell each of these classes, one line an element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tikzgen.layout.length import ZERO, Length
from tikzgen.model.look import FlowKind, Phase

__all__ = [
    "Arrow",
    "Bar",
    "Box",
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
    "Mark",
    "Note",
    "Parameter",
    "Piece",
    "Rectangle",
    "Rule",
    "Scene",
    "Scope",
    "Style",
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


@dataclass(frozen=True, slots=True)
class Bar:
    """A span on a timeline: time and lane coordinates, in time units and lanes.

    `text` is the macro of what stands inside, `number` its argument where it takes one. `chunk` picks the shade of
    the phase, `heavy` a border for the critical path, `slide` the overlay from which it is shown (0: always).
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
    idle: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A frame on a timeline, in time units and lanes."""

    style: str
    x0: str
    y0: str
    x1: str
    y1: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across lanes with text at its end, or the time arrow."""

    style: str
    x0: str
    y0: str
    x1: str
    y1: str
    text: str = ""
    text_style: str = ""
    place: str = ""
    dx: str = ""


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

    `swatches` are the styles of its swatches side by side: one, or one for each shade of a phase.
    """

    name: str
    text: str
    swatches: tuple[str, ...] = ()


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


Item = Box | Caption | Mark | Edge | Family | Bar | Rectangle | Rule | Arrow | Fit | Key | Note | Title | Scope


@dataclass(frozen=True, slots=True)
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
    """A topology or a timeline around its own origin; `axis` is what a title above it is centred on."""

    items: tuple[Item, ...]
    extent: Extent
    axis: Length | None = None
    axes: str = ""
    struck: frozenset[str] = frozenset()


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
