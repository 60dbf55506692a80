"""Routes of flows between cells: straight, curved or elbowed between facing sides, or short across a border."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from tikzgen.base.plane import Box
from tikzgen.base.record import Record, replace
from tikzgen.layout.cells.array_sides import STUB_CM
from tikzgen.layout.cells.cells_facts import CellsFacts
from tikzgen.layout.cells.cells_items import CellFlowItem
from tikzgen.layout.constants import LABEL_INNER_PT
from tikzgen.layout.symbolic_lengths import ZERO, Length, Pair, SymbolicBox, make_box_around
from tikzgen.model.cells import CellFlow

Way = Literal["right", "left", "above", "below"]
_ANCHORS: dict[Way, str] = {"right": "east", "left": "west", "above": "north", "below": "south"}
OPPOSITE_SIDES: dict[Way, Way] = {"right": "left", "left": "right", "above": "below", "below": "above"}
_COMPASS: dict[Way, Literal["west", "south", "east", "north"]] = {
    "right": "east",
    "left": "west",
    "above": "north",
    "below": "south",
}
_FACING: dict[Way, str] = {"right": "west", "left": "east", "above": "south", "below": "north"}
_SIGNS: dict[Way, int] = {"right": 1, "left": -1, "above": 1, "below": -1}
_UPRIGHT: tuple[Way, ...] = ("above", "below")
_INK_SHARE_PERCENT = 30  # percent of the color of a flow over fills; the rest is ink
_ASIDE = 0.36  # share of a cell: distance of a short arrow from the middle, beside the text
_INTO = 0.38  # share of a cell by which a short arrow leads into it
_BEND_SHARE = 0.43  # share of the distance of the ends: distance of the control points
_BULGE_SHARE = 0.5  # share of the distance of two rows: control points of a flow around the edge of their array
_LEAST_BULGE = 0.45  # cm
_LEAST_BEND, _MOST_BEND = 0.25, 1.6  # cm
_TOUCHING = 0.02  # cm
_EVEN = 0.01  # cm
_SPREAD = 0.15  # cm between the heads of flows that end at one side of the same cells
_SPREAD_SHARE = 0.7  # of that side, for all heads
_LABEL_INNER = LABEL_INNER_PT * 0.0351


class CellFlowEnd(Record):
    """An end of a flow: its node, its box, and by side how far headers beyond the box extend.

    `leads` are the distances, by side, from there to the end of the longest header at the side. `off` is the shift
    along the side, up or to the right, by which flows that end there stay apart.
    """

    node: str
    box: SymbolicBox
    beyond: Mapping[str, Length]
    leads: Mapping[str, float]
    off: float = 0.0

    def find_spot(self, side: Way) -> tuple[str, Pair]:
        """Return the middle of a side, beyond headers."""
        off = self.beyond.get(side, ZERO)
        along = Length(self.off)
        shift: dict[Way, Pair] = {
            "right": (off, along),
            "left": (-off, along),
            "above": (along, off),
            "below": (along, -off),
        }
        return f"{self.node}.{_ANCHORS[side]}", shift[side]

    def find_point(self, side: Way) -> Pair:
        """Return the place of that spot."""
        x, y = self.box.middle
        dx, dy = self.find_spot(side)[1]
        at: dict[Way, Pair] = {
            "right": (self.box.right, y),
            "left": (self.box.left, y),
            "above": (x, self.box.top),
            "below": (x, self.box.bottom),
        }
        return at[side][0] + dx, at[side][1] + dy


def draw_flow(
    facts: CellsFacts,
    index: int,
    flow: CellFlow,
    ends: tuple[CellFlowEnd, CellFlowEnd],
    holders: tuple[SymbolicBox, SymbolicBox],
) -> Iterator[tuple[CellFlowItem, list[SymbolicBox]]]:
    """Yield the items of a flow, each with the boxes by which it extends the figure; `holders` are its arrays."""
    kind = facts.plan.figure.kind(flow.kind)
    look = kind.tikz_style(flow.kind)
    item = CellFlowItem(look, (), arrow=flow.direction, step=str(flow.step or ""))
    if flow.id:
        item = replace(item, name=facts.name(flow.id))
    if flow.route == "wrap":
        item = replace(item, style=_darken(look, kind.color))
        yield from _draw_wrap(facts, index, flow, item, ends, holders)
        return
    boxes = (ends[0].box.measure_box(facts.plan.values), ends[1].box.measure_box(facts.plan.values))
    same = facts.find_element(flow.source).array is facts.find_element(flow.target).array
    if _are_touching(*boxes) and flow.route in ("auto", "straight") and not flow.label:
        yield from _draw_short(facts, replace(item, style=_darken(look, kind.color)), ends, boxes)
        return
    if same and flow.route in ("auto", "curved") and _measure_gaps(*boxes)[0] < 0:
        between = _measure_gaps(*boxes)[1] > _TOUCHING
        draw = _draw_inside if between and _has_neighbor(facts, flow) else _draw_bulge
        yield draw(facts, index, flow, item, ends, holders[0])
        return
    own = tuple(holder.measure_box(facts.plan.values) for holder in holders)
    leaves, enters = _choose_sides(*(boxes if own[0] == own[1] else own))
    if not same:
        leaves = _choose_free_side(leaves, boxes[0], own[0], boxes[1])
        enters = _choose_free_side(enters, boxes[1], own[1], boxes[0])
    start, goal = ends[0].find_point(leaves), ends[1].find_point(enters)
    level = leaves not in _UPRIGHT
    dx, dy = (facts.measure(goal[0] - start[0]), facts.measure(goal[1] - start[1]))
    aligned = abs(dy if level else dx) < _EVEN and enters == OPPOSITE_SIDES[leaves]
    spots = [ends[0].find_spot(leaves), ends[1].find_spot(enters)]
    form = "straight" if flow.route == "straight" or aligned else "elbow" if flow.route == "elbow" else "curved"
    corner = ""
    if form == "curved":
        far = abs(dx if level else dy) if enters == OPPOSITE_SIDES[leaves] else min(abs(dx), abs(dy))
        reach = min(max(far * _BEND_SHARE, _LEAST_BEND), _MOST_BEND)
        lead = ends[1].leads.get(enters, 0.0)
        turn = _push_spot(spots[1], enters, lead)
        spots[1:1] = [_push_spot(spots[0], leaves, reach), _push_spot(turn, enters, reach), *[turn] * (lead > _EVEN)]
    elif form == "elbow":
        corner = "-|" if level else "|-"
        enters = ("above" if dy < 0 else "below") if level else ("left" if dx > 0 else "right")
        spots[-1] = ends[1].find_spot(enters)
        goal = ends[1].find_point(enters)
    item = replace(item, spots=tuple(spots), form=form, corner=corner)
    found, areas = _add_label(facts, index, flow, item, start, goal, level=level)
    yield found, areas


def spread_ends(
    facts: CellsFacts,
    pairs: Sequence[tuple[CellFlow, tuple[CellFlowEnd, CellFlowEnd], tuple[SymbolicBox, SymbolicBox]]],
) -> list[tuple[CellFlowEnd, CellFlowEnd]]:
    """Return the ends of flows; curved ones that end at one side of the same cells are spread along it."""
    found = [list(ends) for _, ends, _ in pairs]
    groups: dict[tuple[str, Way], list[tuple[float, int, int]]] = {}
    for index, (flow, ends, holders) in enumerate(pairs):
        own = tuple(holder.measure_box(facts.plan.values) for holder in holders)
        if flow.route != "curved" or own[0] == own[1]:
            continue
        for place, side in enumerate(_choose_sides(*own)):
            far = facts.measure(ends[1 - place].box.middle[side not in _UPRIGHT])
            groups.setdefault((ends[place].node, side), []).append((far, index, place))
    for (_, side), group in groups.items():
        for rank, (_, index, place) in enumerate(sorted(group)):
            box = found[index][place].box
            long = facts.measure(box.right - box.left if side in _UPRIGHT else box.top - box.bottom)
            step = min(_SPREAD, long * _SPREAD_SHARE / len(group))
            off = (rank - (len(group) - 1) / 2) * step
            found[index][place] = replace(found[index][place], off=off)
    return [(ends[0], ends[1]) for ends in found]


def _darken(style: str, color: str) -> str:
    """Return the style of a flow over fills, which needs more contrast than one over the background."""
    return f"{style}, draw={color}!{_INK_SHARE_PERCENT}!ink"


def _push_spot(spot: tuple[str, Pair], side: Way, reach: float) -> tuple[str, Pair]:
    """Return the control point of a curve that leaves a side upright."""
    (name, (dx, dy)) = spot
    push = {"right": (reach, 0.0), "left": (-reach, 0.0), "above": (0.0, reach), "below": (0.0, -reach)}[side]
    return name, (dx + push[0], dy + push[1])


def _measure_gaps(one: Box, other: Box) -> tuple[float, float]:
    """Return the distances of two boxes to the side and up; negative if they overlap there."""
    return max(other[0] - one[2], one[0] - other[2]), max(other[1] - one[3], one[1] - other[3])


def _are_touching(one: Box, other: Box) -> bool:
    across, up = _measure_gaps(one, other)
    return max(across, up) < _TOUCHING and min(across, up) < -_TOUCHING


def _choose_sides(one: Box, other: Box) -> tuple[Way, Way]:
    """Return the facing sides of two boxes: those with the larger gap between them."""
    across, up = _measure_gaps(one, other)
    leaves: Way
    if across >= up:
        leaves = "right" if one[0] + one[2] <= other[0] + other[2] else "left"
    else:
        leaves = "above" if one[1] + one[3] <= other[1] + other[3] else "below"
    return leaves, OPPOSITE_SIDES[leaves]


def _has_neighbor(facts: CellsFacts, flow: CellFlow) -> bool:
    """Return whether an array is attached to the array in which a flow runs, or that array to another one."""
    array = facts.find_element(flow.source).array
    return array is not None and (
        array.beside is not None or any(other.beside == array.id for other in facts.drawn_arrays)
    )


def _draw_inside(
    facts: CellsFacts,
    index: int,
    flow: CellFlow,
    item: CellFlowItem,
    ends: tuple[CellFlowEnd, CellFlowEnd],
    holder: SymbolicBox,
) -> tuple[CellFlowItem, list[SymbolicBox]]:
    """Return an upright flow between two rows of an array, along a line between two columns.

    Its label is in the first row between them without labels, if there is one.
    """
    source, target = (facts.find_element(end) for end in (flow.source, flow.target))
    assert source.array is not None
    assert source.cells is not None
    assert target.cells is not None
    one = facts.arrays[source.array.id]
    last = max(source.cells.columns[0] + 1, (source.cells.columns[0] + source.cells.columns[1]) // 2)
    x = holder.left + one.across.length * (one.columns.starts.get(last, one.columns.end) - one.columns.start)
    down = source.cells.rows[0] < target.cells.rows[0]
    sides: tuple[Way, Way] = ("below", "above") if down else ("above", "below")
    spots = []
    for end, side in zip(ends, sides, strict=True):
        name, (dx, dy) = end.find_spot(side)
        spots.append((name, (x - end.box.middle[0] + dx, dy)))
    item = replace(item, spots=tuple(spots))
    macro = facts.find_macro("flows", index, "label")
    first, beyond = sorted((source.cells.rows, target.cells.rows))
    free = [row for row in range(first[1], beyond[0]) if not any(cell[1] == row for cell in source.array.grid.texts)]
    if not macro or not free:
        return item, []
    share = (free[0] - first[1] + 0.5) / (beyond[0] - first[1])
    return replace(item, text=macro, anchor="west", clear=True, share=share if down else 1 - share), []


def _choose_free_side(side: Way, box: Box, holder: Box, other: Box) -> Way:
    """Return the side of cells if it is an edge of their array, else an edge above or below them, if there is one."""
    meets: dict[Way, bool] = {
        "left": box[0] - holder[0] < _TOUCHING,
        "right": holder[2] - box[2] < _TOUCHING,
        "below": box[1] - holder[1] < _TOUCHING,
        "above": holder[3] - box[3] < _TOUCHING,
    }
    toward: Way = "above" if box[1] + box[3] < other[1] + other[3] else "below"
    tried = (side, toward, OPPOSITE_SIDES[toward])
    return next((way for way in tried if meets[way]), side)


def _draw_bulge(
    facts: CellsFacts,
    index: int,
    flow: CellFlow,
    item: CellFlowItem,
    ends: tuple[CellFlowEnd, CellFlowEnd],
    holder: SymbolicBox,
) -> tuple[CellFlowItem, list[SymbolicBox]]:
    """Return a flow between two rows of an array that curves around its right edge, with its label to the right."""
    edges = [(holder.right - end.box.right, end.beyond.get("right", ZERO)) for end in ends]
    spots = [(end.find_spot("right")[0], (edge + off, ZERO)) for end, (edge, off) in zip(ends, edges, strict=True)]
    start, goal = ((holder.right + off, end.box.middle[1]) for end, (_, off) in zip(ends, edges, strict=True))
    reach = min(max(abs(facts.measure(goal[1] - start[1])) * _BULGE_SHARE, _LEAST_BULGE), _MOST_BEND)
    spots[1:1] = [(name, (dx + reach, dy)) for name, (dx, dy) in spots]
    item = replace(item, spots=tuple(spots), form="curved")
    peak, middle = start[0] + reach * 0.75, (start[1] + goal[1]) * 0.5
    macro = facts.find_macro("flows", index, "label")
    size = facts.plan.measure(flow.label) if macro else None
    wide, high = (size.width + 2 * _LABEL_INNER, size.total + 2 * _LABEL_INNER) if size else (0.0, 0.0)
    box = SymbolicBox(start[0], middle - high / 2, peak + wide, middle + high / 2)
    return replace(item, text=macro, anchor="west", share=0.5) if macro else item, [box]


def _draw_short(
    facts: CellsFacts, item: CellFlowItem, ends: tuple[CellFlowEnd, CellFlowEnd], boxes: tuple[Box, Box]
) -> Iterator[tuple[CellFlowItem, list[SymbolicBox]]]:
    """Yield a short arrow across the border of two cells, beside their texts."""
    leaves, enters = _choose_sides(*boxes)
    spots = [_find_spot_aside(ends[0], leaves), _find_spot_aside(ends[1], enters)]
    yield replace(item, spots=tuple(spots)), []


def _find_spot_aside(end: CellFlowEnd, side: Way) -> tuple[str, Pair]:
    """Return the spot in a cell at which a short arrow across a side begins or ends."""
    wide, high = end.box.right - end.box.left, end.box.top - end.box.bottom
    depth = 0.5 - _INTO
    moved: dict[Way, Pair] = {
        "below": (wide * _ASIDE, high * -depth),
        "above": (wide * _ASIDE, high * depth),
        "right": (wide * depth, high * -_ASIDE),
        "left": (wide * -depth, high * -_ASIDE),
    }
    return f"{end.node}.center", moved[side]


def _draw_wrap(
    facts: CellsFacts,
    index: int,
    flow: CellFlow,
    item: CellFlowItem,
    ends: tuple[CellFlowEnd, CellFlowEnd],
    holders: tuple[SymbolicBox, SymbolicBox],
) -> Iterator[tuple[CellFlowItem, list[SymbolicBox]]]:
    """Yield two stubs: out of the edge beyond the source, and in at the opposite edge to the target."""
    (left, bottom, _, top), (x0, y0, _, y1) = (end.box.measure_box(facts.plan.values) for end in ends)
    level = abs(y0 + y1 - bottom - top) < _EVEN
    leaves = choose_wrap_side(level=level, forth=left >= x0 if level else bottom <= y0)
    enters = OPPOSITE_SIDES[leaves]
    for end, holder, side, out in ((ends[0], holders[0], leaves, True), (ends[1], holders[1], enters, False)):
        inner = _find_spot_aside(end, side)
        far = holder.find_side(_COMPASS[side]) - end.box.middle[side in _UPRIGHT] + _SIGNS[side] * STUB_CM
        outer = (inner[1][0], far) if side in _UPRIGHT else (far, inner[1][1])
        spots = (inner, (inner[0], outer)) if out else ((inner[0], outer), inner)
        x, y = end.box.middle
        areas = [make_box_around((x + outer[0], y + outer[1]))]
        if not out:
            yield replace(item, spots=spots, name="", step=""), areas
            continue
        macro = facts.find_macro("flows", index, "label")
        if macro:
            size = facts.plan.measure(flow.label)
            half, high = size.width / 2 + _LABEL_INNER, size.total + 2 * _LABEL_INNER
            areas.append(make_box_around((x + outer[0], y + outer[1]), half if side in _UPRIGHT else 2 * half, high))
        yield replace(item, spots=spots, text=macro, anchor=_FACING[side], share=1.0), areas


def choose_wrap_side(*, level: bool, forth: bool) -> Way:
    """Return the side at which a flow that wraps leaves, by whether it runs level, and from the far end."""
    sides: tuple[Way, Way] = ("left", "right") if level else ("above", "below")
    return sides[forth]


def _add_label(
    facts: CellsFacts, index: int, flow: CellFlow, item: CellFlowItem, start: Pair, goal: Pair, *, level: bool
) -> tuple[CellFlowItem, list[SymbolicBox]]:
    """Return a flow with its label beside its middle: above a level flow, right of an upright one."""
    macro = facts.find_macro("flows", index, "label")
    if not macro:
        return item, []
    size = facts.plan.measure(flow.label)
    wide, high = size.width + 2 * _LABEL_INNER, size.total + 2 * _LABEL_INNER
    x, y = (start[0] + goal[0]) * 0.5, (start[1] + goal[1]) * 0.5
    steep = abs(facts.measure(goal[1] - start[1])) > abs(facts.measure(goal[0] - start[0]))
    if item.form == "elbow":
        return replace(item, text=macro, anchor="south" if level else "west", share=0.25), []
    if steep:
        box = SymbolicBox(x, y - high / 2, x + wide, y + high / 2)
        return replace(item, text=macro, anchor="west", clear=True, share=0.5), [box]
    return replace(item, text=macro, anchor="south", share=0.5), [SymbolicBox(x - wide / 2, y, x + wide / 2, y + high)]
