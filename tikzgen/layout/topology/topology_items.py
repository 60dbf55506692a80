"""Scene items of a topology: nodes, marks at nodes, flows, and frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, TypeAlias

from tikzgen.base.plane import Point
from tikzgen.base.record import Record
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO, ZERO_PAIR, Length, Pair


class NodeItem(Item):
    """A named node: an icon, or a box with a label and cells.

    With a `rule`, the first label is the head before it, which may have several `lines`. `room` is free space below the
    last line for cells. `head` is the height above that line, with an icon.
    """

    spelling: ClassVar[str] = "topology.box"

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
    head: float = 0.0
    height: Length = ZERO
    wrap: float = 0.0

    def iterate_macros(self) -> Iterator[str]:
        yield from self.text
        yield self.rule


class MarkItem(Item):
    """A small node set off from another node's anchor: a shard, a legend swatch, a step number."""

    spelling: ClassVar[str] = "topology.mark"

    name: str
    styles: tuple[str, ...]
    text: str
    of: str
    dx: float = 0.0
    dy: float = 0.0
    anchor: str = ""
    width: float = 0.0
    height: float = 0.0


PathPlace: TypeAlias = tuple[int, float]
"""The number of an operation of a path, and the share of it as TikZ's `pos` counts it."""


class Crossing(Record):
    """A point at the x of an anchor and the y of the anchor `level_with`, or at one anchor, plus a shift."""

    anchor: str
    shift: Pair
    level_with: str = ""


class FlowItem(Item):
    """A flow between two nodes; ends are `node.anchor`, shifted by `source_shift` and `target_shift` (x, y).

    It runs to each corner by TikZ's `-|`, `|-` or `--`, then to its end by the `last` of these. The corners of a
    `curved` one are round. Or it is one curve that leaves `bend` degrees to the left of the line between its ends.
    Label, step number and named points are on an operation, at TikZ's `pos`. The label is next to the line, by an
    `anchor` and a shift, or by TikZ's `auto`; at the `center` it interrupts the line.
    With `only_texts`, another item draws the line; `on_trunk`, other items draw its parts.
    """

    spelling: ClassVar[str] = "topology.way"

    style: str
    source: str
    target: str
    source_shift: Pair = ZERO_PAIR
    target_shift: Pair = ZERO_PAIR
    corners: tuple[tuple[str, Crossing], ...] = ()
    last: str = "--"
    arrow: str = "forward"
    curved: bool = False
    bend: int = 0
    only_texts: bool = False
    on_trunk: bool = False
    label: str = ""
    at: PathPlace = (0, 0.5)
    anchor: str = "auto"
    off: Point | None = None
    turned: str = ""
    wrap: float = 0.0
    step: str = ""
    step_at: PathPlace = (0, 0.5)
    points: tuple[tuple[str, PathPlace], ...] = ()

    def iterate_names(self) -> Iterator[str]:
        yield from (name for name, _ in self.points)

    def iterate_macros(self) -> Iterator[str]:
        yield self.label

    def iterate_styles(self) -> Iterator[str]:
        if self.style == "dependency":
            yield self.style
        if self.on_trunk:
            yield "on trunk"
        if self.label:
            yield from ("slbl", "flbl")
        if self.step:
            yield "stepmark"


class FlowLoopItem(Item):
    r"""Flows that differ only in the member at one end: one `\foreach` over the members."""

    spelling: ClassVar[str] = "topology.family"

    members: tuple[str, ...]
    ways: tuple[FlowItem, ...]

    def iterate_styles(self) -> Iterator[str]:
        yield from (style for way in self.ways for style in way.iterate_styles())


class FitItem(Item):
    """A frame around named nodes and around points next to them.

    Its label is inside, `at` one of its corners or at the middle of a side.
    """

    spelling: ClassVar[str] = "topology.fit"

    name: str
    members: tuple[str, ...]
    label: str
    pad: float
    label_name: str
    at: str
    reach: tuple[Crossing, ...] = ()

    def iterate_names(self) -> Iterator[str]:
        yield self.name
        if self.label_name:
            yield self.label_name

    def iterate_macros(self) -> Iterator[str]:
        yield self.label

    def iterate_end_nodes(self) -> Iterator[str]:
        yield from self.members

    def iterate_styles(self) -> Iterator[str]:
        yield "group"
        if self.label:
            yield "slbl"
