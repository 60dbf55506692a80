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
from tikzgen.layout.timeline_facts import Chart
from tikzgen.model.timeline_marks import Brace, Dimension, Event
from tikzgen.model.timeline_parts import Span

_SIGN = max(SIGNS.values()) / 2 + 0.01  # cm from the middle of a sign to its edge, with half a line
_INTO = 0.05  # cm by which a line reaches into the shelf of its text


def event_parts(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item | Extent]:
    """A line, a sign and a text for each event; a line and a text for each remark; and the paper that they take."""
    for index, event in enumerate(chart.part.events):
        yield from _event(plan, chart, stack, index, event)
    for index, label in enumerate(stack.moved):
        said = _said(plan, chart, stack, ("label", index), label.span, label.side, label.macro)
        yield from _known(chart, label.span.start, said)
    for index, remark in enumerate(chart.part.remarks):
        macro = plan.labels.of(*chart.at, "remarks", index, "text")
        said = _said(plan, chart, stack, ("remark", index), chart.spans[remark.about], remark.side, macro)
        yield from _known(chart, chart.spans[remark.about].start, said)


def _event(plan: Plan, chart: Chart, stack: Stack, index: int, event: Event) -> Iterator[Item | Extent]:
    side, put = side_of(chart, event), stack.put.get(("event", index))
    time, at = chart.clock.spelt(event.time), moment(chart, event.time)
    half = param("laneheight", -0.5 if side == "before" else 0.5)
    if event.lane is None:
        row, off = edge(chart, "after"), Length(arrow_at(chart, stack))
    else:
        row, off = chart.place[event.lane], half
    sign = spot(chart, time, row, off=off)
    macro = plan.labels.of(*chart.at, "events", index, "label")
    if put and macro:
        near = put.far - _INTO if event.lane is None else put.near + _INTO
        yield from _led(chart, side, sign, (time, at, near), macro, put)
    name = plan.name(chart.panel, event.id or f"event{index + 1}{chart.mark}")
    yield Label((), sign, styles=(f"{event.mark} sign",), name=name)
    middle = away(row) + off
    yield extent(chart, at - _SIGN, at + _SIGN, middle - _SIGN, middle + _SIGN)


def _said(
    plan: Plan, chart: Chart, stack: Stack, key: tuple[str, int], span: Span, side: Side, macro: str
) -> Iterator[Item | Extent]:
    """A text beside the lanes with its line to a span."""
    put, places = stack.put[key], [chart.place[lane] for lane in span.lanes]
    moment = put.stem / plan.values["timeunit"]
    time, at = number(moment, 4), param("timeunit", moment)
    out, own = (-1, min(places)) if side == "before" else (1, max(places))
    root = spot(chart, time, own, off=param("laneheight", 0.5 * out))
    yield from _led(chart, side, root, (time, at, put.near + _INTO), macro, put)


def _led(
    chart: Chart, side: Side, root: Spot, goal: tuple[str, Length, float], macro: str, put: Put
) -> Iterator[Item | Extent]:
    """A text with its line from what it speaks of, which ends at a moment so many cm off the lanes."""
    time, at, near = goal
    yield Path(("leader",), (root, spot(chart, time, edge(chart, side), off=-near if side == "before" else near)))
    yield _set_text(chart, side, macro, time, put)
    yield _beside(chart, side, at + (put.start - put.stem), at + (put.stop - put.stem), put)


_SHORT = 0.5  # cm: a shorter dimension has bars, but no room for arrows
_LOW = 0.3  # of a lane's thickness: how far below its middle the line of a dimension lies
_OFF = 0.03  # cm between a brace and the shelf that it begins


def period_parts(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item | Extent]:
    """Braces, then dimensions, each with the paper that it takes."""
    for place, one in enumerate(chart.part.braces):
        yield from _known(chart, one.end, _brace(plan, chart, stack, place, one))
    for place, other in enumerate(chart.part.dimensions):
        yield from _known(chart, other.end, _dimension(plan, chart, stack, place, other))


def _known(chart: Chart, moment: Fraction, parts: Iterable[Item | Extent]) -> Iterator[Item | Extent]:
    """The elements of a mark, which speak of a moment wherever they stand."""
    known = chart.clock.spelt(moment)
    yield from (replace(part, known=known) if isinstance(part, (Path, Label, Curl)) else part for part in parts)


def _brace(plan: Plan, chart: Chart, stack: Stack, index: int, part: Brace) -> Iterator[Item | Extent]:
    put = stack.put["brace", index]
    out, row = -1 if part.side == "before" else 1, edge(chart, part.side)
    begin, end = chart.clock.at(part.start), chart.clock.at(part.end)
    at = spot(chart, chart.clock.spelt(part.start), row, off=out * (put.near + _OFF))
    yield Curl(at, number(float(end - begin), 4), foot(chart, part.side) == "north")
    macro = plan.labels.of(*chart.at, "braces", index, "label")
    if macro:
        middle = number(float(begin + end) / 2, 4)
        yield _set_text(chart, part.side, macro, middle, put, off=BRACE)
    start, stop = moment(chart, part.start), moment(chart, part.end)
    yield _beside(chart, part.side, start, stop, put)
    yield _middle(chart, part, start, stop, put)


