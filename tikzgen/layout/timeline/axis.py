"""Time axis: arrow or ruler, its label, the summary below it, and the breaks of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import TypeAlias

from tikzgen.base.record import Record
from tikzgen.layout.constants import NUMBER_INNER, TICK
from tikzgen.layout.scene.items import Item, NoteItem
from tikzgen.layout.symbolic_lengths import ZERO, Length, SymbolicBox, make_length, number
from tikzgen.layout.time.timed_items import LabelItem, PathItem, TimedPoint
from tikzgen.layout.timeline.labels_outside_cells import NO_TEXT, Fitted, fit_text
from tikzgen.layout.timeline.marks.labels_beside_lanes import MarginShelf
from tikzgen.layout.timeline.timeline_header import is_alone
from tikzgen.layout.timeline.timeline_items import TicksItem
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.timeline import Axis, Tick
from tikzgen.text import Tex, typeset_label

_GAP = 0.15  # cm between the lanes and the time axis
_ARROW_TAIL_CM = 0.5  # cm by which the arrow extends beyond the last time
_TIP_OUTLINE_CM = 0.05  # cm: additional extent of the outline of its tip
_LONGER_TAIL_CM = 0.7  # cm by which the arrow may be longer, so that its label follows the numbers
_AXIS_TEXT_WIDTH = 2.5  # cm that its label may take if the arrow is shorter
_LEAST_SUMMARY_WIDTH_CM = 3.0  # cm that a level summary may take below narrow lanes
_NUMBER_GAP = 0.14  # cm between adjacent numbers
_TICK_GAP = 0.07  # cm between adjacent tick marks


Said: TypeAlias = tuple[tuple[str, str], ...]
"""Labels with their positions."""


class Ruler(Record):
    """Contents of the ruler: tick positions and numbers in time units, and their sizes in cm.

    `long` and `deep` are the largest extents along time and away from the arrow; `last` is the end of the last number.
    Custom ticks have `texts` instead of numbers: the macro of each label.
    """

    marks: tuple[str, ...] = ()
    numbers: Said = ()
    texts: Said = ()
    size: float = 6.0
    long: float = 0.0
    deep: float = 0.0
    last: float = 0.0


class _Plate(Record):
    """Rows under the arrow: positions of its label and of the summary, in cm beyond the arrow."""

    ruler: Ruler
    tail: float
    label: Fitted
    label_at: float
    summary: Fitted
    summary_at: float
    depth: float


def axis_text(axis: Axis) -> str:
    """Return the label of the time axis, with the unit if there are ticks."""
    unit = axis.unit if axis.ticks and not isinstance(axis.ticks, list) else ""
    if not unit or not axis.label:
        return axis.label or unit
    if isinstance(axis.label, Tex):
        return Tex(f"{axis.label} ({typeset_label(unit).source})", axis.label.allowed)
    return f"{axis.label} ({unit})"


def _end(facts: TimelineOnPaper) -> Fraction:
    """Return the end of the ruler, in drawn time units."""
    axis = facts.part.axis
    until = axis.until if axis and axis.until is not None else facts.last
    return facts.clock.locate_moment(until)


def make_ruler(facts: TimelineOnPaper) -> Ruler:
    axis = facts.part.axis
    if axis is None or axis.ticks is None:
        return Ruler()
    if isinstance(axis.ticks, list):
        return _own_ticks(facts, axis.ticks)
    unit, size = facts.plan.values["timeunit"], facts.plan.small
    until = axis.until if axis.until is not None else facts.last
    # Ticks closer than a reader can distinguish, and numbers that would touch, are omitted.
    step = axis.ticks * _round_to_1_2_5(_TICK_GAP / (float(axis.ticks) * unit))
    times = [step * k for k in range(int(until / step) + 1)]
    shown = [time for time in times if not any(start < time < stop for start, stop in facts.clock.cuts)]
    texts = [_spell_tick(axis.format, time) for time in shown]
    boxes = [facts.size_of(text, size) for text in texts]
    need = max(long for long, _ in boxes) + _NUMBER_GAP
    every = _round_to_1_2_5(need / (float(step) * unit))
    kept: list[tuple[Fraction, str, float]] = []
    for time, text, (long, _) in zip(shown, texts, boxes, strict=True):
        # After a break, numbers can be closer than elsewhere.
        if (time / step) % every == 0 and (
            not kept or facts.measure_time(time) - facts.measure_time(kept[-1][0]) >= need - 1e-6
        ):
            kept.append((time, text, long))
    numbers = tuple((facts.clock.spell_moment(time), text) for time, text, _ in kept)
    return _make_sized_ruler(facts, shown, boxes, facts.measure_time(kept[-1][0]) + kept[-1][2] / 2, numbers=numbers)


def _own_ticks(facts: TimelineOnPaper, ticks: list[Tick]) -> Ruler:
    """Return the ruler of listed ticks; a label that would touch the previous label is omitted."""
    boxes = [facts.size_of(tick.label, facts.plan.small) for tick in ticks]
    texts: list[tuple[str, str]] = []
    last = -inf
    for index, (tick, (long, _)) in enumerate(zip(ticks, boxes, strict=True)):
        middle = facts.measure_time(tick.at)
        if tick.label and middle - long / 2 >= last:
            texts.append((facts.clock.spell_moment(tick.at), facts.find_field_macro("axis", "ticks", index, "label")))
            last = middle + long / 2 + _NUMBER_GAP
    return _make_sized_ruler(
        facts, [tick.at for tick in ticks], boxes, max(last - _NUMBER_GAP, 0.0), texts=tuple(texts)
    )


def _make_sized_ruler(
    facts: TimelineOnPaper, marks: Sequence[Fraction], boxes: Sequence[tuple[float, float]], last: float, **said: Said
) -> Ruler:
    """Return a ruler with numbers or labels in boxes of these sizes."""
    long, deep = (max(sides) + 2 * NUMBER_INNER for sides in zip((0.0, 0.0), *boxes, strict=True))
    spelt = tuple(map(facts.clock.spell_moment, marks))
    return Ruler(spelt, size=facts.plan.small, long=long, deep=deep, last=last + NUMBER_INNER, **said)


_SECONDS = 60  # per minute, and minutes per hour


def _spell_tick(form: str, time: Fraction) -> str:
    """Spell a tick: the number to three decimals in its format, or hours, minutes and seconds."""
    if "{n}" in form:
        return form.replace("{n}", number(float(time), 3))
    parts, rest = form.split(":"), round(time)
    found: list[str] = []
    for part in reversed(parts[1:]):
        rest, low = divmod(rest, _SECONDS)
        found.insert(0, f"{low:02}" if len(part) > 1 else str(low))
    return ":".join([f"{rest:0{len(parts[0])}}", *found])


def _round_to_1_2_5(least: float) -> int:
    """Return the least of 1, 2, 5, 10, 20, … that is not smaller."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if factor * size >= least - 1e-9:
                return factor * size
        size *= 10


