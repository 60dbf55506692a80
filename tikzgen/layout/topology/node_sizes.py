"""Sizes of nodes: box around labels, cells and icon; caption; outline."""

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
from tikzgen.model.topology import SHAPES, Dots, Entity, Server
from tikzgen.text import Tex, Text, stack_texts
from tikzgen.text import TextSize as TextExtent

_GAP = round(CAPTION_GAP_PT * CM_PER_PT, 2)  # cm
ICON_GAP = 0.1  # cm between the icon in a card and the text
_BORDERLESS = ("normal", "idle")  # states that draw nothing around a label
_LONG = 4.5  # maximum width of a line in a box, in cm
_PRESSED = 1.8  # maximum width of a line in a narrow figure, in cm
# line widths in pt; anchors are half of it outside
_OUTLINES = {"icon": 0.4, "box": LINE_PT, "highlighted": HIGHLIGHT_LINE_PT, "slow": 2 * LINE_PT}
_RISING = "d"
_LOW = 1.2 * CM_PER_PT  # differences of label heights in boxes below this are invisible
_SEEN = 0.5 * CM_PER_PT  # differences of caption heights below this are invisible
_RISE = 3 * CM_PER_PT  # cm by which a caption may rise into the 4 pt between it and its icon
_SLACK = 1.1  # times the width of a caption that TeX breaks


class EntitySize(Record):
    """Size of a node around its center, in cm.

    `below` is the height of the caption below it, and `form` is the name of its outline. The size includes the `strip`
    of chips outside of the box, so the box is off-center.
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
        """Return the distance by which a flow ends inside the box, `aside` cm from the middle of a side."""
        return round(SHAPES[self.form].compute_inset((self.width, self.height), side, aside), 3)


def shape_of(
    plan: LayoutAttempt, panel: str, node: Entity | Dots, long: Pair = ZERO_PAIR, *, level: bool = False
) -> EntitySize:
    """Measure a node.

    `long` is the minimum width and height of a box that faces a whole level, in cm. `level` means dots in a row.
    """
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
    """Return half the width and height of a node up to its anchors, in cm."""
    boxed = getattr(node, "form", "") != "icon"
    line = _OUTLINES.get(getattr(node, "state", ""), _OUTLINES["box" if boxed else "icon"]) * CM_PER_PT / 2
    stack = 0.0 if isinstance(node, Dots) else SHEET_OFFSET * (node.replicas - 1) * boxed
    around = line - stack + (0.0 if boxed else ICON_INNER_PT * CM_PER_PT)
    return shape.width / 2 + around, shape.height / 2 + around


def text_and_wrap(plan: LayoutAttempt, node: Entity) -> tuple[TextExtent, float]:
    """Return the size of the label in a box, and the wrap width in cm, or 0 if it is not wrapped.

    Rules, labels above cells and labels in an outline that grows with the lines are not wrapped.
    """
    text = stack_texts(node.label, node.sublabel)
    if has_more_texts(node) or node.form == "icon" or not SHAPES[node.form].breaks_lines:
        return plan.measure(text), 0.0
    return in_lines(plan, text, _PRESSED if plan.limit else _LONG)


def height_of_line(plan: LayoutAttempt, node: Entity) -> float:
    """Return the height of a one-line label without ascenders, as if it had some; 0 to keep its height."""
    plain = node.form != "icon" and not SHAPES[node.form].has_icon and not has_more_texts(node)
    usual, own = plan.measure(_RISING).height, plan.measure(stack_texts(node.label, node.sublabel))
    low = own.height < usual - _LOW and own.height + own.depth < 2 * usual
    return round(usual, 3) if plain and low else 0.0


def card_icon(plan: LayoutAttempt, node: Entity) -> tuple[float, float]:
    """Return width and height of the icon in a card, with its padding, in cm."""
    icon, around = plan.find_scaled_icon(node.icon or ""), 2 * ICON_INNER_PT * CM_PER_PT
    return icon.width + around, icon.height + around


def rule_of(node: Entity) -> Text:
    return node.rule if isinstance(node, Server) else ""


def has_more_texts(node: Entity) -> bool:
    """Return whether a box has more than one label."""
    return bool(rule_of(node)) or bool(node.parts and node.part_side == "inside")


def _width_before_rule(plan: LayoutAttempt, server: Entity) -> float:
    """Return the width before a server's rule, in cm."""
    return plan.measure(server.label, bold=True).width + plan.measure(": ").width if server.label else 0.0


def caption_room(plan: LayoutAttempt, node: Entity) -> float:
    """Return the maximum line width of a narrow caption, in cm: that of the icon or of labels in boxes."""
    return max(plan.icons[node.icon or ""].width, _PRESSED if plan.compact else 0.0)


def caption_drop(plan: LayoutAttempt, text: Tex | Text) -> float:
    """Return the distance in cm by which a wrapped caption without ascenders in its first line is lowered."""
    first, broken, _ = ("", "", "") if isinstance(text, Tex) else text.partition("\n")
    low = plan.measure(_RISING).height - plan.measure(first).height if broken else 0.0
    return round(low, 3) if low > _LOW else 0.0


def caption_height(plan: LayoutAttempt, text: Tex | Text) -> float:
    """Return the height of a one-line caption as if it had ascenders, so that captions of a row align.

    Return 0 if it already has this height or several lines, or would rise into its icon.
    """
    usual, own = plan.measure(_RISING).height, plan.measure(text)
    if own.height + own.depth >= 2 * usual:
        return 0.0
    return round(usual, 3) if own.height < usual - _SEEN or usual + _SEEN < own.height <= usual + _RISE else 0.0
