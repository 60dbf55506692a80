"""Items of figures of cells: arrays, labels beside them, flows, braces and bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, TypeAlias

from tikzgen.base.record import Record
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import Length, Pair
from tikzgen.model.looks import Phase

SpeltLines: TypeAlias = tuple[str, tuple[str, ...], str, str]
"""Parallel lines as a file states them: `h` or `v`, their places, and the two ends of each."""


class RowRuns(Record):
    """Filled runs of a row: its place, and start, length and style of each run; `high` is their height in cells."""

    at: str
    runs: tuple[tuple[str, str, str], ...]
    high: str = "1"


class RowTexts(Record):
    """Texts of a row: its place and the start of the names of its nodes; place, end of the name, and TeX of each.

    `ink` is the color of the texts if it is not the usual one.
    """

    at: str
    stem: str
    texts: tuple[tuple[str, str, str], ...]
    ink: str = ""


class SiteNode(Record):
    """A node over cells: its name, middle and size in cells, its text in TeX, and its styles.

    `pads` are the distances in cm by which it extends beyond the cells: left, right, above and below.
    """

    name: str
    at: tuple[str, str]
    size: tuple[str, str]
    text: str = ""
    styles: tuple[str, ...] = ()
    pads: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


class HeaderRow(Record):
    """Headers along one side: anchor, the fixed coordinate, and places with texts; `macro` formats the numbers.

    `axis` is `x` for headers of columns.
    """

    axis: str
    anchor: str
    fixed: str
    places: tuple[str, ...]
    texts: tuple[str, ...]
    macro: str = ""


class MarkedCells(Record):
    """Rectangles with one style: start and size of each, in cells."""

    style: str
    places: tuple[tuple[str, str, str, str], ...]


class BlockLayer(Record):
    """A layer of a block: its runs on the top and on the right side, with start, end and style of each."""

    number: int
    tops: tuple[tuple[str, str, str], ...]
    sides: tuple[tuple[str, str, str], ...]


class BlockItem(Item):
    """The top and the right side of an array with layers, seen obliquely, around its front.

    `corners` are the left, upper, right and lower edge of the front. `rules` are the places of the lines between
    columns and between rows. `texts` are labels of the last layer on the top: place, name, TeX and styles. `header` is
    the macro that formats the numbers of layers.
    """

    spelling: ClassVar[str] = "cells.block"

    corners: tuple[str, str, str, str]
    layers: tuple[BlockLayer, ...]
    rules: tuple[tuple[str, ...], tuple[str, ...]]
    texts: tuple[tuple[str, str, str, str], ...] = ()
    header: str = ""
    rule: str = "cell rule"


class ArrayItem(Item):
    """An array in a scope whose units are its cells; the rows count down.

    `units` are the macros of the width and the height of a cell, each with a factor. `block` are the layers behind the
    first one. Fills precede lines, borders, labels and headers. `remark` reports labels that the file does not contain.
    """

    spelling: ClassVar[str] = "cells.array"

    comment: str
    x: Length
    y: Length
    units: tuple[str, str]
    rows: tuple[RowRuns, ...] = ()
    block: BlockItem | None = None
    lines: tuple[tuple[str, tuple[SpeltLines, ...]], ...] = ()
    outline: tuple[str, str, str, str] | None = None
    boxes: tuple[MarkedCells, ...] = ()
    halves: tuple[tuple[str, str], ...] = ()
    dots: tuple[tuple[str, str, str], ...] = ()
    texts: tuple[RowTexts, ...] = ()
    nodes: tuple[SiteNode, ...] = ()
    headers: tuple[HeaderRow, ...] = ()
    looks: tuple[tuple[str, Phase], ...] = ()
    phases: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    remark: str = ""

    def iterate_remarks(self) -> Iterator[str]:
        yield from [self.remark] if self.remark else []

    def iterate_names(self) -> Iterator[str]:
        for row in self.texts:
            yield from (f"{row.stem}{end}" for _, end, _ in row.texts)
        yield from (node.name for node in self.nodes)
        yield from (name for _, name, _, _ in self.block.texts) if self.block else ()

    def iterate_macros(self) -> Iterator[str]:
        yield from (header.macro for header in self.headers if header.macro)
        yield from [self.block.header] if self.block and self.block.header else []

    def iterate_written_texts(self) -> Iterator[str]:
        yield from self.written

    def iterate_phases(self) -> Iterator[tuple[str, int]]:
        yield from ((phase, 0) for phase in self.phases)

    def iterate_looks(self) -> Iterator[tuple[str, Phase]]:
        yield from self.looks


class TextItem(Item):
    """A label at a point, by an anchor; `rotate` turns it by 90 degrees.

    `layer` is the macro that formats the number of a layer, if any, and this number, which follows the label.
    """

    spelling: ClassVar[str] = "cells.text"

    text: str
    at: Pair
    anchor: str
    styles: tuple[str, ...] = ("slbl",)
    rotate: bool = False
    layer: tuple[str, str] | None = None

    def iterate_macros(self) -> Iterator[str]:
        yield from (self.text, self.layer[0] if self.layer else "")


class GroupLineItem(Item):
    """A thin line between a header and a label over several of its rows or columns."""

    spelling: ClassVar[str] = "cells.group_line"
    look: ClassVar[str] = "spanning"

    start: Pair
    end: Pair


class CellFlowItem(Item):
    """A flow: its style, the spots through which it leads, its label and its number.

    A spot is an anchor of a node with a shift. `form` is `straight`, `curved` (the inner spots are control points, and
    a fourth one before the last is the end of the curve, from which it leads on straight) or
    `elbow` (then `corner` is TikZ's `|-` or `-|`). The label is at this share of it.
    """

    spelling: ClassVar[str] = "cells.flow"

    style: str
    spots: tuple[tuple[str, Pair], ...]
    form: str = "straight"
    corner: str = ""
    arrow: str = "forward"
    text: str = ""
    anchor: str = ""
    clear: bool = False
    share: float = 0.0
    step: str = ""
    name: str = ""

    def iterate_end_nodes(self) -> Iterator[str]:
        yield from (spot.partition(".")[0] for spot, _ in (self.spots[0], self.spots[-1]))

    def iterate_styles(self) -> Iterator[str]:
        if self.text:
            yield "slbl"
            yield "flbl"
        if self.step:
            yield "stepmark"
        if self.clear:
            yield "clear"


class EntryItem(Item):
    """An arrow to all arrays: its style, both ends, and its label with the anchor."""

    spelling: ClassVar[str] = "cells.entry"

    style: str
    start: Pair
    end: Pair
    text: str = ""
    anchor: str = ""

    def iterate_styles(self) -> Iterator[str]:
        if self.text:
            yield "slbl"
            yield "flbl"


class BarGridItem(Item):
    """Thin lines at the ticks of the axis, behind the bars; the unit of heights is the height of all bars."""

    spelling: ClassVar[str] = "cells.bar_grid"
    look: ClassVar[str] = "bar grid"

    x: Length
    y: Length
    height: Length
    ticks: tuple[str, ...]


class BarItem(Item):
    """A bar: its length, and start, length and style of its segments; `texts` are places, macros and inks.

    `label` is the macro of the text before it. `total` is the TeX of the text after it, which is at `total_at`.
    """

    spelling: ClassVar[str] = "cells.bar"

    x: Length
    y: Length
    length: str
    runs: tuple[tuple[str, str, str], ...]
    nodes: tuple[SiteNode, ...]
    texts: tuple[tuple[str, str, str], ...] = ()
    label: str = ""
    total: str = ""
    total_at: str = ""
    looks: tuple[tuple[str, Phase], ...] = ()
    phases: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    written: tuple[str, ...] = ()

    def iterate_names(self) -> Iterator[str]:
        yield from (node.name for node in self.nodes)

    def iterate_macros(self) -> Iterator[str]:
        yield self.label
        yield from (macro for _, macro, _ in self.texts)
        yield self.total.removeprefix("\\") if self.total.startswith("\\") else ""

    def iterate_written_texts(self) -> Iterator[str]:
        yield from self.written

    def iterate_styles(self) -> Iterator[str]:
        yield from ("bar edge", "cell text", "cell site", "header", *self.styles)

    def iterate_phases(self) -> Iterator[tuple[str, int]]:
        yield from ((phase, 0) for phase in self.phases)

    def iterate_looks(self) -> Iterator[tuple[str, Phase]]:
        yield from self.looks


class BarAxisItem(Item):
    """The axis below the bars, and limits across them: place, macro, anchor and shift of the label.

    The unit is `unit_off` cm to the right of the last tick.
    """

    spelling: ClassVar[str] = "cells.bar_axis"

    x: Length
    y: Length
    height: Length
    ticks: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    unit: str = ""
    unit_off: float = 0.0
    limits: tuple[tuple[str, str, str, Length], ...] = ()

    def iterate_macros(self) -> Iterator[str]:
        yield self.unit
        yield from (macro for _, macro, _, _ in self.limits)

    def iterate_styles(self) -> Iterator[str]:
        if self.ticks:
            yield from ("bar tick", "header")
        if self.limits:
            yield from ("size limit", "slbl")
