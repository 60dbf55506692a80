"""Scene items that draw a node."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tikzgen.base.plane import is_level
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import INNER, PAD, SHEET_OFFSET
from tikzgen.layout.label_lines import broken_at
from tikzgen.layout.scene.items import CaptionItem, Item, list_owner_styles
from tikzgen.layout.scene.number_words import icon_macro
from tikzgen.layout.symbolic_lengths import ZERO, ZERO_PAIR, Length, Pair, SymbolicBox
from tikzgen.layout.topology.node_cells import (
    cell_marks,
    cells_tall,
    cells_wide,
    chips,
    find_border_inside,
    find_part_box,
)
from tikzgen.layout.topology.node_sizes import (
    ICON_GAP,
    EntitySize,
    caption_drop,
    caption_height,
    caption_room,
    card_icon,
    has_more_texts,
    height_of_line,
    rule_of,
    shape_of,
    text_and_wrap,
)
from tikzgen.layout.topology.topology_items import MarkItem, NodeItem
from tikzgen.layout.topology.topology_macros import node_stem
from tikzgen.model.topology import LOOKS, SHAPES, Dots, Entity
from tikzgen.text import Tex, Text, stack_texts, typeset_label

_AROUND = 0.06  # cm between the label of a failed node and its cross


def _lines(plan: LayoutAttempt, panel: str, node: Entity) -> list[str]:
    stem = node_stem(node)
    return [plan.labels.find_macro(panel, f"{stem} {kind}") for kind in ("label", "sublabel") if getattr(node, kind)]


def _last_depth(plan: LayoutAttempt, text: Text) -> float:
    """Return the depth of the last line below its baseline, in cm; this is the baseline of a TikZ node."""
    if isinstance(text, Tex):
        return plan.measure(text if r"\\" not in text else "(").depth
    return plan.measure(text.rstrip().rpartition("\n")[2]).depth


def draw(
    plan: LayoutAttempt,
    panel: str,
    node: Entity | Dots,
    x: Length,
    y: Length,
    long: Pair = ZERO_PAIR,
    *,
    level: bool = False,
) -> Iterator[Item]:
    """Yield the items that draw a node with its center at (x, y)."""
    name = plan.name(panel, node.id)
    if isinstance(node, Dots):
        yield NodeItem(name, x, y, ("omitted level" if level else "omitted",))
        return
    lines = tuple(_lines(plan, panel, node))
    form, shape = node.form, shape_of(plan, panel, node)
    states = tuple(_state(plan, node, shape))
    faint = states if node.state == "idle" else ()
    if form == "icon":
        yield NodeItem(name, x, y, ("icon", *states), (icon_macro(node.icon or "", node.color),), icon=True)
        return
    kind = SHAPES[form]
    style, usual = LOOKS.get(getattr(node, "kind", "node"), ("box", "otgray"))
    rule = plan.labels.find_macro(panel, f"{node_stem(node)} rule") if rule_of(node) else ""
    if rule and not node.label:
        lines = ("", *lines)
    several = bool(rule) and r"\\" in typeset_label(node.label).source
    cells = node.parts if node.part_side == "inside" else []
    text = stack_texts(rule_of(node) or node.label, node.sublabel)
    room = cells_tall(plan, node) + _last_depth(plan, text) if cells else 0.0
    _, wrap = text_and_wrap(plan, node)
    dx, dy = shape.strip.offset
    x, y = x + dx, y + dy
    wide = Length(cells_wide(plan, node) + 2 * PAD if cells and kind.parts != "slots" else 0.0)
    if node.cells == "rows" and kind.parts != "slots":
        wide = Length(round(shape.width - 2 * SHEET_OFFSET * (node.replicas - 1), 3))
    head = height_of_line(plan, node)
    if kind.has_icon:
        icon_width, icon_height = card_icon(plan, node)
        wide = max(wide, Length(icon_width + 2 * PAD), key=lambda length: length.compute_cm(plan.values))
        size_of_text = plan.measure(text)
        last = _last_depth(plan, text) if text else 0.0
        head = icon_height + (ICON_GAP + size_of_text.height + size_of_text.depth - last if text else 0.0)
    if kind.has_fixed_width:
        wide = Length(round(shape.width, 3))
    across, up = long
    if across.compute_cm(plan.values) > shape.width and kind.is_box:
        wide = across
    tall = up if up.compute_cm(plan.values) > shape.height and kind.is_box else ZERO
    if shape.strip.side and is_level(shape.strip.side):
        wide = Length(round(shape.width - 2 * SHEET_OFFSET * (node.replicas - 1), 3))
    elif shape.strip.side:
        tall = Length(round(shape.height - 2 * SHEET_OFFSET * (node.replicas - 1), 3))
    size, is_bordered = (shape.width, shape.height), shape.form != form
    own = kind.list_styles(style, node.color or usual, size, is_bordered=is_bordered)
    styles = (*own, *list_owner_styles(node.owner), *states)
    if (radius := kind.corner_radius(shape.height)) is not None:  # the style of the state has other corners
        styles = (*styles, f"rounded corners={radius}cm")
    yield NodeItem(
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
    if kind.has_icon:  # an anchor option would also apply to the labels in the icon
        macro = icon_macro(node.icon or "", node.color)
        yield MarkItem(f"{name}-icon", ("icon", *faint), macro, f"{name}.north", 0.0, -PAD - icon_height / 2)
    yield from _iterate_part_marks(plan, panel, node, shape)


def _iterate_part_marks(plan: LayoutAttempt, panel: str, node: Entity, shape: EntitySize) -> Iterator[MarkItem]:
    """Yield the parts of a node."""
    inner = 2 * SHEET_OFFSET * (node.replicas - 1)
    if shape.strip.side:
        yield from chips(plan, panel, node, shape.strip, shape.width - inner, shape.height - inner)
    else:
        yield from cell_marks(plan, panel, node, shape.width - inner)


def part_box(
    plan: LayoutAttempt, panel: str, node: Entity, shape: EntitySize, index: int, box: SymbolicBox
) -> SymbolicBox:
    """Return the box of a part of a node, whose own `box` includes all its parts."""
    mark = next(islice(_iterate_part_marks(plan, panel, node, shape), index, None))
    return find_part_box(plan, node, mark, find_border_inside(shape.strip, box))


def _state(plan: LayoutAttempt, node: Entity, shape: EntitySize) -> Iterator[str]:
    """Yield the style of a node's state; the cross of a failed node stops around its label."""
    if node.state != "failed":
        yield from () if node.state == "normal" else (node.state,)
        return
    size, _ = text_and_wrap(plan, node)
    stack = 2 * SHEET_OFFSET * (node.replicas - 1)
    width, height = shape.width - stack, shape.height - stack
    inside = width - 2 * PAD, height - 2 * PAD
    if not has_more_texts(node) and not (node.form != "icon" and SHAPES[node.form].has_icon):
        inside = size.width, (height_of_line(plan, node) or size.height) + size.depth
    share = min((inside[0] + 2 * _AROUND) / width, (inside[1] + 2 * _AROUND) / height, 1.0)
    share *= node.form != "icon" and bool(stack_texts(node.label, node.sublabel))
    yield f"failed={{{round(share * width / 2, 3)}}}{{{round(share * height / 2, 3)}}}"


def caption(plan: LayoutAttempt, panel: str, node: Entity, *, named: bool) -> CaptionItem | None:
    """Return the label below an icon, or None; name it if a flow must end below it."""
    lines = tuple(_lines(plan, panel, node))
    if node.form != "icon" or not lines:
        return None
    name = plan.name(panel, node.id)
    narrow, text = name in plan.wrapped, stack_texts(node.label, node.sublabel)
    width = shape_of(plan, panel, node).caption - 2 * INNER if narrow else 0.0
    text = broken_at(plan, text, caption_room(plan, node)) if narrow else text
    head, drop = caption_height(plan, text), caption_drop(plan, text)
    own = f"{name}-label" if named else ""
    return CaptionItem(lines, ("slbl",), below=name, name=own, wrap=width, head=head, drop=drop)
