"""How large an entity is, and the scene items that draw it."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.record import Record
from tikzgen.layout.constants import (
    BOX_WIDTH,
    CAPTION_GAP_PT,
    DOTS_LONG,
    DOTS_WIDE,
    HIGHLIGHT_LINE_PT,
    ICON_INNER_PT,
    INNER,
    LINE_PT,
    PAD,
    SHEET_OFFSET,
)
from tikzgen.layout.items import Caption, Item
from tikzgen.layout.lengths import NOWHERE, ZERO, Length, Pair
from tikzgen.layout.number_words import icon_macro
from tikzgen.layout.plan import Plan
from tikzgen.layout.topology.node_cells import Strip, cell_marks, cells_tall, cells_wide, chips, strip_of
from tikzgen.layout.topology.outlines import inset, outlined
from tikzgen.layout.topology.topology_items import Box, Mark
from tikzgen.layout.topology.topology_macros import node_stem
from tikzgen.model.entities import LOOKS, Dots, Entity, Server
from tikzgen.plane.rectangles import Point
from tikzgen.plane.units import CM_PER_PT
from tikzgen.text import Extent as TextExtent
from tikzgen.text import Tex, Text, stacked, typeset

_GAP = round(CAPTION_GAP_PT * CM_PER_PT, 2)  # cm
_ICON_GAP = 0.1  # cm between the icon in a card and the text
_AROUND = 0.06  # cm between a text and the cross of what has failed
_BORDERLESS = ("normal", "idle")  # states that draw nothing around a text
_ROUND_ENDS = 0.36  # cm more for the text of a pill
_ROUNDED = 0.2  # cm of the corners of a rounded box
_BROKEN = ("box", "rounded", "text")
_BROKEN_IF_PRESSED = (*_BROKEN, "cylinder")  # which grows twice as much as its text
_OUTLINED = ("circle", "diamond", "cylinder", "cloud")
_LONG, _PRESSED = 4.5, 1.8  # cm of a line in a box at most, and where captions are set narrow
_OUTLINES = {
    "icon": 0.4,
    "box": LINE_PT,
    "highlighted": HIGHLIGHT_LINE_PT,
    "slow": 2 * LINE_PT,
}  # pt; anchors are half of it outside
_RISING = "d"
_LOW, _SEEN = (
    1.2 * CM_PER_PT,
    0.5 * CM_PER_PT,
)  # less between the heights of texts in boxes, and of captions, is not seen
_RISE = 3 * CM_PER_PT  # what a caption may rise into the 4 pt between it and its icon
_SLACK = 1.1  # for captions that TeX breaks


class Shape(Record):
    """The size of an entity around its centre, in cm; `below` is what a caption adds underneath, `form` its outline.

    The `strip` of cells outside of a box is part of it: the box stands aside of the centre.
    """

    width: float
    height: float
    caption: float = 0.0
    below: float = 0.0
    form: str = "box"
    strip: Strip = Strip()

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
        icon = plan.icon(node.icon or "")
        if not text:
            return Shape(icon.width, icon.height)
        narrow = plan.name(panel, node.id) in plan.wrapped
        lines = plan.broken(text, _caption_room(plan, node)) if narrow else text
        size = plan.measure(lines)
        below = _GAP + 2 * INNER + (_raised(plan, lines) or size.height + _drop(plan, lines)) + size.depth
        # TeX breaks the lines itself: a paper's own font may be wider
        width = size.width * (_SLACK if narrow else 1)
        return Shape(icon.width, icon.height, width + 2 * INNER, below)
    size, _ = _in_lines(plan, node)
    width, height = size.width, (_head_of_line(plan, node) or size.height) + size.depth
    if rule := _rule(node):
        under = plan.measure(stacked(rule, node.sublabel))
        width = max(width, _head(plan, node) + plan.measure(rule).width)
        height = max(size.height, under.height) + max(size.depth, under.depth)
    if form == "text" and node.state in _BORDERLESS:
        return Shape(width + 2 * INNER, height + 2 * INNER, form=form)
    if form in _OUTLINED:
        if node.parts:
            width, height = max(width, cells_wide(plan, node)), height + cells_tall(plan, node)
        return Shape(*outlined(form, width, height), form=form)
    if form == "card":
        wide, tall = _icon_size(plan, node)
        width, height = max(width, wide), height + tall + (_ICON_GAP if text else 0.0)
    if form == "pill":
        width += _ROUND_ENDS
    if node.parts and node.part_side == "inside":
        width, height = max(width, cells_wide(plan, node)), height + cells_tall(plan, node)
    stack = 2 * SHEET_OFFSET * (node.replicas - 1)  # the box stays in the middle
    wide, tall = (one.at(plan.values) if plan.values else 0.0 for one in long)
    strip = strip_of(plan, node)
    width, height = max(width + 2 * PAD, BOX_WIDTH, wide, strip.wide), max(height + 2 * PAD, 0.8, tall, strip.tall)
    across, up = strip.deep
    return Shape(width + stack + across, height + stack + up, strip=strip)


def half_of(node: Entity | Dots, shape: Shape) -> Point:
    """Half the width and height of an entity out to its anchors, in cm."""
    boxed = getattr(node, "form", "") != "icon"
    line = _OUTLINES.get(getattr(node, "state", ""), _OUTLINES["box" if boxed else "icon"]) * CM_PER_PT / 2
    stack = 0.0 if isinstance(node, Dots) else SHEET_OFFSET * (node.replicas - 1) * boxed
    around = line - stack + (0.0 if boxed else ICON_INNER_PT * CM_PER_PT)
    return shape.width / 2 + around, shape.height / 2 + around


def _in_lines(plan: Plan, node: Entity) -> tuple[TextExtent, float]:
    """The size of the text in a box, and the width that it is broken to, 0 where it is not.

    Rules stay whole, and what stands above cells or in an outline that would grow with the lines.
    """
    text = stacked(node.label, node.sublabel)
    broken = _BROKEN_IF_PRESSED if plan.limit else _BROKEN
    if _has_more(node) or node.form not in broken:
        return plan.measure(text), 0.0
    return plan.in_lines(text, _PRESSED if plan.limit else _LONG)


def _head_of_line(plan: Plan, node: Entity) -> float:
    """The height that a text of one line in a box has for letters that rise though it has none; 0 as by itself."""
    plain = node.form in (*_BROKEN, "pill", *_OUTLINED) and not _has_more(node)
    usual, own = plan.measure(_RISING).height, plan.measure(stacked(node.label, node.sublabel))
    low = own.height < usual - _LOW and own.height + own.depth < 2 * usual
    return round(usual, 3) if plain and low else 0.0


def _icon_size(plan: Plan, node: Entity) -> tuple[float, float]:
    """What the icon in a card takes, with the room around it."""
    icon, around = plan.icon(node.icon or ""), 2 * ICON_INNER_PT * CM_PER_PT
    return icon.width + around, icon.height + around


def _last_depth(plan: Plan, text: Text) -> float:
    """How far the last line goes below its baseline, which is the baseline of a node."""
    if isinstance(text, Tex):
        return plan.measure(text if r"\\" not in text else "(").depth
    return plan.measure(text.rstrip().rpartition("\n")[2]).depth


def _rule(node: Entity) -> Text:
    return node.rule if isinstance(node, Server) else ""


def _has_more(node: Entity) -> bool:
    """Whether there is more than one text in a box."""
    return bool(_rule(node)) or bool(node.parts and node.part_side == "inside")


def _head(plan: Plan, server: Entity) -> float:
    """The width in cm of what stands before a server's rule."""
    return plan.measure(server.label, bold=True).width + plan.measure(": ").width if server.label else 0.0


