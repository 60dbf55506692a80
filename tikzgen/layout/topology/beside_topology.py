"""Names of levels, notes and braces of a topology, placed around it."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.base.plane import find_outward_sign, is_level
from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import CURL, INNER
from tikzgen.layout.place_free_notes import Taken, place_free_notes
from tikzgen.layout.scene.items import AsideItem, CaptionItem, Item, NoteItem, SpanningItem
from tikzgen.layout.scene.scene import PlacedPart
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox, make_box_around, union
from tikzgen.layout.topology.topology_macros import brace_stem, level_stem, note_stem
from tikzgen.model.topology import Levels, Topology, TopologyBrace
from tikzgen.text import typeset_label

_OFF = 0.15  # cm between the name of a level and the nearest node
_BETWEEN_CM = 0.15  # cm between the names of two levels
_GAP = 0.12  # cm between a brace and the nearest item on its side
_ANCHORS = {"above": "south", "below": "north", "left": "south", "right": "north"}


def named_levels(
    plan: LayoutAttempt,
    panel: str,
    part: Topology,
    mark: str,
    piece: PlacedPart,
    boxes: Mapping[str, SymbolicBox],
    *,
    down: bool,
) -> PlacedPart:
    """Add the names of the levels to a piece; move a name outward if it would touch the previous one."""
    layout = part.layout
    if not isinstance(layout, Levels) or not any(layout.labels):
        return piece
    named = [(index, text) for index, text in enumerate(layout.labels) if text]
    sizes = {index: plan.measure(text) for index, text in named}
    single = {index for index, text in named if r"\\" not in typeset_label(text).source}
    high, deep = (max((getattr(sizes[index], way) for index in single), default=0.0) for way in ("height", "depth"))
    levels = {index: union([boxes[name] for name in layout.rows[index] if name], plan.values) for index, _ in named}
    found: list[Item] = [NoteItem("names of levels")]
    edge = whole = piece.extent
    reached = float("-inf")
    before = layout.label_side == "before"
    for index in sorted(levels, key=lambda one: _along(plan, levels[one], down=down)):
        box, on_line = levels[index], not down and index in single  # names in one row share a baseline
        wide = sizes[index].width + 2 * INNER
        tall = (high + deep if on_line else sizes[index].height + sizes[index].depth) + 2 * INNER
        half = (tall if down else wide) / 2
        if _along(plan, box, down=down) - half < reached + _BETWEEN_CM:
            edge = whole
        reached = _along(plan, box, down=down) + half
        x, y = box.middle
        if down:
            x = edge.left - (_OFF + wide / 2) if before else edge.right + (_OFF + wide / 2)
        else:
            y = edge.top + (_OFF + tall / 2) if before else edge.bottom - (_OFF + tall / 2)
        macro = plan.labels.find_macro(panel, level_stem(index, mark))
        base = y + ((deep - high) / 2 if on_line else 0.0)
        found.append(CaptionItem((macro,), ("slbl",), x=x, y=base, anchor="base" if on_line else "center"))
        whole = union([whole, make_box_around((x, y), wide / 2, tall / 2)], plan.values)
    return replace(piece, items=(*piece.items, *found), extent=whole)


def _along(plan: LayoutAttempt, box: SymbolicBox, *, down: bool) -> float:
    """Return the coordinate of the middle of a level, in cm, on the axis on which names follow each other."""
    low, high = (box.bottom, box.top) if down else (box.left, box.right)
    return (low + high).compute_cm(plan.values) / 2


def add_notes(
    plan: LayoutAttempt, panel: str, part: Topology, mark: str, piece: PlacedPart, taken: Taken
) -> PlacedPart:
    """Add the notes, clear of each other and of everything else."""
    stood, whole = place_free_notes(plan, part, part.notes, piece.extent, taken)
    found: list[Item] = [NoteItem("notes")]
    for index, one in enumerate(stood):
        macro = plan.labels.find_macro(panel, note_stem(index, mark))
        found.append(AsideItem(one.at, macro, one.note.boxed, one.wrap, one.line))
    # draw flows over the lines of notes
    at = next((place for place, item in enumerate(piece.items) if item == NoteItem("flows")), len(piece.items))
    return replace(piece, items=(*piece.items[:at], *found, *piece.items[at:]), extent=whole)


def add_braces(
    plan: LayoutAttempt, panel: str, part: Topology, mark: str, piece: PlacedPart, boxes: Mapping[str, SymbolicBox]
) -> PlacedPart:
    """Add the braces; move a brace outward if it would overlap an earlier one on its side."""
    if not part.braces:
        return piece
    found: list[Item] = [NoteItem("braces")]
    whole = piece.extent
    edges = dict.fromkeys(_ANCHORS, piece.extent)
    shelf: dict[str, list[tuple[float, float]]] = {side: [] for side in _ANCHORS}
    for index, span in enumerate(part.braces):
        own = union([boxes[name] for name in span.over], plan.values)
        size = plan.measure(span.label) if span.label else None
        deep = CURL + (size.height + size.depth + 2 * INNER if size else 0.0)
        start, end = (own.left, own.right) if is_level(span.side) else (own.bottom, own.top)
        half = max((end - start).compute_cm(plan.values), size.width + 2 * INNER if size else 0.0) / 2
        middle = ((start + end) * 0.5).compute_cm(plan.values)
        if any(middle - half < high and low < middle + half for low, high in shelf[span.side]):
            edges[span.side], shelf[span.side] = whole, []
        shelf[span.side].append((middle - half, middle + half))
        item, extent = _place_brace(plan, panel, span, index, mark, own, edges[span.side], deep, half)
        found.append(item)
        whole = union([whole, extent], plan.values)
    return replace(piece, items=(*piece.items, *found), extent=whole)


def _place_brace(
    plan: LayoutAttempt,
    panel: str,
    span: TopologyBrace,
    index: int,
    mark: str,
    own: SymbolicBox,
    edge: SymbolicBox,
    deep: float,
    half: float,
) -> tuple[SpanningItem, SymbolicBox]:
    """Return a brace and its area outside of an edge."""
    macro = plan.labels.find_macro(panel, brace_stem(index, mark)) if span.label else ""
    x, y = own.middle
    out = find_outward_sign(span.side)
    base: dict[str, Length] = {"above": edge.top, "below": edge.bottom, "left": edge.left, "right": edge.right}
    line = base[span.side] + out * _GAP
    far = line + out * deep
    low, high = (line, far) if out > 0 else (far, line)
    if is_level(span.side):
        ends, extent = ((own.left, line), (x, line), (own.right, line)), SymbolicBox(x - half, low, x + half, high)
    else:
        ends, extent = ((line, own.bottom), (line, y), (line, own.top)), SymbolicBox(low, y - half, high, y + half)
    return SpanningItem(*ends, span.side, macro, _ANCHORS[span.side], span.look), extent
