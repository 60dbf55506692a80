"""How large an entity is: its box around its texts, cells and icon, its caption, its outline."""

from __future__ import annotations

from tikzgen.base.plane import CM_PER_PT, Compass, Point
from tikzgen.base.record import Record
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import (
    CAPTION_GAP_PT,
    DOTS_LONG,
    DOTS_WIDE,
    HIGHLIGHT_LINE_PT,
    ICON_INNER_PT,
    INNER,
    LINE_PT,
    SHEET_OFFSET,
)
from tikzgen.layout.label_lines import broken_at, in_lines
from tikzgen.layout.symbolic_lengths import ZERO_PAIR, Pair
from tikzgen.layout.topology.node_cells import ChipStrip, cells_tall, cells_wide, strip_of
from tikzgen.model.topology import Dots, Entity, Server
from tikzgen.model.topology.node_shapes import SHAPES
from tikzgen.text import Tex, Text, stack_texts
from tikzgen.text import TextSize as TextExtent

_GAP = round(CAPTION_GAP_PT * CM_PER_PT, 2)  # cm
ICON_GAP = 0.1  # cm between the icon in a card and the text
_BORDERLESS = ("normal", "idle")  # states that draw nothing around a text
_LONG = 4.5  # cm of a line in a box at most
_PRESSED = 1.8  # cm of one where captions are set narrow
# pt; anchors are half of it outside
_OUTLINES = {"icon": 0.4, "box": LINE_PT, "highlighted": HIGHLIGHT_LINE_PT, "slow": 2 * LINE_PT}
_RISING = "d"
_LOW = 1.2 * CM_PER_PT  # less between the heights of texts in boxes is not seen
_SEEN = 0.5 * CM_PER_PT  # less between those of captions
_RISE = 3 * CM_PER_PT  # what a caption may rise into the 4 pt between it and its icon
_SLACK = 1.1  # times the width of a caption that TeX breaks


class EntitySize(Record):
    """The size of an entity around its centre, in cm; `below` is what a caption adds underneath, `form` its outline.

    The `strip` of cells outside of a box is part of it: the box stands aside of the centre.
    """

    width: float
    height: float
    caption: float = 0.0
    below: float = 0.0
    form: str = "box"
    strip: ChipStrip = ChipStrip()

    @property
    def span(self) -> float:
        """The width with the caption."""
        return max(self.width, self.caption)

    def inset(self, side: Compass, aside: float) -> float:
        """How far inside of its box a flow ends that meets one of its sides so far from the middle."""
        return round(SHAPES[self.form].compute_inset((self.width, self.height), side, aside), 3)


def shape_of(
    plan: LayoutAttempt, panel: str, node: Entity | Dots, long: Pair = ZERO_PAIR, *, level: bool = False
) -> EntitySize:
    """Measure an entity; `long` is how wide and tall a box is that faces a whole level, `level` dots stand in a row."""
    if isinstance(node, Dots):
        return EntitySize(DOTS_LONG, DOTS_WIDE) if level else EntitySize(DOTS_WIDE, DOTS_LONG)
    if long == ZERO_PAIR:
        return plan.compute_once(lambda: _shape_of(plan, panel, node, long), "shape", id(node))
    return _shape_of(plan, panel, node, long)


def _shape_of(plan: LayoutAttempt, panel: str, node: Entity, long: Pair) -> EntitySize:
    text = stack_texts(node.label, node.sublabel)
    form = node.form
    if form == "icon":
        icon = plan.find_scaled_icon(node.icon or "")
        if not text:
            return EntitySize(icon.width, icon.height)
        narrow = plan.name(panel, node.id) in plan.wrapped
        lines = broken_at(plan, text, caption_room(plan, node)) if narrow else text
        size = plan.measure(lines)
        below = _GAP + 2 * INNER + (caption_height(plan, lines) or size.height + caption_drop(plan, lines)) + size.depth
        # TeX breaks the lines itself: a paper's own font may be wider
        width = size.width * (_SLACK if narrow else 1)
        return EntitySize(icon.width, icon.height, width + 2 * INNER, below)
    size, _ = text_and_wrap(plan, node)
    width, height = size.width, (height_of_line(plan, node) or size.height) + size.depth
    if rule := rule_of(node):
        under = plan.measure(stack_texts(rule, node.sublabel))
        width = max(width, _width_before_rule(plan, node) + plan.measure(rule).width)
        height = max(size.height, under.height) + max(size.depth, under.depth)
    if not SHAPES[form].has_border and node.state not in _BORDERLESS:
        form = "box"
    shape = SHAPES[form]
    if shape.has_icon:
        wide, tall = card_icon(plan, node)
        width, height = max(width, wide), height + tall + (ICON_GAP if text else 0.0)
    if node.parts and node.part_side == "inside":
        width, height = max(width, cells_wide(plan, node)), height + cells_tall(plan, node)
    width, height = shape.size(width, height)
    if not shape.is_box:
        return EntitySize(width, height, form=form)
    stack = 2 * SHEET_OFFSET * (node.replicas - 1)  # the box stays in the middle
    wide, tall = (one.compute_cm(plan.values) if plan.values else 0.0 for one in long)
    strip = strip_of(plan, node)
    across, up = strip.deep
    width, height = max(width, wide, strip.wide) + stack + across, max(height, tall, strip.tall) + stack + up
    return EntitySize(width, height, form=form, strip=strip)


