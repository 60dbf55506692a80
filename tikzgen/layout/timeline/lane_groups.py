"""Brackets and labels of lanes that belong together, before the lanes' own labels; groups nest in columns."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.length import Length
from tikzgen.layout.mark_macros import stem
from tikzgen.layout.timeline.directions import away, extent, spot
from tikzgen.layout.timeline.fitted_texts import Fitted, fit_text
from tikzgen.layout.timeline.timeline_items import Label, Path

__all__ = ["depth", "extents", "items"]

_FOOT = 0.07  # cm: the feet of a bracket
_AIR = 0.06  # cm before a bracket
_SAVED = 0.25  # cm that a label must save to be turned
_WIDE = 1.8  # cm to which a level label is broken


class _Placed(Record):
    """A group's label as it is set, how deep it is before the lanes, and where its bracket stands, in cm."""

    label: Fitted
    turned: bool
    line: float
    far: float


def _level(chart: Chart, index: int) -> int:
    """How many groups lie within each other below this one."""
    own = set(chart.part.groups[index].lanes)
    inner = [
        other
        for other, group in enumerate(chart.part.groups)
        if set(group.lanes) < own or (set(group.lanes) == own and other > index)
    ]
    return max((_level(chart, other) + 1 for other in inner), default=0)


def _placed(plan: Plan, chart: Chart, start: float) -> tuple[list[_Placed], float]:
    """Every group's place, when columns begin `start` cm before time 0; and where the last column ends."""
    pitch = plan.values["laneheight"] + plan.values["lanesep"]
    found: dict[int, _Placed] = {}
    levels = [_level(chart, index) for index in range(len(chart.part.groups))]
    for level in sorted(set(levels)):
        line = start + _AIR + _FOOT
        far = line
        for index, group in enumerate(chart.part.groups):
            if levels[index] != level:
                continue
            room = chart.middle(group.lanes)[1] * pitch - plan.values["lanesep"]
            label, turned = _label(plan, chart, group.label, room)
            deep = label.width if chart.part.direction == "right" and not turned else label.height
            found[index] = _Placed(label, turned, line, line + deep)
            far = max(far, line + deep)
        start = far
    return [found[index] for index in range(len(levels))], start


def _label(plan: Plan, chart: Chart, text: str, room: float) -> tuple[Fitted, bool]:
    """A label is turned along its bracket where that saves room."""
    if not text:
        return Fitted("", 0.0, 0.0, 0.0), False
    if chart.part.direction != "right":
        return fit_text(plan, text, room), False
    turned = fit_text(plan, text, room)
    level = fit_text(plan, text, _WIDE)
    fits = turned.width <= room + 1e-6 and not turned.wrap
    return (turned, True) if fits and turned.height + _SAVED < level.width else (level, False)


def depth(plan: Plan, chart: Chart, start: float) -> float:
    """How far before time 0 the groups reach, in cm, when the lanes' labels reach to `start`."""
    return _placed(plan, chart, start)[1]


def items(plan: Plan, chart: Chart, start: float) -> Iterator[Item]:
    """A bracket and a label for each group."""
    placed, _ = _placed(plan, chart, start)
    for index, (group, put) in enumerate(zip(chart.part.groups, placed, strict=True)):
        middle, many = chart.middle(group.lanes)
        low, high = middle - many / 2 + 0.5, middle + many / 2 - 0.5
        half = 0.45
        ends = [(low - half, _FOOT), (low - half, 0.0), (high + half, 0.0), (high + half, _FOOT)]
        corners = tuple(spot(chart, "0", row, along=-(put.line - foot)) for row, foot in ends)
        name = plan.name(chart.panel, group.id or f"group{index + 1}{chart.mark}")
        yield Path(("bracket",), corners, name=name)
        macro = plan.labels.macro(chart.panel, stem(chart, "group", index))
        if macro:
            anchor = {"right": "south" if put.turned else "east", "up": "north"}.get(chart.part.direction, "south")
            place = spot(chart, "0", middle, along=-put.line)
            text = put.label
            yield Label((macro,), place, anchor, size=text.size, wrap=text.wrap, rotate=90 if put.turned else 0)


def extents(plan: Plan, chart: Chart, start: float) -> Iterator[Extent]:
    """What the labels take across the lanes: they may be longer than their brackets."""
    placed, _ = _placed(plan, chart, start)
    for group, put in zip(chart.part.groups, placed, strict=True):
        middle = away(chart.middle(group.lanes)[0])
        level = chart.part.direction == "right" and not put.turned
        half = (put.label.height if level else put.label.width) / 2
        yield extent(chart, Length(-put.far), Length(), middle - half, middle + half)
