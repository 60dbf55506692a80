r"""Items of a scene: the base class of all items, and the items that any figure may contain.

Lengths are in cm and symbolic (`Length`). Labels are macros (`\pslabel`) whose contents are parameters. The templates
in `templates/` write each item, one line per element, with the macro that its class names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from tikzgen.base.record import Record
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair
from tikzgen.model.looks import Phase


class Item(Record):
    """An element of the drawing, with the macros, styles and nodes that it uses.

    `spelling` names the template macro that writes it: `topology.edge` is `edge` in `topology.tex.j2`. `look` is the
    style of all items of the class.
    """

    spelling: ClassVar[str]
    look: ClassVar[str] = ""

    def iterate_names(self) -> Iterator[str]:
        """Yield the names of its nodes and points, in the order of the file: by default its `name`."""
        if name := getattr(self, "name", ""):
            yield name

    def iterate_macros(self) -> Iterator[str]:
        """Yield the macros of its labels, by default of its `text`; some may be empty."""
        text: str | tuple[str, ...] = getattr(self, "text", ())
        yield from (text,) if isinstance(text, str) else text

    def iterate_styles(self) -> Iterator[str]:
        """Yield its styles except the styles of flows and phases; `clear` items have a background over a line."""
        if self.look:
            yield self.look
        yield from (style.partition("=")[0] for style in getattr(self, "styles", ()))
        if getattr(self, "clear", False):
            yield "clear"
        if getattr(self, "slide", 0):
            yield "from slide"

    def iterate_phases(self) -> Iterator[tuple[str, int]]:
        """Yield the phases whose styles it uses, each with the chunk that selects the shade."""
        yield from ()

    def iterate_looks(self) -> Iterator[tuple[str, Phase]]:
        """Yield the styles of its other fills, each with its look."""
        yield from ()

    def iterate_written_texts(self) -> Iterator[str]:
        """Yield the labels whose TeX it contains itself, without macros."""
        yield from ()

    def iterate_end_nodes(self) -> Iterator[str]:
        """Yield the names of the nodes at which it ends or to which it is attached."""
        ends = (getattr(self, field, "") for field in ("source", "target", "below", "of"))
        yield from (end.partition(".")[0] for end in ends if end)

    def iterate_remarks(self) -> Iterator[str]:
        """Yield remarks on the drawing for the author of the description."""
        yield from ()


class CaptionItem(Item):
    """Text without its own name: below a node (`below`), or at a point (`x`, `y`) by an anchor.

    Below a node, `head` is the text height in cm (0: its own), and `drop` an extra distance from the node in cm.
    """

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
    """A link between panels: a curve whose control points are `reach` cm from its ends, at these angles."""

    spelling: ClassVar[str] = "elements.arrow"
    look: ClassVar[str] = "link"

    source: str
    target: str
    out_angle: int
    in_angle: int
    reach: float
    arrow: str


class ElbowItem(Item):
    """An orthogonal link through a point: `first` and `last` are TikZ's `|-` or `-|` before and after it."""

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
    """An element with the first slide that shows it; replaced once the slides of all elements are known."""

    slide: int
    item: Item


