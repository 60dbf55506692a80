"""Moments and periods: events on lanes, barriers across lanes, braces and dimensions beside them, with their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from tikzgen.base.record import replace
from tikzgen.layout.constants import SIGNS
from tikzgen.layout.items import Item
from tikzgen.layout.lengths import Extent, Length, number, param
from tikzgen.layout.plan import Plan
from tikzgen.layout.timeline.axis import arrow_at
from tikzgen.layout.timeline.directions import Side, away, edge, extent, foot, moment, pitch, spot
from tikzgen.layout.timeline.fit_labels import NO_TEXT, fit_text
from tikzgen.layout.timeline.margin_needs import BAR, BRACE, REACH, Stack, side_of, text_inside
from tikzgen.layout.timeline.margin_shelves import Put
from tikzgen.layout.timeline.timeline_items import Brace as Curl
from tikzgen.layout.timeline.timeline_items import Label, Path, Spot
from tikzgen.layout.timeline_facts import TimelineFacts
from tikzgen.model.timeline_marks import Brace, Dimension, Event
from tikzgen.model.timeline_parts import Span

_SIGN = max(SIGNS.values()) / 2 + 0.01  # cm from the middle of a sign to its edge, with half a line
_INTO = 0.05  # cm by which a line reaches into the shelf of its text


def event_parts(plan: Plan, facts: TimelineFacts, stack: Stack) -> Iterator[Item | Extent]:
    """A line, a sign and a text for each event; a line and a text for each remark; and the paper that they take."""
    for index, event in enumerate(facts.part.events):
        yield from _event(plan, facts, stack, index, event)
    for index, label in enumerate(stack.moved):
        said = _said(plan, facts, stack, ("label", index), label.span, label.side, label.macro)
        yield from _known(facts, label.span.start, said)
    for index, remark in enumerate(facts.part.remarks):
        macro = plan.labels.of(*facts.at, "remarks", index, "text")
        said = _said(plan, facts, stack, ("remark", index), facts.spans[remark.about], remark.side, macro)
        yield from _known(facts, facts.spans[remark.about].start, said)


def _event(plan: Plan, facts: TimelineFacts, stack: Stack, index: int, event: Event) -> Iterator[Item | Extent]:
    side, put = side_of(facts, event), stack.put.get(("event", index))
    time, at = facts.clock.spelt(event.time), moment(facts, event.time)
    half = param("laneheight", -0.5 if side == "before" else 0.5)
    if event.lane is None:
        row, off = edge(facts, "after"), Length(arrow_at(facts, stack))
    else:
        row, off = facts.place[event.lane], half
    sign = spot(facts, time, row, off=off)
    macro = plan.labels.of(*facts.at, "events", index, "label")
    if put and macro:
        near = put.far - _INTO if event.lane is None else put.near + _INTO
        yield from _led(facts, side, sign, (time, at, near), macro, put)
    name = plan.name(facts.panel, event.id or f"event{index + 1}{facts.mark}")
    yield Label((), sign, styles=(f"{event.mark} sign",), name=name)
    middle = away(row) + off
    yield extent(facts, at - _SIGN, at + _SIGN, middle - _SIGN, middle + _SIGN)


def _said(
    plan: Plan, facts: TimelineFacts, stack: Stack, key: tuple[str, int], span: Span, side: Side, macro: str
) -> Iterator[Item | Extent]:
    """A text beside the lanes with its line to a span."""
    put, places = stack.put[key], [facts.place[lane] for lane in span.lanes]
    moment = put.stem / plan.values["timeunit"]
    time, at = number(moment, 4), param("timeunit", moment)
    out, own = (-1, min(places)) if side == "before" else (1, max(places))
    root = spot(facts, time, own, off=param("laneheight", 0.5 * out))
    yield from _led(facts, side, root, (time, at, put.near + _INTO), macro, put)


def _led(
    facts: TimelineFacts, side: Side, root: Spot, goal: tuple[str, Length, float], macro: str, put: Put
) -> Iterator[Item | Extent]:
    """A text with its line from what it speaks of, which ends at a moment so many cm off the lanes."""
    time, at, near = goal
    yield Path(("leader",), (root, spot(facts, time, edge(facts, side), off=-near if side == "before" else near)))
    yield _set_text(facts, side, macro, time, put)
    yield _beside(facts, side, at + (put.start - put.stem), at + (put.stop - put.stem), put)


_SHORT = 0.5  # cm: a shorter dimension has bars, but no room for arrows
_LOW = 0.3  # of a lane's thickness: how far below its middle the line of a dimension lies
_OFF = 0.03  # cm between a brace and the shelf that it begins


def period_parts(plan: Plan, facts: TimelineFacts, stack: Stack) -> Iterator[Item | Extent]:
    """Braces, then dimensions, each with the paper that it takes."""
    for place, one in enumerate(facts.part.braces):
        yield from _known(facts, one.end, _brace(plan, facts, stack, place, one))
    for place, other in enumerate(facts.part.dimensions):
        yield from _known(facts, other.end, _dimension(plan, facts, stack, place, other))


def _known(facts: TimelineFacts, moment: Fraction, parts: Iterable[Item | Extent]) -> Iterator[Item | Extent]:
    """The elements of a mark, which speak of a moment wherever they stand."""
    known = facts.clock.spelt(moment)
    yield from (replace(part, known=known) if isinstance(part, (Path, Label, Curl)) else part for part in parts)


def _brace(plan: Plan, facts: TimelineFacts, stack: Stack, index: int, part: Brace) -> Iterator[Item | Extent]:
    put = stack.put["brace", index]
    out, row = -1 if part.side == "before" else 1, edge(facts, part.side)
    begin, end = facts.clock.at(part.start), facts.clock.at(part.end)
    at = spot(facts, facts.clock.spelt(part.start), row, off=out * (put.near + _OFF))
    yield Curl(at, number(float(end - begin), 4), foot(facts, part.side) == "north")
    macro = plan.labels.of(*facts.at, "braces", index, "label")
    if macro:
        middle = number(float(begin + end) / 2, 4)
        yield _set_text(facts, part.side, macro, middle, put, off=BRACE)
    start, stop = moment(facts, part.start), moment(facts, part.end)
    yield _beside(facts, part.side, start, stop, put)
    yield _middle(facts, part, start, stop, put)


def _middle(facts: TimelineFacts, part: Brace | Dimension, start: Length, stop: Length, put: Put) -> Extent:
    """What a text at the middle of a period takes."""
    middle = (start + stop) * 0.5
    return _beside(facts, part.side or "after", middle - put.text.width / 2, middle + put.text.width / 2, put)


def _dimension(plan: Plan, facts: TimelineFacts, stack: Stack, index: int, part: Dimension) -> Iterator[Item | Extent]:
    key, unit = ("dimension", index), plan.values["timeunit"]
    macro = plan.labels.of(*facts.at, "dimensions", index, "label")
    start, stop = facts.clock.spelt(part.start), facts.clock.spelt(part.end)
    length = float(facts.clock.at(part.end) - facts.clock.at(part.start))
    styles = ("dimension",) if length * unit >= _SHORT else ("dimension", "short")
    middle = number(float(facts.clock.at(part.start)) + length / 2, 4)
    if key not in stack.put and part.lane is not None:
        row, low = facts.place[part.lane], param("laneheight", _LOW)
        yield Path(styles, (spot(facts, start, row, off=low), spot(facts, stop, row, off=low)))
        if macro:
            text = text_inside(plan, facts, part) or NO_TEXT
            yield Label((macro,), spot(facts, middle, row, off=low), foot(facts, "before"), size=text.size, along=True)
        return
    side = part.side or "after"
    put, text, row, out = stack.put[key], stack.put[key].text, edge(facts, side), -1 if side == "before" else 1
    is_beside = text.width > length * unit + 1e-6
    line = out * ((put.near + put.far) / 2 if is_beside else put.far - BAR / 2 if out > 0 else put.near + BAR / 2)
    for time in (start, stop):
        root = spot(facts, time, row if part.lane is None else facts.place[part.lane])
        if part.lane is not None and part.side:
            root = spot(facts, time, facts.place[part.lane], off=param("laneheight", out / 2))
        yield Path(("leader",), (root, spot(facts, time, row, off=put.far if out > 0 else line - BAR / 2)))
    yield Path(styles, (spot(facts, start, row, off=line), spot(facts, stop, row, off=line)))
    begin, end = moment(facts, part.start), moment(facts, part.end)
    first = put.start < begin.at(plan.values) - 1e-6
    if macro:
        sink = 0.0 if is_beside else text.sink if foot(facts, "before") == "south" else text.lift
        place = spot(facts, (start if first else stop) if is_beside else middle, row, off=line - sink)
        anchor = ("east" if first else "west") if is_beside else foot(facts, "before")
        look = ("slbl", "clear") if put.struck else ("slbl",)
        yield Label((macro,), place, anchor, look, text.size, text.wrap, along=True)
    yield _beside(facts, side, begin - BAR / 2, end + BAR / 2, put)
    if is_beside:
        yield _beside(facts, side, begin - text.width if first else end, begin if first else end + text.width, put)
    else:
        yield _middle(facts, part, begin, end, put)


def barrier_parts(plan: Plan, facts: TimelineFacts, stack: Stack) -> Iterator[Item | Extent]:
    """A line for each barrier, from its text on, and the paper that both take."""
    right = facts.right
    for index, barrier in enumerate(facts.part.barriers):
        middle, many = facts.middle(barrier.lanes)
        low, high = middle - many / 2 - REACH, middle + many / 2 + REACH
        put = stack.put.get(("barrier", index))
        # it reaches farther than others to its text on a higher shelf
        lift = max(put.near - REACH * pitch(plan), 0.0) if put else 0.0
        time = facts.clock.spelt(barrier.time)
        macro = plan.labels.of(*facts.at, "barriers", index, "label")
        ends = spot(facts, time, low, off=-lift), spot(facts, time, high)
        styles: tuple[str, ...] = ("barrier",)
        if barrier.kind is not None:
            styles = (plan.figure.kind(barrier.kind).tikz_style(barrier.kind), "-")
        yield Path(styles, ends, macro, "south" if right else "east", pos=0.0)
        text = fit_text(plan, barrier.label, 100.0, strut=False) if barrier.label else NO_TEXT
        long, deep = facts.turned(text.width, text.height)
        at = moment(facts, barrier.time)
        yield extent(facts, at - long / 2, at + long / 2, away(low) - lift - deep, away(high))


def _set_text(facts: TimelineFacts, side: Side, macro: str, time: str, put: Put, off: float = 0.0) -> Label:
    """A text along time on its shelf, `off` cm from where this begins: on a ground of paper where a line is behind it.

    It stands off the near edge of its box, for the sake of a common baseline.
    """
    text = put.text
    out = put.near + off + (text.sink if foot(facts, side) == "south" else text.lift)
    along = put.middle - put.stem
    place = spot(facts, time, edge(facts, side), along=along, off=-out if side == "before" else out)
    look = ("slbl", "clear") if put.struck else ("slbl",)
    return Label((macro,), place, foot(facts, side), look, text.size, text.wrap, along=True)


def _beside(facts: TimelineFacts, side: Side, start: Length, stop: Length, put: Put) -> Extent:
    """The paper on a shelf between two places along time."""
    base = away(edge(facts, side))
    near, far = (base - put.far, base - put.near) if side == "before" else (base + put.near, base + put.far)
    return extent(facts, start, stop, near, far)