def _middle(chart: Chart, part: Brace | Dimension, start: Length, stop: Length, put: Put) -> Extent:
    """What a text at the middle of a period takes."""
    middle = (start + stop) * 0.5
    return _beside(chart, part.side or "after", middle - put.text.width / 2, middle + put.text.width / 2, put)


def _dimension(plan: Plan, chart: Chart, stack: Stack, index: int, part: Dimension) -> Iterator[Item | Extent]:
    key, unit = ("dimension", index), plan.values["timeunit"]
    macro = plan.labels.of(*chart.at, "dimensions", index, "label")
    start, stop = chart.clock.spelt(part.start), chart.clock.spelt(part.end)
    length = float(chart.clock.at(part.end) - chart.clock.at(part.start))
    styles = ("dimension",) if length * unit >= _SHORT else ("dimension", "short")
    middle = number(float(chart.clock.at(part.start)) + length / 2, 4)
    if key not in stack.put and part.lane is not None:
        row, low = chart.place[part.lane], param("laneheight", _LOW)
        yield Path(styles, (spot(chart, start, row, off=low), spot(chart, stop, row, off=low)))
        if macro:
            text = text_inside(plan, chart, part) or NO_TEXT
            yield Label((macro,), spot(chart, middle, row, off=low), foot(chart, "before"), size=text.size, along=True)
        return
    side = part.side or "after"
    put, text, row, out = stack.put[key], stack.put[key].text, edge(chart, side), -1 if side == "before" else 1
    is_beside = text.width > length * unit + 1e-6
    line = out * ((put.near + put.far) / 2 if is_beside else put.far - BAR / 2 if out > 0 else put.near + BAR / 2)
    for time in (start, stop):
        root = spot(chart, time, row if part.lane is None else chart.place[part.lane])
        if part.lane is not None and part.side:
            root = spot(chart, time, chart.place[part.lane], off=param("laneheight", out / 2))
        yield Path(("leader",), (root, spot(chart, time, row, off=put.far if out > 0 else line - BAR / 2)))
    yield Path(styles, (spot(chart, start, row, off=line), spot(chart, stop, row, off=line)))
    begin, end = moment(chart, part.start), moment(chart, part.end)
    first = put.start < begin.at(plan.values) - 1e-6
    if macro:
        sink = 0.0 if is_beside else text.sink if foot(chart, "before") == "south" else text.lift
        place = spot(chart, (start if first else stop) if is_beside else middle, row, off=line - sink)
        anchor = ("east" if first else "west") if is_beside else foot(chart, "before")
        look = ("slbl", "clear") if put.struck else ("slbl",)
        yield Label((macro,), place, anchor, look, text.size, text.wrap, along=True)
    yield _beside(chart, side, begin - BAR / 2, end + BAR / 2, put)
    if is_beside:
        yield _beside(chart, side, begin - text.width if first else end, begin if first else end + text.width, put)
    else:
        yield _middle(chart, part, begin, end, put)


def barrier_parts(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item | Extent]:
    """A line for each barrier, from its text on, and the paper that both take."""
    right = chart.right
    for index, barrier in enumerate(chart.part.barriers):
        middle, many = chart.middle(barrier.lanes)
        low, high = middle - many / 2 - REACH, middle + many / 2 + REACH
        put = stack.put.get(("barrier", index))
        # it reaches farther than others to its text on a higher shelf
        lift = max(put.near - REACH * pitch(plan), 0.0) if put else 0.0
        time = chart.clock.spelt(barrier.time)
        macro = plan.labels.of(*chart.at, "barriers", index, "label")
        ends = spot(chart, time, low, off=-lift), spot(chart, time, high)
        styles: tuple[str, ...] = ("barrier",)
        if barrier.kind is not None:
            styles = (plan.figure.kind(barrier.kind).tikz_style(barrier.kind), "-")
        yield Path(styles, ends, macro, "south" if right else "east", pos=0.0)
        text = fit_text(plan, barrier.label, 100.0, strut=False) if barrier.label else NO_TEXT
        long, deep = chart.turned(text.width, text.height)
        at = moment(chart, barrier.time)
        yield extent(chart, at - long / 2, at + long / 2, away(low) - lift - deep, away(high))


def _set_text(chart: Chart, side: Side, macro: str, time: str, put: Put, off: float = 0.0) -> Label:
    """A text along time on its shelf, `off` cm from where this begins: on a ground of paper where a line is behind it.

    It stands off the near edge of its box, for the sake of a common baseline.
    """
    text = put.text
    out = put.near + off + (text.sink if foot(chart, side) == "south" else text.lift)
    along = put.middle - put.stem
    place = spot(chart, time, edge(chart, side), along=along, off=-out if side == "before" else out)
    look = ("slbl", "clear") if put.struck else ("slbl",)
    return Label((macro,), place, foot(chart, side), look, text.size, text.wrap, along=True)


def _beside(chart: Chart, side: Side, start: Length, stop: Length, put: Put) -> Extent:
    """The paper on a shelf between two places along time."""
    base = away(edge(chart, side))
    near, far = (base - put.far, base - put.near) if side == "before" else (base + put.near, base + put.far)
    return extent(chart, start, stop, near, far)