class ScopeItem(Item):
    """A part of the figure with its own origin.

    If `axes`, the direction of its time, is set, its `kind` sets the unit vectors. `slide` is the first slide that
    shows its contents (0: all slides). Without a `comment`, the scope only sets the slide.
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
    """Yield all items, each scope before its contents."""
    for item in items:
        yield item
        if isinstance(item, ScopeItem):
            yield from with_nested(item.items)


class LegendEntryItem(Record):
    """An entry of the legend: its nodes are `legend-<name>` and `legend-<name>-text`.

    `swatches` are the styles of its swatches, side by side: one, or one for each shade of a phase. `number` is the
    argument of a label with a number. Instead of swatches, an entry may have a `line` in a style, or a `sign` in a
    circle. A `tall` label is centered on its swatch; all others share one baseline. `slide` is the first slide that
    shows it. `chunk` is the chunk of a single swatch of a phase. `pale` swatches need a border to be visible.
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
    """A row of the legend, which begins at `x`."""

    spelling: ClassVar[str] = "elements.key"

    x: Length
    y: Length
    entries: tuple[LegendEntryItem, ...]

    def iterate_names(self) -> Iterator[str]:
        yield from (f"legend-{entry.name}{end}" for entry in self.entries for end in ("", "-text"))

    def iterate_macros(self) -> Iterator[str]:
        yield from (entry.text for entry in self.entries)

    def iterate_styles(self) -> Iterator[str]:
        yield "slbl"
        yield from ("entry" for entry in self.entries if not entry.tall)
        yield from ("swatch" for entry in self.entries if entry.swatches)
        yield from ("pale" for entry in self.entries if entry.pale)
        yield from ("stepmark" for entry in self.entries if entry.sign)
        for swatch in (swatch for entry in self.entries for swatch in entry.swatches):
            yield from (style.partition("=")[0] for style in swatch.split(", "))
        yield from ("fault" for entry in self.entries if "fault" in entry.swatches)
        yield from ("from slide" for entry in self.entries if entry.slide)

    def iterate_phases(self) -> Iterator[tuple[str, int]]:
        own = ((entry, name_phase_style(entry.name, entry.chunk)) for entry in self.entries)
        yield from ((entry.name, entry.chunk) for entry, look in own if look in entry.swatches)


class NoteItem(Item):
    """A comment line that opens a section of the file."""

    spelling: ClassVar[str] = "elements.note"

    comment: str
    is_remark: bool = False

    def iterate_remarks(self) -> Iterator[str]:
        if self.is_remark:
            yield self.comment


def with_comment(title: str, section: Iterable[object]) -> tuple[Item, ...]:
    """Return the items of a section after the comment that opens it; nothing for an empty section."""
    found = [part for part in section if isinstance(part, Item)]
    return (NoteItem(title), *found) if found else ()


class SpanningItem(Item):
    """A brace or range between two points, which opens away from a `side` of its part, with its label."""

    spelling: ClassVar[str] = "topology.spanning"

    start: Pair
    middle: Pair
    end: Pair
    side: str
    text: str
    anchor: str
    form: str = "brace"

    def iterate_styles(self) -> Iterator[str]:
        yield "spanning" if self.form == "brace" else "ranging"
        if self.text:
            yield "slbl"


class AsideItem(Item):
    """A note around its middle, wrapped at a width if that is not 0, with a leader `line` to its subject."""

    spelling: ClassVar[str] = "topology.aside"

    at: Pair
    text: str
    boxed: bool
    wrap: float
    line: tuple[Pair, ...]

    def iterate_styles(self) -> Iterator[str]:
        yield "boxed note" if self.boxed else "slbl"
        if self.line:
            yield "note line"


class TitleItem(Item):
    """Title of the figure, above all items, `across` from its middle; `wrap` is its wrap width in cm."""

    spelling: ClassVar[str] = "elements.title"

    text: str
    across: Length
    wrap: float

    def iterate_styles(self) -> Iterator[str]:
        yield "heading"


def name_value_style(number: int) -> str:
    """Return the name of the style of a class of values."""
    return f"value {number}"


def name_owner_style(owner: int) -> str:
    """Return the name of the style of an owner."""
    return f"owner {owner}"


def list_owner_styles(owner: int | None) -> tuple[str, ...]:
    """Return the style of an owner, if any."""
    return () if owner is None else (name_owner_style(owner),)


def name_phase_style(phase: str, chunk: int) -> str:
    """Return the name of the style of a phase for a chunk; chunk 0 uses the style of the phase itself."""
    return f"{phase} shade {chunk}" if chunk else f"{phase} phase"


def name_fill_style(role: str | None, owner: int | None, hatch: str) -> str:
    """Return the name of the style of cells and parts of bars with a role or an owner."""
    if hatch != "none":
        return f"{name_owner_style(owner) if owner is not None else role} {hatch.removesuffix(' lines')}"
    return name_phase_style(role, 0) if role is not None else name_owner_style(owner or 0)