def draw(
    plan: Plan, panel: str, node: Entity | Dots, x: Length, y: Length, long: Pair = NOWHERE, *, level: bool = False
) -> Iterator[Item]:
    """The items that draw an entity with its centre at (x, y)."""
    name = plan.name(panel, node.id)
    if isinstance(node, Dots):
        yield Box(name, x, y, ("omitted level" if level else "omitted",))
        return
    lines = tuple(_lines(plan, panel, node))
    form, shape = node.form, shape_of(plan, panel, node)
    states = tuple(_state(plan, node, shape))
    faint = states if node.state == "idle" else ()  # which all that stands in the entity is with it
    if form == "icon":
        yield Box(name, x, y, ("icon", *states), (icon_macro(node.icon or "", node.color),), icon=True)
        return
    style, usual = LOOKS.get(getattr(node, "kind", "node"), ("box", "otgray"))
    rule = plan.labels.macro(panel, node_stem(node) + "rule") if _rule(node) else ""
    if rule and not node.label:
        lines = ("", *lines)
    several = bool(rule) and r"\\" in typeset(node.label).source
    cells = node.parts if node.part_side == "inside" else []
    text = stacked(_rule(node) or node.label, node.sublabel)
    room = cells_tall(plan, node) + _last_depth(plan, text) if cells else 0.0
    _, wrap = _in_lines(plan, node)
    dx, dy = shape.strip.aside
    x, y = x + dx, y + dy
    wide = Length(cells_wide(plan, node) + 2 * PAD if cells and form != "cylinder" else 0.0)
    if node.cells == "rows" and form != "cylinder":
        wide = Length(round(shape.width - 2 * SHEET_OFFSET * (node.replicas - 1), 3))
    head = _head_of_line(plan, node)
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
    if shape.strip.side in ("above", "below"):
        wide = Length(round(shape.width - 2 * SHEET_OFFSET * (node.replicas - 1), 3))
    elif shape.strip.side:
        tall = Length(round(shape.height - 2 * SHEET_OFFSET * (node.replicas - 1), 3))
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
        yield Mark(f"{name}-icon", ("icon", *faint), macro, f"{name}.north", 0.0, -PAD - icon_height / 2)
    inner = 2 * SHEET_OFFSET * (node.replicas - 1)
    if shape.strip.side:
        yield from chips(plan, panel, node, shape.strip, shape.width - inner, shape.height - inner)
    else:
        yield from cell_marks(plan, panel, node, shape.width - inner)


