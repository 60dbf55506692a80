"""Marks of times and periods: events, barriers across lanes, braces and dimensions, with labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from tikzgen.base.plane import Point
from tikzgen.base.record import replace
from tikzgen.layout.constants import SIGNS
from tikzgen.layout.scene.items import Item
from tikzgen.layout.symbolic_lengths import Length, SymbolicBox, make_length, number
from tikzgen.layout.time.part_with_time import Side
from tikzgen.layout.time.timed_items import LabelItem, PathItem, TimedPoint
from tikzgen.layout.timeline.axis import arrow_at
from tikzgen.layout.timeline.labels_outside_cells import NO_TEXT, Fitted, fit_text
from tikzgen.layout.timeline.marks.labels_beside_lanes import (
    BARRIER_REACH_SHARE,
    BRACE_HEIGHT,
    DIMENSION_HEIGHT,
    MarginShelf,
    text_inside,
)
from tikzgen.layout.timeline.marks.pack_shelves import Put
from tikzgen.layout.timeline.span_labels import side_of_event
from tikzgen.layout.timeline.timeline_items import BraceItem as Curl
from tikzgen.layout.timeline.timeline_positions import TimelineOnPaper
from tikzgen.model.timeline import Brace, Dimension, Event, Span

_SIGN = max(SIGNS.values()) / 2 + 0.01  # cm from the middle of a marker to its edge, with half a line
_LEADER_OVERLAP_CM = 0.05  # cm by which a leader line overlaps the row of its label


def event_parts(facts: TimelineOnPaper, stack: MarginShelf) -> Iterator[Item | SymbolicBox]:
    """Yield a leader line, marker and label for each event, a leader and label for each remark, and areas."""
    for index, event in enumerate(facts.part.events):
        yield from _draw_event(facts, stack, index, event)
    for index, label in enumerate(stack.moved):
        said = _text_with_leader(facts, stack, ("label", index), label.span, label.side, label.macro)
        yield from _elements_of_mark(facts, label.span.start, said)
    for index, remark in enumerate(facts.part.remarks):
        macro = facts.find_field_macro("remarks", index, "text")
        said = _text_with_leader(facts, stack, ("remark", index), facts.spans[remark.about], remark.side, macro)
        yield from _elements_of_mark(facts, facts.spans[remark.about].start, said)


def mark_lines(facts: TimelineOnPaper, stack: MarginShelf) -> Iterator[tuple[Point, Point]]:
    """Yield the leader lines from lanes to labels, and barriers.

    Points are in cm along time and away from the first lane.
    """
    events = (
        (index, (one.lane,), side_of_event(facts, one)) for index, one in enumerate(facts.part.events) if one.lane
    )
    remarks = ((index, facts.spans[one.about].lanes, one.side) for index, one in enumerate(facts.part.remarks))
    led: list[tuple[str, int, Sequence[str], Side]] = [("event", *one) for one in events]
    led += [("label", index, one.span.lanes, one.side) for index, one in enumerate(stack.moved)]
    led += [("remark", *one) for one in remarks]
    half = facts.plan.values["laneheight"] / 2
    for kind, index, lanes, side in led:
        put = stack.put.get((kind, index))
        if put:
            places = [facts.measure_row(facts.place[lane]) for lane in lanes]
            edge = facts.measure_row(facts.find_edge_row(side))
            ends = (edge - put.near, min(places) - half) if side == "before" else (max(places) + half, edge + put.near)
            yield (put.stem, ends[0]), (put.stem, ends[1])
    for barrier in facts.part.barriers:
        middle, many = facts.measure_lanes(barrier.lanes)
        u = facts.measure_time(barrier.time)
        yield (u, facts.measure_row(middle - many / 2)), (u, facts.measure_row(middle + many / 2))


def _draw_event(facts: TimelineOnPaper, stack: MarginShelf, index: int, event: Event) -> Iterator[Item | SymbolicBox]:
    side, put = side_of_event(facts, event), stack.put.get(("event", index))
    time, at = facts.clock.spell_moment(event.time), facts.place_time(event.time)
    half = make_length("laneheight", -0.5 if side == "before" else 0.5)
    if event.lane is None:
        row, off = facts.find_edge_row("after"), Length(arrow_at(facts, stack))
    else:
        row, off = facts.place[event.lane], half
    sign = facts.make_point(time, row, off=off)
    macro = facts.find_field_macro("events", index, "label")
    if put and macro:
        near = put.far - _LEADER_OVERLAP_CM if event.lane is None else put.near + _LEADER_OVERLAP_CM
        yield from _leader_to_moment(facts, side, sign, (time, at, near), macro, put)
    name = facts.name(event.id or f"event{index + 1}{facts.mark}")
    yield LabelItem((), sign, styles=(f"{event.mark} sign",), name=name)
    middle = facts.place_row(row) + off
    yield facts.make_extent(at - _SIGN, at + _SIGN, middle - _SIGN, middle + _SIGN)


def _text_with_leader(
    facts: TimelineOnPaper, stack: MarginShelf, key: tuple[str, int], span: Span, side: Side, macro: str
) -> Iterator[Item | SymbolicBox]:
    """Yield a label beyond the lanes with its leader to a span."""
    put, places = stack.put[key], [facts.place[lane] for lane in span.lanes]
    moment = put.stem / facts.plan.values["timeunit"]
    time, at = number(moment, 4), make_length("timeunit", moment)
    out, own = (-1, min(places)) if side == "before" else (1, max(places))
    root = facts.make_point(time, own, off=make_length("laneheight", 0.5 * out))
    yield from _leader_to_moment(facts, side, root, (time, at, put.near + _LEADER_OVERLAP_CM), macro, put)


def _leader_to_moment(
    facts: TimelineOnPaper, side: Side, root: TimedPoint, goal: tuple[str, Length, float], macro: str, put: Put
) -> Iterator[Item | SymbolicBox]:
    """Yield a label with its leader line; `goal` is the end: a time, its position, and cm off the lanes."""
    time, at, near = goal
    yield PathItem(
        ("leader",), (root, facts.make_point(time, facts.find_edge_row(side), off=-near if side == "before" else near))
    )
    yield _set_text(facts, side, macro, time, put)
    yield _area_on_shelf(facts, side, at + (put.start - put.stem), at + (put.stop - put.stem), put)


_SHORT_DIMENSION_CM = 0.5  # cm: a shorter dimension has bars, but no room for arrows
_DIMENSION_DROP_SHARE = 0.3  # share of a lane's thickness: distance of a dimension line below its middle
_BRACE_GAP = 0.03  # cm between a brace and the edge of its row


def period_parts(facts: TimelineOnPaper, stack: MarginShelf) -> Iterator[Item | SymbolicBox]:
    """Yield braces, then dimensions, each with its area."""
    for place, one in enumerate(facts.part.braces):
        yield from _elements_of_mark(facts, one.end, _draw_brace(facts, stack, place, one))
    for place, other in enumerate(facts.part.dimensions):
        yield from _elements_of_mark(facts, other.end, _draw_dimension(facts, stack, place, other))


def _elements_of_mark(
    facts: TimelineOnPaper, moment: Fraction, parts: Iterable[Item | SymbolicBox]
) -> Iterator[Item | SymbolicBox]:
    """Yield the elements of a mark with the time to which they refer."""
    known = facts.clock.spell_moment(moment)
    yield from (replace(part, known=known) if isinstance(part, (PathItem, LabelItem, Curl)) else part for part in parts)


def _draw_brace(facts: TimelineOnPaper, stack: MarginShelf, index: int, part: Brace) -> Iterator[Item | SymbolicBox]:
    put = stack.put["brace", index]
    out, row = -1 if part.side == "before" else 1, facts.find_edge_row(part.side)
    begin, end = facts.clock.locate_moment(part.start), facts.clock.locate_moment(part.end)
    at = facts.make_point(part.start, row, off=out * (put.near + _BRACE_GAP))
    yield Curl(at, number(float(end - begin), 4), facts.choose_facing_anchor(part.side) == "north")
    macro = facts.find_field_macro("braces", index, "label")
    if macro:
        middle = number(float(begin + end) / 2, 4)
        yield _set_text(facts, part.side, macro, middle, put, off=BRACE_HEIGHT)
    yield _make_period_area(facts, part, put)
    yield _make_label_area(facts, part, facts.place_time(part.start), facts.place_time(part.end), put)


def period_rows(facts: TimelineOnPaper, stack: MarginShelf) -> list[SymbolicBox]:
    """Return the areas of braces and dimensions next to the lanes; lines may cross them.

    Lines must not cross their labels.
    """
    parts: dict[tuple[str, int], Brace | Dimension]
    parts = {("brace", place): one for place, one in enumerate(facts.part.braces)}
    parts |= {("dimension", place): one for place, one in enumerate(facts.part.dimensions)}
    return [_make_period_area(facts, part, stack.put[key]) for key, part in parts.items() if key in stack.put]


def _make_period_area(facts: TimelineOnPaper, part: Brace | Dimension, put: Put) -> SymbolicBox:
    """Return the area of a period from its beginning to its end."""
    more = DIMENSION_HEIGHT / 2 if isinstance(part, Dimension) else 0.0
    return _area_on_shelf(
        facts, part.side or "after", facts.place_time(part.start) - more, facts.place_time(part.end) + more, put
    )


def _make_label_area(
    facts: TimelineOnPaper, part: Brace | Dimension, start: Length, stop: Length, put: Put
) -> SymbolicBox:
    """Return the area of a label at the middle of a period."""
    middle, (along, _) = (start + stop) * 0.5, facts.swap_label(put.text.width, put.text.height)
    return _area_on_shelf(facts, part.side or "after", middle - along / 2, middle + along / 2, put)


def _draw_dimension(
    facts: TimelineOnPaper, stack: MarginShelf, index: int, part: Dimension
) -> Iterator[Item | SymbolicBox]:
    key, unit = ("dimension", index), facts.plan.values["timeunit"]
    macro = facts.find_field_macro("dimensions", index, "label")
    start, stop = facts.clock.spell_moment(part.start), facts.clock.spell_moment(part.end)
    length = float(facts.clock.locate_moment(part.end) - facts.clock.locate_moment(part.start))
    styles = ("dimension",) if length * unit >= _SHORT_DIMENSION_CM else ("dimension", "short")
    middle = number(float(facts.clock.locate_moment(part.start)) + length / 2, 4)
    if key not in stack.put and part.lane is not None:
        row, low = facts.place[part.lane], make_length("laneheight", _DIMENSION_DROP_SHARE)
        yield PathItem(styles, (facts.make_point(start, row, off=low), facts.make_point(stop, row, off=low)))
        if macro:
            text = text_inside(facts, part) or NO_TEXT
            yield LabelItem(
                (macro,),
                facts.make_point(middle, row, off=low),
                facts.choose_text_anchor("before"),
                size=text.size,
                along=not facts.is_upright,
            )
        return
    side = part.side or "after"
    put, text, row, out = stack.put[key], stack.put[key].text, facts.find_edge_row(side), -1 if side == "before" else 1
    along, _ = facts.swap_label(text.width, text.height)
    is_beside = along > length * unit + 1e-6
    line = out * (
        (put.near + put.far) / 2
        if is_beside
        else put.far - DIMENSION_HEIGHT / 2
        if out > 0
        else put.near + DIMENSION_HEIGHT / 2
    )
    for time in (start, stop):
        root = facts.make_point(time, row if part.lane is None else facts.place[part.lane])
        if part.lane is not None and part.side:
            root = facts.make_point(time, facts.place[part.lane], off=make_length("laneheight", out / 2))
        yield PathItem(
            ("leader",), (root, facts.make_point(time, row, off=put.far if out > 0 else line - DIMENSION_HEIGHT / 2))
        )
    yield PathItem(styles, (facts.make_point(start, row, off=line), facts.make_point(stop, row, off=line)))
    begin, end = facts.place_time(part.start), facts.place_time(part.end)
    first = put.start < begin.compute_cm(facts.plan.values) - 1e-6
    if macro:
        sink = 0.0 if is_beside else _measure_blank(facts, text, "before")
        place = facts.make_point((start if first else stop) if is_beside else middle, row, off=line - sink)
        ends = ("south", "north") if facts.is_upright else ("east", "west")
        anchor = ends[not first] if is_beside else facts.choose_text_anchor("before")
        look = ("slbl", "clear") if put.struck else ("slbl",)
        yield LabelItem((macro,), place, anchor, look, text.size, text.wrap, along=not facts.is_upright)
    yield _make_period_area(facts, part, put)
    if is_beside:
        yield _area_on_shelf(facts, side, begin - along if first else end, begin if first else end + along, put)
    else:
        yield _make_label_area(facts, part, begin, end, put)


def barrier_parts(facts: TimelineOnPaper, stack: MarginShelf) -> Iterator[Item | SymbolicBox]:
    """Yield a line for each barrier, with its label at the beginning, and the area of both."""
    right = facts.right
    for index, barrier in enumerate(facts.part.barriers):
        middle, many = facts.measure_lanes(barrier.lanes)
        low, high = middle - many / 2 - BARRIER_REACH_SHARE, middle + many / 2 + BARRIER_REACH_SHARE
        put = stack.put.get(("barrier", index))
        # It extends beyond other barriers to a label in a higher row.
        lift = max(put.near - BARRIER_REACH_SHARE * facts.pitch, 0.0) if put else 0.0
        time = facts.clock.spell_moment(barrier.time)
        macro = facts.find_field_macro("barriers", index, "label")
        ends = facts.make_point(time, low, off=-lift), facts.make_point(time, high)
        styles: tuple[str, ...] = ("barrier",)
        if barrier.kind is not None:
            styles = (facts.plan.figure.kind(barrier.kind).tikz_style(barrier.kind), "-")
        yield PathItem(styles, ends, macro, "south" if right else "east", pos=0.0)
        text = fit_text(facts.plan, barrier.label, 100.0, strut=False) if barrier.label else NO_TEXT
        long, deep = facts.swap_axes(text.width, text.height)
        at = facts.place_time(barrier.time)
        yield facts.make_extent(at - long / 2, at + long / 2, facts.place_row(low) - lift - deep, facts.place_row(high))


def _set_text(facts: TimelineOnPaper, side: Side, macro: str, time: str, put: Put, off: float = 0.0) -> LabelItem:
    """Return a label in its row, `off` cm from the row's near edge; along time, unless time runs down.

    The label has a background if a line crosses it. Its offset from the edge keeps the baseline of the row.
    """
    text = put.text
    out = put.near + off + _measure_blank(facts, text, side)
    along = put.middle - put.stem
    place = facts.make_point(time, facts.find_edge_row(side), along=along, off=-out if side == "before" else out)
    look = ("slbl", "clear") if put.struck else ("slbl",)
    anchor = facts.choose_text_anchor(side)
    return LabelItem((macro,), place, anchor, look, text.size, text.wrap, along=not facts.is_upright)


def _measure_blank(facts: TimelineOnPaper, text: Fitted, side: Side) -> float:
    """Return the blank part of a label's box on the side that faces the lanes, in cm."""
    return {"south": text.sink, "north": text.lift}.get(facts.choose_text_anchor(side), 0.0)


def _area_on_shelf(facts: TimelineOnPaper, side: Side, start: Length, stop: Length, put: Put) -> SymbolicBox:
    """Return the area in a row of marks between two positions along time."""
    base = facts.place_row(facts.find_edge_row(side))
    near, far = (base - put.far, base - put.near) if side == "before" else (base + put.near, base + put.far)
    return facts.make_extent(start, stop, near, far)
