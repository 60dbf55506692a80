"""Lanes: their backgrounds, labels, brackets around several lanes, and the table next to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil

from tikzgen.layout.constants import DOTS_LONG, DOTS_WIDE, INNER
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import ZERO, Length, SymbolicBox, make_length, number
from tikzgen.layout.time.timed_items import LabelItem, PathItem
from tikzgen.layout.time.timeline_facts import GROUP_GAP, find_outermost_lanes
from tikzgen.layout.timeline.axis import make_ruler
from tikzgen.layout.timeline.labels_outside_cells import NO_TEXT, Fitted, common_size, fit_text, shrink_label
from tikzgen.layout.timeline.many_spans import is_mass
from tikzgen.layout.timeline.marks.labels_beside_lanes import MarginShelf
from tikzgen.layout.timeline.timeline_items import GridLinesItem
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.looks import width_in_cm

_OPPOSITE_ANCHORS = {"east": "west", "north": "south", "south": "north"}
_BRACKET_INSET_SHARE = 0.05  # share of the lane distance between the end of a bracket and the edge of its lanes
_BRACKET_FOOT_CM = 0.07  # cm: the feet of a bracket
_BRACKET_GAP = 0.06  # cm before a bracket
_TURN_SAVING = 0.6, 24  # cm, and divisor of the width: least saving of a rotated label, as it is harder to read
_LABEL_GAP = 0.02  # cm between labels
_COLUMNS = 0.12  # cm between columns of the table, besides the padding of their labels
_COLUMN_GAP = 0.2  # cm between the lanes, or their labels, and the first column
_LABEL_WIDTH = 1.8  # cm at which a level label wraps


def ground_parts(facts: TimelineOnPaper) -> Iterator[Item]:
    """Yield the bands first, then the grid over them, then lines."""
    end = number(float(facts.end), 4)
    half = make_length("laneheight", 0.5) + make_length("lanesep", 0.5)
    for lane in facts.part.lanes:
        if lane.band:
            row = facts.place[lane.id]
            corners = (("0", half * -1), (end, half * -1), (end, half), ("0", half))
            spots = tuple(facts.make_point(time, row, off=off) for time, off in corners)
            yield PathItem((f"band={lane.band}",), spots, closed=True)
    axis = facts.part.axis
    if axis and axis.grid and (marks := make_ruler(facts).marks):
        yield GridLinesItem(marks, number(facts.find_edge_row("before")), number(facts.find_edge_row("after")))
    for lane in facts.part.lanes:
        if lane.line:
            yield _draw_lengthwise_line(facts, ("lane line",), facts.place[lane.id], end)
    rules = facts.part.rules
    for row, parts_groups in _iterate_lane_boundaries(facts):
        dash = rules.groups if parts_groups and rules.groups != "none" else rules.between
        if dash != "none":
            yield _draw_lengthwise_line(facts, ("rule",) if dash == "solid" else ("rule", dash), row, end)


def _draw_lengthwise_line(facts: TimelineOnPaper, styles: tuple[str, ...], row: float, end: str) -> PathItem:
    return PathItem(styles, (facts.make_point("0", row), facts.make_point(end, row)))


def _iterate_lane_boundaries(facts: TimelineOnPaper) -> Iterator[tuple[float, bool]]:
    """Yield the rows between adjacent lanes, below the strips of the first, and whether groups meet there."""
    holders = [find_outermost_lanes(facts.part, lane) for lane in facts.part.lanes]
    for (before, held), (after, other) in pairwise(zip(facts.part.lanes, holders, strict=True)):
        meets = held != other and len(facts.part.groups) > 0
        gap = facts.place[after.id] - facts.place[before.id] - 1
        yield facts.place[after.id] - 0.5 - min(gap, GROUP_GAP) / 2, meets


def lane_parts(facts: TimelineOnPaper, stack: MarginShelf) -> Iterator[Item | SymbolicBox]:
    """Yield a label for each lane and strip, the groups of lanes, then the title, with their areas.

    Labels may be larger than lanes.
    """
    right = facts.right
    anchor = {"right": "east", "up": "north", "down": "south"}[facts.part.direction]
    is_after, last = facts.part.lane_labels == "after", number(float(facts.end), 4)
    deepest = 0.0
    labelled = [(*each, shrink_label(facts, each[1])) for each in _lane_labels(facts)]
    for macro, label, row, short in labelled[:: _step(facts, labelled) or 1]:
        place, side = (
            facts.make_point(last if is_after else "0", row),
            _OPPOSITE_ANCHORS[anchor] if is_after else anchor,
        )
        yield LabelItem((macro,), place, side, size=short.size if short else "", wrap=short.wrap if short else 0.0)
        if short:
            half, deepest = short.height / 2, max(deepest, short.width)
        else:
            long, thick = facts.size_of(label)
            half, deepest = thick / 2 + INNER, max(deepest, long + 2 * INNER)
        yield facts.make_extent(ZERO, ZERO, facts.place_row(row) - half, facts.place_row(row) + half)
    groups, deep = _draw_group_brackets(facts, 0.0 if is_after else deepest)
    yield from groups
    yield from _table_parts(facts, deepest if is_after else 0.0)
    yield from _draw_lane_dots(facts, last if is_after else "0", _OPPOSITE_ANCHORS[anchor] if is_after else anchor)
    top, end = facts.place_row(-0.5) - stack.before, make_length("timeunit", float(facts.end))
    if is_after:
        end = end + deepest
    if facts.part.title and not right:
        title, look = facts.find_field_macro("title"), ("slbl", "strong")
        size = facts.plan.measure(facts.part.title, bold=True)
        head, half = size.total + 2 * INNER, size.width / 2 + INNER
        row = (facts.rows - 1) / 2
        yield LabelItem((title,), facts.make_point("0", row, along=-deep), anchor, look)
        yield facts.make_extent(Length(-deep - head), ZERO, facts.place_row(row) - half, facts.place_row(row) + half)
    yield facts.make_extent(Length(-deep), end, top, facts.place_row(facts.rows - 0.5) + stack.after)


def _draw_lane_dots(facts: TimelineOnPaper, end: str, anchor: str) -> Iterator[Item | SymbolicBox]:
    """Yield the ellipsis for omitted lanes, as for nodes of a topology."""
    style = "omitted" if facts.right else "omitted level"
    for lane in facts.part.lanes:
        if lane.ellipsis and not lane.label:
            row = facts.place[lane.id]
            yield LabelItem((), facts.make_point(end, row), anchor, (style,))
            middle = facts.place_row(row)
            yield facts.make_extent(Length(-DOTS_WIDE), ZERO, middle - DOTS_LONG / 2, middle + DOTS_LONG / 2)


def _step(facts: TimelineOnPaper, labelled: list[tuple[str, str, float, Fitted | None]]) -> int:
    """Return the step between labeled lanes: 1 except for very many lanes, whose labels would overlap."""
    if not is_mass(facts.plan):
        return 1
    usual = facts.plan.measure("Sg")
    heights = (short.height if short else usual.total + _LABEL_GAP for *_, short in labelled)
    return ceil(max(heights, default=0.0) / facts.pitch)


def _lane_labels(facts: TimelineOnPaper) -> Iterator[tuple[str, str, float]]:
    """Yield the labels of lanes and strips, with their macros and their rows."""
    for index, lane in enumerate(facts.part.lanes):
        if lane.label:
            yield facts.find_field_macro("lanes", index, "label"), lane.label, facts.place[lane.id]
    for index, (strip, row) in enumerate(zip(facts.part.strips, facts.strips, strict=True)):
        if strip.label:
            yield facts.find_field_macro("strips", index, "label"), strip.label, row


def _measure_nesting(facts: TimelineOnPaper, index: int) -> int:
    """Return the depth of the nesting of groups inside this one."""
    own = set(facts.part.groups[index].lanes)
    inner = [
        other
        for other, group in enumerate(facts.part.groups)
        if set(group.lanes) < own or (set(group.lanes) == own and other > index)
    ]
    return max((_measure_nesting(facts, other) + 1 for other in inner), default=0)


def _turn_bracket_label(facts: TimelineOnPaper, text: str, room: float, most: float) -> Fitted | None:
    """Return a label rotated along its bracket; None if that saves little, or needs lines.

    Formulas stay level.
    """
    turned, level = fit_text(facts.plan, text, room, most=most), fit_text(facts.plan, text, _LABEL_WIDTH)
    fits = turned.width <= room + 1e-6 and not turned.wrap and "$" not in text
    saved = width_in_cm(width) / _TURN_SAVING[1] if (width := facts.plan.figure.width) else _TURN_SAVING[0]
    return turned if fits and turned.height + saved < level.width else None


def _fit_bracket_labels(facts: TimelineOnPaper, groups: Sequence[int]) -> tuple[dict[int, Fitted], bool]:
    """Return the labels of brackets in a column, and whether they are rotated: all or none of them."""
    asked = [(facts.part.groups[index].label, _measure_bracket_room(facts, index)) for index in groups]
    most = common_size(facts.plan, asked)
    if not facts.right:
        drawn = [fit_text(facts.plan, text, room, most=most) if text else NO_TEXT for text, room in asked]
        return dict(zip(groups, drawn, strict=True)), False
    turned = [_turn_bracket_label(facts, text, room, most) if text else NO_TEXT for text, room in asked]
    along = [text for text in turned if text is not None]
    if len(along) == len(groups):
        return dict(zip(groups, along, strict=True)), True
    level = [fit_text(facts.plan, text, _LABEL_WIDTH) if text else NO_TEXT for text, _ in asked]
    return dict(zip(groups, level, strict=True)), False


def _draw_group_brackets(facts: TimelineOnPaper, start: float) -> tuple[list[Item | SymbolicBox], float]:
    """Return a bracket and a label for each group, in columns from `start` cm before time 0, and their end."""
    levels = [_measure_nesting(facts, index) for index in range(len(facts.part.groups))]
    found: dict[int, list[Item | SymbolicBox]] = {}
    for level in sorted(set(levels)):
        line = far = start + _BRACKET_GAP + _BRACKET_FOOT_CM
        own = [index for index, each in enumerate(levels) if each == level]
        texts, turned = _fit_bracket_labels(facts, own)
        for index in own:
            found[index], deep = _group(facts, index, line, texts[index], turned=turned)
            far = max(far, line + deep)
        start = far
    return [part for index in sorted(found) for part in found[index]], start


def _measure_bracket_room(facts: TimelineOnPaper, index: int) -> float:
    """Return the room of a group's label along its lanes, in cm, with half of the gaps to other groups."""
    gap = GROUP_GAP if len(facts.part.groups) > 1 else 0.0
    return (facts.measure_lanes(facts.part.groups[index].lanes)[1] + gap) * facts.pitch - facts.plan.values["lanesep"]


