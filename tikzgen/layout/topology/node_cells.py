"""Cells of a node: inside its box or outline, or chips in a strip along one side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from tikzgen.base.plane import CM_PER_PT, BoxSide, Compass, Point, is_level
from tikzgen.base.record import Record
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import CELL_HEIGHT, CELL_INNER, LINE_PT, PAD
from tikzgen.layout.scene.items import list_owner_styles
from tikzgen.layout.symbolic_lengths import SymbolicBox
from tikzgen.layout.topology.topology_items import MarkItem
from tikzgen.layout.topology.topology_macros import node_stem
from tikzgen.model.topology import SHAPES, Entity
from tikzgen.text import stack_texts

_CELL_GAP = 0.3  # cm between two cells, and between two chips
_CHIP_GAP = 0.08  # cm
_WITHIN = 0.02  # cm between the rows of a record and its border
_CELLS_ABOVE = 0.15  # cm between a label and the cells below it
_WIDEST = 0.9  # minimum width of a cell, in cm
_CHIP_CM = 0.5  # minimum width of a chip, in cm
_BESIDE = 0.15  # cm on both sides of a label in a cell or chip
_ROUND = 0.25  # cm
_WAYS: dict[str, tuple[Compass, int, int]] = {
    "above": ("north", 0, 1),
    "below": ("south", 0, -1),
    "right": ("east", 1, 0),
    "left": ("west", -1, 0),
}
_ANCHORS = {"north": "south", "south": "north", "east": "west", "west": "east"}


class ChipStrip(Record):
    """Strip of chips along one side of a box: its depth and the minimum size of the box, in cm."""

    side: BoxSide | Literal[""] = ""
    out: float = 0.0
    wide: float = 0.0
    tall: float = 0.0

    @property
    def deep(self) -> Point:
        """Width and height that the strip adds, in cm."""
        return (0.0, self.out) if not self.side or is_level(self.side) else (self.out, 0.0)

    @property
    def offset(self) -> Point:
        """Offset from the middle of box and strip together to the middle of the box, in cm."""
        _, x, y = _WAYS.get(self.side, ("", 0, 0))
        return -x * self.out / 2, -y * self.out / 2

    def onto(self, side: Compass) -> Point:
        """Return the offset from the middle of a side of the box to that side of box and strip together."""
        (x, y), (own, across, up) = self.offset, _WAYS.get(self.side, ("", 0, 0))
        if side == own:
            return across * self.out, up * self.out
        return (-x, 0.0) if is_level(side) else (0.0, -y)


def strip_of(plan: LayoutAttempt, node: Entity) -> ChipStrip:
    """Return the strip of chips outside of a node; it is empty if the node has none."""
    if not node.parts or node.part_side == "inside":
        return ChipStrip()
    many, tall = len(node.parts), _cell_height(plan, node)
    gaps = (many - 1) * _gap(node)
    wide = max(_widest(plan, node) + 2 * _ROUND, _CHIP_CM)
    if is_level(node.part_side):
        return ChipStrip(node.part_side, tall, wide=many * wide + gaps)
    return ChipStrip(node.part_side, wide, tall=many * tall + gaps)


def chips(
    plan: LayoutAttempt, panel: str, node: Entity, strip: ChipStrip, width: float, height: float
) -> Iterator[MarkItem]:
    """Yield the chips along a side of a box; `width` and `height` include the strip, in cm."""
    level, many = strip.side in ("above", "below"), len(node.parts)
    step = ((width if level else height) + _gap(node)) / many
    long = step - _gap(node)
    side, across, up = _WAYS[strip.side]
    line = LINE_PT * CM_PER_PT  # cm by which adjacent borders overlap
    for index in range(many):
        off = (index - (many - 1) / 2) * step * (1 if level else -1)
        dx, dy = (off, -up * line) if level else (-across * line, off)
        size = (long, strip.out) if level else (strip.out, long)
        yield _mark(plan, panel, node, index, f"{plan.name(panel, node.id)}.{side}", (dx, dy), _ANCHORS[side], size)


def find_border_inside(strip: ChipStrip, box: SymbolicBox) -> SymbolicBox:
    """Return the box of the anchors of a node, without the chips next to it, in the box of both."""
    if not strip.side:
        return box
    (x, y), (across, up) = strip.offset, (length / 2 for length in strip.deep)
    return SymbolicBox(box.left + x + across, box.bottom + y + up, box.right + x - across, box.top + y - up)


def find_part_sides(node: Entity) -> tuple[Compass, ...]:
    """Return the sides of the parts of a node at which flows may end."""
    if node.part_side != "inside":
        return (_WAYS[node.part_side][0],)
    return ("east", "west") if node.cells == "rows" else ("south",)


def find_part_box(plan: LayoutAttempt, node: Entity, mark: MarkItem, border: SymbolicBox) -> SymbolicBox:
    """Return the box of the anchors of a cell or chip, given the `border` of its node."""
    side, (x, y) = mark.of.rpartition(".")[2], border.middle
    x = {"west": border.left, "east": border.right}.get(side, x) + mark.dx
    y = {"south": border.bottom, "north": border.top}.get(side, y) + mark.dy
    line = LINE_PT * CM_PER_PT  # half of it is outside, on each side
    wide, tall = mark.width + line, (mark.height or _cell_height(plan, node)) + line
    left = {"west": 0.0, "east": -wide}.get(mark.anchor, -wide / 2)
    low = {"south": 0.0, "north": -tall}.get(mark.anchor, -tall / 2)
    return SymbolicBox(x + left, y + low, x + left + wide, y + low + tall)


def _has_slots(node: Entity) -> bool:
    return node.form != "icon" and SHAPES[node.form].parts == "slots"


def _gap(node: Entity) -> float:
    inside = _CELL_GAP if node.part_side == "inside" else _CHIP_GAP
    return inside if node.cells == "apart" else 0.0


def _mark(
    plan: LayoutAttempt, panel: str, node: Entity, index: int, of: str, shift: Point, anchor: str, size: Point
) -> MarkItem:
    """Return a cell or chip; a height of 0 means the default height."""
    part, name = node.parts[index], plan.name(panel, node.id)
    macro = plan.labels.find_macro(panel, f"{node_stem(node)} part {index + 1} label") if part.label else ""
    tone = f"tone={part.color}" if part.owner is None else "tone=otgray"
    styles = ("cell", tone, *list_owner_styles(part.owner), *(["idle"] if node.state == "idle" else []))
    return MarkItem(f"{name}-part{index + 1}", styles, macro, of, *shift, anchor, round(size[0], 4), round(size[1], 4))


def _widest(plan: LayoutAttempt, node: Entity) -> float:
    return max(plan.measure(part.label).width for part in node.parts)


def _cell_width(plan: LayoutAttempt, node: Entity) -> float:
    return max(_widest(plan, node) + 2 * _BESIDE, _WIDEST)


def cells_wide(plan: LayoutAttempt, node: Entity) -> float:
    """Return the width of all cells, in cm; rows reach to the borders of their box."""
    if not node.parts:
        return 0.0
    width = _cell_width(plan, node)
    if node.cells == "rows":
        return width - (0.0 if _has_slots(node) else 2 * PAD)
    return width * len(node.parts) + _gap(node) * (len(node.parts) - 1)


def cells_tall(plan: LayoutAttempt, node: Entity) -> float:
    """Return the height of the cells below the label of a box, in cm."""
    if node.cells == "rows" and not _has_slots(node):
        return max(_cell_height(plan, node) * len(node.parts) + _CELLS_ABOVE - PAD, 0.0)
    return _cell_height(plan, node) * (len(node.parts) if node.cells == "rows" else 1) + _CELLS_ABOVE


def cell_marks(plan: LayoutAttempt, panel: str, node: Entity, inner: float) -> Iterator[MarkItem]:
    """Yield the cells inside of a node, whose box is `inner` cm wide."""
    if not node.parts:
        return
    name, width, tall = plan.name(panel, node.id), _cell_width(plan, node), _cell_height(plan, node)
    many, rows, slots = len(node.parts), node.cells == "rows", _has_slots(node)
    base, of = PAD - 0.05, f"{name}.south"
    if slots:
        size = plan.measure(stack_texts(node.label, node.sublabel))
        base, of = -(size.height + size.depth + cells_tall(plan, node)) / 2, f"{name}.center"
    elif rows:
        base, width = _WITHIN, inner - 2 * _WITHIN
    for index in range(many):
        along, up = (index - (many - 1) / 2) * (width + _gap(node)), base
        if rows:
            along, up = 0.0, base + tall * (many - 1 - index)
        yield _mark(plan, panel, node, index, of, (along, up), "south", (width, 0.0))


def _cell_height(plan: LayoutAttempt, node: Entity) -> float:
    """Return the height of the cells of a node, in cm: that of the tallest label, plus padding."""
    sizes = [plan.measure(part.label) for part in node.parts if part.label]
    return max([CELL_HEIGHT, *(size.height + size.depth + 2 * CELL_INNER for size in sizes)])
