"""How large an entity is, and the scene items that draw it."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.constants import (
    BOX_WIDTH,
    CAPTION_GAP_PT,
    CELL_HEIGHT,
    CELL_INNER,
    DOTS_LONG,
    DOTS_WIDE,
    ICON_INNER_PT,
    INNER,
    PAD,
    SHEET_OFFSET,
)
from tikzgen.layout.items import Caption, Item
from tikzgen.layout.length import NOWHERE, ZERO, Length, Pair
from tikzgen.layout.number_words import icon_macro, spell
from tikzgen.layout.topology.outlines import inset, outlined
from tikzgen.layout.topology.topology_items import Box, Mark
from tikzgen.layout.topology.topology_macros import node_stem
from tikzgen.model.entities import LOOKS, Dots, Entity, Server
from tikzgen.plane.units import CM_PER_PT
from tikzgen.text import Extent as TextExtent
from tikzgen.text import Tex, Text, stacked, typeset

_GAP = round(CAPTION_GAP_PT * CM_PER_PT, 2)  # cm
_CELL_GAP = 0.3  # cm between two cells
_WITHIN = 0.02  # cm between the rows of a record and its border
_CELLS_ABOVE = 0.15  # cm between a text and the cells below it
_ICON_GAP = 0.1  # cm between the icon in a card and the text
_ROUND_ENDS = 0.2  # cm more for the text of a pill
_ROUNDED = 0.2  # cm of the corners of a rounded box
_BROKEN = ("box", "rounded", "text")
_OUTLINED = ("circle", "diamond", "cylinder", "cloud")
_LONG, _PRESSED = 4.5, 1.8  # cm of a line in a box at most, and where captions are set narrow
_RISING = "d"
_LOW = 1.2 * CM_PER_PT  # less of a difference between the heights of two captions is not seen
_SLACK = 1.1  # for captions that TeX breaks


class Shape(Record):
    """The size of an entity around its centre, in cm; `below` is what a caption adds underneath, `form` its outline."""

    width: float
    height: float
    caption: float = 0.0
    below: float = 0.0
    form: str = "box"

    @property
    def span(self) -> float:
        """The width with the caption."""
        return max(self.width, self.caption)

    def inset(self, side: str, aside: float) -> float:
        """How far inside of its box a flow ends that meets one of its sides so far from the middle."""
        return round(inset(self.form, (self.width, self.height), side, aside), 3)


def _lines(plan: Plan, panel: str, node: Entity) -> list[str]:
    stem = node_stem(node)
    return [plan.labels.macro(panel, stem + kind) for kind in ("label", "sublabel") if getattr(node, kind)]


def shape_of(plan: Plan, panel: str, node: Entity | Dots, long: Pair = NOWHERE, *, level: bool = False) -> Shape:
    """Measure an entity; `long` is how wide and tall a box is that faces a whole level, `level` dots stand in a row."""
    if isinstance(node, Dots):
        return Shape(DOTS_LONG, DOTS_WIDE) if level else Shape(DOTS_WIDE, DOTS_LONG)
    text = stacked(node.label, node.sublabel)
    form = node.form
    if form == "icon":
        icon = plan.icons[node.icon or ""]
        if not text:
            return Shape(icon.width, icon.height)
        narrow = plan.name(panel, node.id) in plan.wrapped
        size = plan.measure(plan.broken(text, icon.width) if narrow else text)
        below = _GAP + 2 * INNER + (size.height if narrow else _raised(plan, text) or size.height) + size.depth
        # TeX breaks the lines itself: a paper's own font may be wider
        width = size.width * (_SLACK if narrow else 1)
        return Shape(icon.width, icon.height, width + 2 * INNER, below)
    size, _ = _in_lines(plan, node)
    width, height = size.width, size.height + size.depth
    if isinstance(node, Server) and node.rule:
        under = plan.measure(stacked(node.rule, node.sublabel))
        width = max(width, _head(plan, node) + plan.measure(node.rule).width)
        height = max(size.height, under.height) + max(size.depth, under.depth)
    if form == "text":
        return Shape(width + 2 * INNER, height + 2 * INNER)
    if form in _OUTLINED:
        if node.parts:
            width, height = max(width, _cells_wide(plan, node)), height + _cells_tall(plan, node)
        return Shape(*outlined(form, width, height), form=form)
    if form == "card":
        wide, tall = _icon_size(plan, node)
        width, height = max(width, wide), height + tall + (_ICON_GAP if text else 0.0)
    if form == "pill":
        width += _ROUND_ENDS
    if node.parts:
        width, height = max(width, _cells_wide(plan, node)), height + _cells_tall(plan, node)
    stack = 2 * SHEET_OFFSET * (node.replicas - 1)  # the box stays in the middle
    wide, tall = (one.at(plan.values) if plan.values else 0.0 for one in long)
    return Shape(max(width + 2 * PAD, BOX_WIDTH, wide) + stack, max(height + 2 * PAD, 0.8, tall) + stack)


def _in_lines(plan: Plan, node: Entity) -> tuple[TextExtent, float]:
    """The size of the text in a box, and the width that it is broken to, 0 where it is not.

    Rules stay whole, and what stands above cells or in an outline that would grow with the lines.
    """
    text = stacked(node.label, node.sublabel)
    if getattr(node, "rule", "") or node.parts or node.form not in _BROKEN:
        return plan.measure(text), 0.0
    return plan.in_lines(text, _PRESSED if plan.limit else _LONG)


def _icon_size(plan: Plan, node: Entity) -> tuple[float, float]:
    """What the icon in a card takes, with the room around it."""
    icon, around = plan.icons[node.icon or ""], 2 * ICON_INNER_PT * CM_PER_PT
    return icon.width + around, icon.height + around


def _last_depth(plan: Plan, text: Text) -> float:
    """How far the last line goes below its baseline, which is the baseline of a node."""
    if isinstance(text, Tex):
        return plan.measure(text if r"\\" not in text else "(").depth
    return plan.measure(text.rstrip().rpartition("\n")[2]).depth


def _head(plan: Plan, server: Server) -> float:
    """The width in cm of what stands before a server's rule."""
    return plan.measure(server.label, bold=True).width + plan.measure(": ").width if server.label else 0.0


