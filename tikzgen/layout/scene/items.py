"""What a figure is made of, whatever it shows: the base of all items, and those that every figure may have.

Lengths are in cm and symbolic (`Length`); texts are macros (`\\pslabel`) whose contents are parameters. The templates
in `templates/` spell each of these classes, one line an element, by the macro that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import ZERO, Length


class Item(Record):
    """Something that is drawn; each kind says what the rest of the file must have for it.

    `spelling` names the macro that spells it: `topology.edge` is `edge` in `topology.tex.j2`; `look` is the style that
    all of its kind have.
    """

    spelling: ClassVar[str]
    look: ClassVar[str] = ""

    def names(self) -> Iterator[str]:
        """The names of its nodes and points, in the order of the file: its own, unless a kind has others."""
        if name := getattr(self, "name", ""):
            yield name

    def macros(self) -> Iterator[str]:
        """The macros of its texts, those of its `text` unless a kind has others; some may be empty."""
        text: str | tuple[str, ...] = getattr(self, "text", ())
        yield from (text,) if isinstance(text, str) else text

    def uses(self) -> Iterator[str]:
        """The styles that it is drawn with, but for those of flows and phases: `clear` ones on paper over a line."""
        if self.look:
            yield self.look
        yield from (style.partition("=")[0] for style in getattr(self, "styles", ()))
        if getattr(self, "clear", False):
            yield "clear"
        if getattr(self, "slide", 0):
            yield "from slide"

    def phases(self) -> Iterator[tuple[str, int]]:
        """The phases whose styles it is drawn with, each with the chunk that picks its shade."""
        yield from ()

    def rests(self) -> Iterator[str]:
        """The names of the nodes that it ends on, or stands at."""
        ends = (getattr(self, field, "") for field in ("source", "target", "below", "of"))
        yield from (end.partition(".")[0] for end in ends if end)

    def remarks(self) -> Iterator[str]:
        """What the reader of the description should know of the drawing."""
        yield from ()

    def within(self) -> Item:
        """The same inside a `ScopeItem`."""
        return self


class CaptionItem(Item):
    """Text without a name of its own: below a node (`below`), where it may be as high as `head` cm at least, or `drop`
    cm lower than usual, or at a place, by an anchor."""

    spelling: ClassVar[str] = "elements.caption"

    text: tuple[str, ...]
    styles: tuple[str, ...]
    below: str = ""
    x: Length = ZERO
    y: Length = ZERO
    anchor: str = ""
    name: str = ""
    wrap: float = 0.0
    head: float = 0.0
    drop: float = 0.0


class ArrowItem(Item):
    """A link between panels: a curve whose control points lie `reach` cm from its ends, in these directions."""

    spelling: ClassVar[str] = "elements.arrow"
    look: ClassVar[str] = "link"

    source: str
    target: str
    out_angle: int
    in_angle: int
    reach: float
    arrow: str


class ElbowItem(Item):
    """A link with square corners: by way of a point, as TikZ's `|-` and `-|` turn before and after it."""

    spelling: ClassVar[str] = "elements.elbow"
    look: ClassVar[str] = "link"

    source: str
    target: str
    first: str
    last: str
    x: Length
    y: Length
    arrow: str


class ShownItem(Item):
    """An element with the slide from which it is shown, until all are known."""

    slide: int
    item: Item

    def within(self) -> ShownItem:
        return ShownItem(self.slide, self.item.within())


class ScopeItem(Item):
    """A part of the figure with its own origin; `axes`, the direction of its time, has its `kind` give unit vectors.

    `slide` is the one from which all in it is shown (0: always); without a `comment` that is all that it says.
    """

    spelling: ClassVar[str] = "elements.scope"

    comment: str
    items: tuple[Item, ...]
    x: Length = ZERO
    y: Length = ZERO
    axes: str = ""
    kind: str = ""
    slide: int = 0


def with_nested(items: Iterable[Item]) -> Iterator[Item]:
    """All items, each scope before what is in it."""
    for item in items:
        yield item
        if isinstance(item, ScopeItem):
            yield from with_nested(item.items)


class LegendEntryItem(Record):
    """An entry of the legend: its nodes are `legend-<name>` and `legend-<name>-text`.

    `swatches` are the styles of its swatches side by side: one, or one for each shade of a phase. `number` is the
    argument of a text that takes one. In place of swatches a `line` may be drawn in a style, or a `sign` in a circle.
    A `tall` text is centred on its swatch; all others stand on one baseline.
    `slide` is the one from which it is shown. `chunk` is that of its one swatch, where it is its phase's. Swatches that
    are `pale` have an edge, without which they would not be seen alone.
    """

    name: str
    text: str = ""
    swatches: tuple[str, ...] = ()
    number: str = ""
    tall: bool = False
    slide: int = 0
    chunk: int = 0
    pale: bool = False
    line: str = ""
    sign: str = ""


class LegendItem(Item):
    """A row of the legend, from `x` on."""

    spelling: ClassVar[str] = "elements.key"

    x: Length
    y: Length
    entries: tuple[LegendEntryItem, ...]

    def names(self) -> Iterator[str]:
        yield from (f"legend-{entry.name}{end}" for entry in self.entries for end in ("", "-text"))

    def macros(self) -> Iterator[str]:
        yield from (entry.text for entry in self.entries)

    def uses(self) -> Iterator[str]:
        yield "slbl"
        yield from ("entry" for entry in self.entries if not entry.tall)
        yield from ("swatch" for entry in self.entries if entry.swatches)
        yield from ("pale" for entry in self.entries if entry.pale)
        yield from ("stepmark" for entry in self.entries if entry.sign)
        for swatch in (swatch for entry in self.entries for swatch in entry.swatches):
            yield from (style.partition("=")[0] for style in swatch.split(", "))
        yield from ("fault" for entry in self.entries if "fault" in entry.swatches)
        yield from ("from slide" for entry in self.entries if entry.slide)

    def phases(self) -> Iterator[tuple[str, int]]:
        own = ((entry, shade(entry.name, entry.chunk)) for entry in self.entries)
        yield from ((entry.name, entry.chunk) for entry, look in own if look in entry.swatches)


class NoteItem(Item):
    """A comment line that opens a section of the file."""

    spelling: ClassVar[str] = "elements.note"

    comment: str
    is_remark: bool = False

    def remarks(self) -> Iterator[str]:
        if self.is_remark:
            yield self.comment


def with_comment(title: str, section: Iterable[object]) -> tuple[Item, ...]:
    """Return the items of a section after the comment that opens it; none for an empty section."""
    found = [part for part in section if isinstance(part, Item)]
    return (NoteItem(title), *found) if found else ()


class TitleItem(Item):
    """The figure's title, centred above everything; `wrap` is the width in cm that it is broken to."""

    spelling: ClassVar[str] = "elements.title"

    text: str
    x: Length
    y: Length
    wrap: float


def shade(phase: str, chunk: int) -> str:
    """The name of the style of a phase that works on a chunk: the first chunk has the phase's own."""
    return f"{phase} shade {chunk}" if chunk else f"{phase} phase"