def _state(plan: Plan, node: Entity, shape: Shape) -> Iterator[str]:
    """The style of an entity's condition. The cross of what has failed ends around a text: so far from the middle."""
    if node.state != "failed":
        yield from () if node.state == "normal" else (node.state,)
        return
    size, _ = _in_lines(plan, node)
    stack = 2 * SHEET_OFFSET * (node.replicas - 1)
    width, height = shape.width - stack, shape.height - stack
    inside = width - 2 * PAD, height - 2 * PAD
    if not _has_more(node) and node.form != "card":
        inside = size.width, (_head_of_line(plan, node) or size.height) + size.depth
    share = min((inside[0] + 2 * _AROUND) / width, (inside[1] + 2 * _AROUND) / height, 1.0)
    share *= node.form != "icon" and bool(stacked(node.label, node.sublabel))
    yield f"failed={{{round(share * width / 2, 3)}}}{{{round(share * height / 2, 3)}}}"


def _outline(shape: Shape, form: str, style: str, color: str) -> tuple[str, ...]:
    """The styles of what is around an entity's text."""
    if form == "text":
        return ("plain text",) if shape.form == form else (style,)
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
    narrow, text = name in plan.wrapped, stacked(node.label, node.sublabel)
    width = shape_of(plan, panel, node).caption - 2 * INNER if narrow else 0.0
    text = plan.broken(text, _caption_room(plan, node)) if narrow else text
    head, drop = _raised(plan, text), _drop(plan, text)
    own = f"{name}-label" if named else ""
    return Caption(lines, ("slbl",), below=name, name=own, wrap=width, head=head, drop=drop)


def _caption_room(plan: Plan, node: Entity) -> float:
    """How wide the lines of a narrow caption are: as its icon, or as texts in boxes where icons are small."""
    return max(plan.icons[node.icon or ""].width, _PRESSED if plan.compact else 0.0)


def _drop(plan: Plan, text: Tex | Text) -> float:
    """How much lower a caption of several lines stands of which the first has no letters that rise: as `_raised`."""
    first, broken, _ = ("", "", "") if isinstance(text, Tex) else text.partition("\n")
    low = plan.measure(_RISING).height - plan.measure(first).height if broken else 0.0
    return round(low, 3) if low > _LOW else 0.0


def _raised(plan: Plan, text: Tex | Text) -> float:
    """The height that a caption of one line has, that of letters that rise, so that captions of a row are level.

    0 where it is so high by itself, or has several lines, or would rise into its icon.
    """
    usual, own = plan.measure(_RISING).height, plan.measure(text)
    if own.height + own.depth >= 2 * usual:
        return 0.0
    return round(usual, 3) if own.height < usual - _SEEN or usual + _SEEN < own.height <= usual + _RISE else 0.0