def _group(
    facts: TimelineOnPaper, index: int, line: float, text: Fitted, *, turned: bool
) -> tuple[list[Item | SymbolicBox], float]:
    """Return a bracket `line` cm before time 0 with its label, and the depth of the label in cm.

    The label may be longer than the bracket.
    """
    group, (middle, many) = facts.part.groups[index], facts.measure_lanes(facts.part.groups[index].lanes)
    level, half = facts.right and not turned, many / 2 - _BRACKET_INSET_SHARE
    ends = [
        (middle - half, _BRACKET_FOOT_CM),
        (middle - half, 0.0),
        (middle + half, 0.0),
        (middle + half, _BRACKET_FOOT_CM),
    ]
    corners = tuple(facts.make_point("0", row, along=-(line - foot)) for row, foot in ends)
    name = facts.name(group.id or f"group{index + 1}{facts.mark}")
    found: list[Item | SymbolicBox] = [PathItem(("bracket",), corners, name=name)]
    if macro := facts.find_field_macro("groups", index, "label"):
        anchor = {"right": "south" if turned else "east", "up": "north"}.get(facts.part.direction, "south")
        place, rotate = facts.make_point("0", middle, along=-line), 90 if turned else 0
        found.append(LabelItem((macro,), place, anchor, size=text.size, wrap=text.wrap, rotate=rotate))
    deep, long = (text.width, text.height) if level else (text.height, text.width)
    at = facts.place_row(middle)
    found.append(facts.make_extent(Length(-(line + deep)), ZERO, at - long / 2, at + long / 2))
    return found, deep