def _cell_widths(plan: Plan, node: Entity) -> list[float]:
    if not node.parts:
        return []
    widest = max(plan.measure(part.label).width for part in node.parts)
    return [max(widest + 2 * 0.15, 0.9)] * len(node.parts)


def _cells_wide(plan: Plan, node: Entity) -> float:
    """The width in cm of all cells; rows reach to the borders of their box."""
    cells = _cell_widths(plan, node)
    if node.cells == "rows":
        return cells[0] - (0.0 if node.form == "cylinder" else 2 * PAD)
    return sum(cells) + (_CELL_GAP if node.cells == "apart" else 0.0) * (len(cells) - 1)


def _cells_tall(plan: Plan, node: Entity) -> float:
    """What the cells take below the text of a box, in cm."""
    if node.cells == "rows" and node.form != "cylinder":
        return max(_cell_height(plan, node) * len(node.parts) + _CELLS_ABOVE - PAD, 0.0)
    return _cell_height(plan, node) * (len(node.parts) if node.cells == "rows" else 1) + _CELLS_ABOVE


def _cell_marks(plan: Plan, panel: str, node: Entity, shape: Shape) -> Iterator[Mark]:
    """The cells of an entity."""
    name, widths, tall = plan.name(panel, node.id), _cell_widths(plan, node), _cell_height(plan, node)
    rows, slots = node.cells == "rows", node.form == "cylinder"
    base, of = PAD - 0.05, f"{name}.south"
    if slots:
        size = plan.measure(stacked(node.label, node.sublabel))
        base, of = -(size.height + size.depth + _cells_tall(plan, node)) / 2, f"{name}.center"
    elif rows:
        base = _WITHIN
    for index, part in enumerate(node.parts):
        macro = plan.labels.macro(panel, f"{node_stem(node)}part{spell(index + 1)}label") if part.label else ""
        width = widths[index]
        if rows:
            width = width if slots else shape.width - 2 * (SHEET_OFFSET * (node.replicas - 1) + _WITHIN)
            along, up = 0.0, base + tall * (len(widths) - 1 - index)
        else:
            along, up = (index - (len(widths) - 1) / 2) * (width + (_CELL_GAP if node.cells == "apart" else 0.0)), base
        yield Mark(f"{name}-part{index + 1}", ("cell", f"tone={part.color}"), macro, of, along, up, "south", width)


def _cell_height(plan: Plan, node: Entity) -> float:
    """How tall the cells of a box are, in cm: as tall as the tallest, whose text may have several lines."""
    sizes = [plan.measure(part.label) for part in node.parts if part.label]
    return max([CELL_HEIGHT, *(size.height + size.depth + 2 * CELL_INNER for size in sizes)])