def _make_plate(facts: TimelineOnPaper) -> _Plate:
    axis = facts.part.axis
    unit = facts.plan.values["timeunit"]
    shown = make_ruler(facts)
    level = facts.right
    end = float(_end(facts)) * unit
    full = float(facts.end) * unit + _ARROW_TAIL_CM
    text = axis_text(axis) if axis else ""
    label = fit_text(facts.plan, text, max(full, _AXIS_TEXT_WIDTH) if level else inf, strut=False) if text else NO_TEXT
    numbers = TICK + shown.deep if shown.marks else 0.0
    tail = _ARROW_TAIL_CM if axis else 0.0
    if facts.is_upright:  # both are level, beyond the end of the arrow
        summary = _fit_summary(facts, max(facts.measure_row(facts.rows), _LEAST_SUMMARY_WIDTH_CM))
        return _Plate(shown, tail, label, 0.0, summary, 0.0, numbers)
    first = numbers  # beginning of the row after the numbers
    label_at = first
    if level and (shown.numbers or shown.texts) and text:
        longer = shown.last + 0.06 + label.width - end
        if longer <= _ARROW_TAIL_CM + _LONGER_TAIL_CM:
            tail = max(_ARROW_TAIL_CM, longer)
            label_at = max(0.0, TICK + shown.deep / 2 - label.height / 2)
    room = full
    same = label_at == first and label.height > 0
    if same:
        room = (end + tail - label.width if level else (end + tail) / 2 - label.width / 2) - 0.15
    summary, summary_at = _fit_summary(facts, room), first
    if same and summary.width > max(room, 0.0) + 1e-6:
        summary_at, summary = first + label.height, _fit_summary(facts, full)
    depth = max(numbers, label_at + label.height, summary_at + summary.height if summary.width else 0.0)
    return _Plate(shown, tail, label, label_at, summary, summary_at, depth)