def _table_parts(facts: TimelineOnPaper, inset: float) -> Iterator[Item | SymbolicBox]:
    """Yield the table columns, `inset` cm after the lanes, each as wide as its widest label.

    Labels are centered in their columns.
    """
    if not facts.part.columns:
        return
    end, last = make_length("timeunit", float(facts.end)), number(float(facts.end), 4)
    along, top, base = inset + _COLUMN_GAP, facts.find_edge_row("before"), facts.place_row(facts.find_edge_row("after"))
    high, drop = head_height(facts), facts.plan.measure("A").height / 2  # one baseline per row
    for index, head in enumerate(facts.part.columns):
        cells = [lane.cells[index] for lane in facts.part.lanes if index < len(lane.cells)]
        widths = [facts.plan.measure(text).width for text in cells if text]
        wide = max([facts.plan.measure(head, bold=True).width if head else 0.0, *widths]) + 2 * INNER
        middle = along + wide / 2
        if macro := facts.find_field_macro("columns", index):
            yield LabelItem((macro,), facts.make_point(last, top, along=middle), "south", ("slbl", "strong"))
        for row, lane in enumerate(facts.part.lanes):
            if macro := facts.find_field_macro("lanes", row, "cells", index):
                yield LabelItem(
                    (macro,), facts.make_point(last, facts.place[lane.id], along=middle, off=drop), "base", known=last
                )
        along += wide + _COLUMNS
    yield facts.make_extent(end, end + (along - _COLUMNS), facts.place_row(top) - high, base)


def head_height(facts: TimelineOnPaper) -> float:
    """Return the height of the column heads above the lanes, in cm."""
    sizes = [facts.plan.measure(head, bold=True) for head in facts.part.columns if head]
    return max((size.total + 2 * INNER for size in sizes), default=0.0)