def half_of(node: Entity | Dots, shape: EntitySize) -> Point:
    """Half the width and height of an entity out to its anchors, in cm."""
    boxed = getattr(node, "form", "") != "icon"
    line = _OUTLINES.get(getattr(node, "state", ""), _OUTLINES["box" if boxed else "icon"]) * CM_PER_PT / 2
    stack = 0.0 if isinstance(node, Dots) else SHEET_OFFSET * (node.replicas - 1) * boxed
    around = line - stack + (0.0 if boxed else ICON_INNER_PT * CM_PER_PT)
    return shape.width / 2 + around, shape.height / 2 + around


def text_and_wrap(plan: LayoutAttempt, node: Entity) -> tuple[TextExtent, float]:
    """The size of the text in a box, and the width that it is broken to, 0 where it is not.

    Rules stay whole, and what stands above cells or in an outline that would grow with the lines.
    """
    text = stack_texts(node.label, node.sublabel)
    if has_more_texts(node) or node.form == "icon" or not SHAPES[node.form].breaks_lines:
        return plan.measure(text), 0.0
    return in_lines(plan, text, _PRESSED if plan.limit else _LONG)


def height_of_line(plan: LayoutAttempt, node: Entity) -> float:
    """The height that a text of one line in a box has for letters that rise though it has none; 0 as by itself."""
    plain = node.form != "icon" and not SHAPES[node.form].has_icon and not has_more_texts(node)
    usual, own = plan.measure(_RISING).height, plan.measure(stack_texts(node.label, node.sublabel))
    low = own.height < usual - _LOW and own.height + own.depth < 2 * usual
    return round(usual, 3) if plain and low else 0.0


def card_icon(plan: LayoutAttempt, node: Entity) -> tuple[float, float]:
    """What the icon in a card takes, with the room around it."""
    icon, around = plan.find_scaled_icon(node.icon or ""), 2 * ICON_INNER_PT * CM_PER_PT
    return icon.width + around, icon.height + around


def rule_of(node: Entity) -> Text:
    return node.rule if isinstance(node, Server) else ""


def has_more_texts(node: Entity) -> bool:
    """Whether there is more than one text in a box."""
    return bool(rule_of(node)) or bool(node.parts and node.part_side == "inside")


def _width_before_rule(plan: LayoutAttempt, server: Entity) -> float:
    """The width in cm of what stands before a server's rule."""
    return plan.measure(server.label, bold=True).width + plan.measure(": ").width if server.label else 0.0


def caption_room(plan: LayoutAttempt, node: Entity) -> float:
    """How wide the lines of a narrow caption are: as its icon, or as texts in boxes where icons are small."""
    return max(plan.icons[node.icon or ""].width, _PRESSED if plan.compact else 0.0)


def caption_drop(plan: LayoutAttempt, text: Tex | Text) -> float:
    """How much lower a caption stands whose first line of several has no letters that rise: as `caption_height`."""
    first, broken, _ = ("", "", "") if isinstance(text, Tex) else text.partition("\n")
    low = plan.measure(_RISING).height - plan.measure(first).height if broken else 0.0
    return round(low, 3) if low > _LOW else 0.0


def caption_height(plan: LayoutAttempt, text: Tex | Text) -> float:
    """The height that a caption of one line has, that of letters that rise, so that captions of a row are level.

    0 where it is so high by itself, or has several lines, or would rise into its icon.
    """
    usual, own = plan.measure(_RISING).height, plan.measure(text)
    if own.height + own.depth >= 2 * usual:
        return 0.0
    return round(usual, 3) if own.height < usual - _SEEN or usual + _SEEN < own.height <= usual + _RISE else 0.0