def _fit_summary(facts: TimelineOnPaper, room: float) -> Fitted:
    """Return the summary in one line, or wrapped to a room in cm; empty if it is not next to the axis."""
    if not facts.part.summary or is_alone(facts):
        return NO_TEXT
    line = fit_text(facts.plan, facts.part.summary, 100.0, strut=False)
    return line if line.width <= room else fit_text(facts.plan, facts.part.summary, max(room, 1.5), strut=False)


def arrow_at(facts: TimelineOnPaper, stack: MarginShelf) -> float:
    """Return the distance of the time axis from the last row, in cm."""
    return stack.after + (_GAP if facts.part.axis else 0.0)


def axis_parts(facts: TimelineOnPaper, stack: MarginShelf) -> Iterator[Item | SymbolicBox]:
    """Yield the arrow after the last row, its ticks, its label, the summary, and their areas.

    Labels may be longer than the arrow.
    """
    axis, plate = facts.part.axis, _make_plate(facts)
    row, off = facts.find_edge_row("after"), arrow_at(facts, stack)
    base, far = facts.place_row(row), facts.place_row(row) + (off + plate.depth)
    end = make_length("timeunit", float(_end(facts))) if axis else facts.place_time(facts.last)
    yield facts.make_extent(ZERO, end + (plate.tail + (_TIP_OUTLINE_CM if axis else 0.0)), base, far)
    if axis is not None:
        if axis.unit and not axis.ticks:
            yield NoteItem(
                "the unit of the axis is left out, because the axis has no ticks (set ticks: 1)", is_remark=True
            )
        yield from _draw_time_arrow(facts, plate, off)
        yield from _draw_ticks(facts, plate.ruler, off, far)
    if facts.is_upright:
        yield from _draw_level_summary(facts, plate, off)
        return
    if plate.label.width:
        middle = end + (plate.tail - plate.label.width / 2) if facts.right else (end + plate.tail) * 0.5
        yield facts.make_extent(middle - plate.label.width / 2, middle + plate.label.width / 2, base, base)
    macro = facts.find_field_macro("summary")
    if macro and plate.summary.width:
        place, text = facts.make_point("0", row, off=off + plate.summary_at), plate.summary
        side, known = f"{facts.choose_facing_anchor('after')} west", facts.clock.spell_moment(facts.last)
        yield LabelItem((macro,), place, side, size=text.size, wrap=text.wrap, along=True, known=known)
        yield facts.make_extent(ZERO, Length(text.width), base, far)


def _draw_level_summary(facts: TimelineOnPaper, plate: _Plate, off: float) -> Iterator[Item | SymbolicBox]:
    """Yield the summary below the lanes, and its area and that of the label of the axis."""
    after, before = facts.place_row(facts.find_edge_row("after")), facts.place_row(facts.find_edge_row("before"))
    moment = float(_end(facts) if facts.part.axis else facts.clock.locate_moment(facts.last))
    end = make_length("timeunit", moment) + plate.tail
    label, summary, below = plate.label, plate.summary, 0.0
    if label.width:
        half = label.width / 2
        yield facts.make_extent(end, end + label.height, after + (off - half), after + (off + half))
        room = (after - before).compute_cm(facts.plan.values) + off - half
        below = label.height if summary.width > room else 0.0
    macro = facts.find_field_macro("summary")
    if macro and summary.width:
        place = facts.make_point(number(moment, 4), facts.find_edge_row("before"), along=plate.tail + below)
        known = facts.clock.spell_moment(facts.last)
        yield LabelItem((macro,), place, "north west", size=summary.size, wrap=summary.wrap, known=known)
        yield facts.make_extent(end + below, end + (below + summary.height), before, before + summary.width)