def draw(
    plan: Plan, panel: str, node: Entity | Dots, x: Length, y: Length, long: Pair = NOWHERE, *, level: bool = False
) -> Iterator[Item]:
    """The items that draw an entity with its centre at (x, y)."""
    name = plan.name(panel, node.id)
    if isinstance(node, Dots):
        yield Box(name, x, y, ("omitted level" if level else "omitted",))
        return
    lines = tuple(_lines(plan, panel, node))
    states = () if node.state == "normal" else (node.state,)
    form = node.form
    if form == "icon":
        yield Box(name, x, y, ("icon", *states), (icon_macro(node.icon or "", node.color),), icon=True)
        return
    style, usual = LOOKS.get(getattr(node, "kind", "node"), ("box", "otgray"))
    rule = plan.labels.macro(panel, node_stem(node) + "rule") if getattr(node, "rule", "") else ""
    if rule and not node.label:
        lines = ("", *lines)
    several = bool(rule) and r"\\" in typeset(node.label).source
    cells = _cell_widths(plan, node)
    text = stacked(node.rule if isinstance(node, Server) and rule else node.label, node.sublabel)
    room = _cells_tall(plan, node) + _last_depth(plan, text) if cells else 0.0
    shape, (_, wrap) = shape_of(plan, panel, node), _in_lines(plan, node)
    wide = Length(_cells_wide(plan, node) + 2 * PAD if cells and form != "cylinder" else 0.0)
    if node.cells == "rows" and form != "cylinder":
        wide = Length(round(shape.width - 2 * SHEET_OFFSET * (node.replicas - 1), 3))
    head = 0.0
    if form == "card":
        icon_width, icon_height = _icon_size(plan, node)
        wide = max(wide, Length(icon_width + 2 * PAD), key=lambda length: length.at(plan.values))
        size = plan.measure(text)
        last = _last_depth(plan, text) if text else 0.0
        head = icon_height + (_ICON_GAP + size.height + size.depth - last if text else 0.0)
    if form == "pill":
        wide = Length(round(shape.width, 3))
    boxed, (across, up) = form in ("box", "rounded", "card"), long
    if across.at(plan.values) > shape.width and boxed:
        wide = across
    tall = up if up.at(plan.values) > shape.height and boxed else ZERO
    styles = (*_outline(shape, form, style, node.color or usual), *states)
    if form in ("rounded", "pill"):  # a state has corners of its own
        styles = (*styles, f"rounded corners={_ROUNDED if form == 'rounded' else round(shape.height / 2 - 0.05, 3)}cm")
    yield Box(
        name,
        x,
        y,
        styles,
        lines,
        wide,
        room,
        node.replicas,
        rule=rule,
        lines=several,
        head=head,
        height=tall,
        wrap=wrap,
    )
    if form == "card":  # an anchor would be that of the texts in the icon as well
        macro = icon_macro(node.icon or "", node.color)
        yield Mark(f"{name}-icon", ("icon",), macro, f"{name}.north", 0.0, -PAD - icon_height / 2)
    yield from _cell_marks(plan, panel, node, shape)


def _outline(shape: Shape, form: str, style: str, color: str) -> tuple[str, ...]:
    """The styles of what is around an entity's text."""
    if form == "text":
        return ("plain text",)
    if form == "circle":
        return (style, f"tone={color}", "round")
    if form in _OUTLINED:
        return (style, f"{form} outline={{{color}}}{{{shape.width:.4g}cm}}{{{shape.height:.4g}cm}}")
    return (style, f"tone={color}")


def caption(plan: Plan, panel: str, node: Entity, *, named: bool) -> Caption | None:
    """The text below an icon; it has a name where a flow must begin under it."""
    lines = tuple(_lines(plan, panel, node))
    if node.form != "icon" or not lines:
        return None
    name = plan.name(panel, node.id)
    width = shape_of(plan, panel, node).caption - 2 * INNER if name in plan.wrapped else 0.0
    head = 0.0 if width else _raised(plan, stacked(node.label, node.sublabel))
    return Caption(lines, ("slbl",), below=name, name=f"{name}-label" if named else "", wrap=width, head=head)


def _raised(plan: Plan, text: Tex | Text) -> float:
    """The height that a caption of one line has for letters that rise though it has none, so that captions of a row
    stand on one line; 0 where it is as high by itself, or has several lines."""
    usual, own = plan.measure(_RISING), plan.measure(text)
    low = own.height < usual.height - _LOW and own.height + own.depth < 2 * usual.height
    return round(usual.height, 3) if low else 0.0