def _draw_time_arrow(facts: TimelineOnPaper, plate: _Plate, off: float) -> Iterator[Item]:
    """Yield the arrow and its label."""
    level, row, end = facts.right, facts.find_edge_row("after"), float(_end(facts))
    line = facts.make_point("0", row, off=off), facts.make_point(number(end, 4), row, along=plate.tail, off=off)
    macro = facts.plan.labels.find_macro(facts.panel, f"timelabel {facts.mark}")
    anchor = "north east" if level else "north" if facts.is_upright else facts.choose_facing_anchor("after")
    if not macro or plate.label_at < 1e-6:
        at_end, size, wrap = level or facts.is_upright, plate.label.size, plate.label.wrap
        yield PathItem(("time",), line, macro, anchor, 1.0 if at_end else 0.5, along=not at_end, size=size, wrap=wrap)
        return
    yield PathItem(("time",), line)
    at, along = (end, plate.tail) if level else (end / 2, _ARROW_TAIL_CM / 2)
    place, size, wrap = (
        facts.make_point(number(at, 4), row, along, off + plate.label_at),
        plate.label.size,
        plate.label.wrap,
    )
    yield LabelItem((macro,), place, anchor, along=not level, size=size, wrap=wrap)


def _draw_ticks(facts: TimelineOnPaper, ruler: Ruler, off: float, far: Length) -> Iterator[Item | SymbolicBox]:
    """Yield the tick marks with their numbers, or with their labels."""
    if not ruler.marks:
        return
    level, row = facts.right, facts.find_edge_row("after")
    out = -1 if level else 1
    size, shift, drop = number(ruler.size), Length(out * off), out * (off + TICK)
    yield TicksItem(number(row), shift, ruler.marks, ruler.numbers, drop, facts.part.direction, size)
    for at, macro in ruler.texts:
        anchor = "north" if level else "west"
        yield LabelItem((macro,), facts.make_point(at, row, off=off + TICK), anchor, ("number",), size=size)
    half = ruler.long / 2
    for at, _ in (ruler.numbers or ruler.texts)[:: max(len(ruler.numbers or ruler.texts) - 1, 1)]:
        middle = make_length("timeunit", float(at))
        yield facts.make_extent(middle - half, middle + half, facts.place_row(row), far)


_TEAR_SWING_CM = 0.035  # cm: amplitude of a torn edge
_TEETH_PER_LANE = 2  # teeth of a torn edge per lane
_STROKE_HALF_CM = 0.09  # cm: half the height of a stroke on the time arrow
_STROKE_SLANT_CM = 0.04  # cm: half its horizontal offset
_TEAR_INSET_SHARE = 0.3  # share of the gap: distance of the torn edges from its ends


def _iterate_gap_edges(facts: TimelineOnPaper) -> Iterator[tuple[str, str]]:
    """Yield the positions of the two torn edges of each gap, in time units."""
    for start, end in facts.clock.cuts:
        low, high = float(facts.clock.locate_moment(start)), float(facts.clock.locate_moment(end))
        inset = (high - low) * _TEAR_INSET_SHARE
        yield number(low + inset, 4), number(high - inset, 4)


def draw_breaks(facts: TimelineOnPaper) -> Iterator[Item]:
    """Yield the gap, a shape in the background color between two torn edges."""
    count = max(2, round(facts.rows * _TEETH_PER_LANE))
    for left, right in _iterate_gap_edges(facts):
        first, second = _tear_points(facts, left, count), _tear_points(facts, right, count)
        yield PathItem(("tear",), (*first, *reversed(second)), closed=True)
        yield PathItem(("rip",), first)
        yield PathItem(("rip",), second)


def _tear_points(facts: TimelineOnPaper, time: str, count: int) -> tuple[TimedPoint, ...]:
    rows = [-0.6 + (facts.rows + 0.2) * step / count for step in range(count + 1)]
    return tuple(
        facts.make_point(time, round(row, 3), along=_TEAR_SWING_CM if step % 2 else -_TEAR_SWING_CM)
        for step, row in enumerate(rows)
    )


def axis_breaks(facts: TimelineOnPaper, stack: MarginShelf) -> Iterator[Item]:
    """Yield the interruptions of the time axis, each between two diagonal strokes."""
    if facts.part.axis is None:
        return
    row, off = facts.find_edge_row("after"), arrow_at(facts, stack)
    for left, right in _iterate_gap_edges(facts):
        strokes = [
            (
                facts.make_point(time, row, -_STROKE_SLANT_CM, off + _STROKE_HALF_CM),
                facts.make_point(time, row, _STROKE_SLANT_CM, off - _STROKE_HALF_CM),
            )
            for time in (left, right)
        ]
        yield PathItem(("tear",), (*strokes[0], *reversed(strokes[1])), closed=True)
        for stroke in strokes:
            yield PathItem(("cut",), stroke)
