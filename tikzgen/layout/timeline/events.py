"""Events with their signs, and remarks: texts that a thin line ties to what they speak of."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.constants import SIGNS
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.length import Length, number, param
from tikzgen.layout.timeline.axis import arrow_at
from tikzgen.layout.timeline.directions import Side, away, edge, extent, moment, spot
from tikzgen.layout.timeline.fitted_texts import beside, set_text
from tikzgen.layout.timeline.margin_needs import Stack
from tikzgen.layout.timeline.timeline_items import Label, Path
from tikzgen.layout.timeline.timeline_macros import stem
from tikzgen.model.marks import Event
from tikzgen.model.timeline_parts import Span

_SIGN = max(SIGNS.values()) / 2 + 0.01  # cm from the middle of a sign to its edge, with half a line
_INTO = 0.05  # cm by which a line reaches into the shelf of its text


def event_parts(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item | Extent]:
    """A line, a sign and a text for each event; a line and a text for each remark; and the paper that they take."""
    for index, event in enumerate(chart.part.events):
        yield from _event(plan, chart, stack, index, event)
    if not chart.part.remarks and not stack.moved:
        return
    spans = dict(zip(chart.names, chart.part.spans, strict=True))
    for index, label in enumerate(stack.moved):
        yield from _said(plan, chart, stack, ("label", index), label.span, label.side, label.macro)
    for index, remark in enumerate(chart.part.remarks):
        macro = plan.labels.macro(chart.panel, stem(chart, "remark", index))
        yield from _said(plan, chart, stack, ("remark", index), spans[remark.about], remark.side, macro)


def _event(plan: Plan, chart: Chart, stack: Stack, index: int, event: Event) -> Iterator[Item | Extent]:
    side, put = stack.side["event", index], stack.put.get(("event", index))
    time, at = chart.clock.spelt(event.time), moment(chart, event.time)
    half = param("laneheight", -0.5 if side == "before" else 0.5)
    if event.lane is None:
        row, off = edge(chart, "after"), Length(arrow_at(chart, stack))
    else:
        row, off = chart.place[event.lane], half
    sign = spot(chart, time, row, off=off)
    macro = plan.labels.macro(chart.panel, stem(chart, "event", index))
    if put and macro:
        near = put.far - _INTO if event.lane is None else put.near + _INTO
        foot = spot(chart, time, edge(chart, side), off=-near if side == "before" else near)
        yield Path(("leader",), (sign, foot))
        yield set_text(chart, side, macro, time, stack.text["event", index], put)
        yield beside(chart, side, at + (put.start - put.stem), at + (put.stop - put.stem), put)
    name = plan.name(chart.panel, event.id or f"event{index + 1}{chart.mark}")
    yield Label((), sign, styles=(f"{event.mark} sign",), name=name)
    middle = away(row) + off
    yield extent(chart, at - _SIGN, at + _SIGN, middle - _SIGN, middle + _SIGN)


def _said(
    plan: Plan, chart: Chart, stack: Stack, key: tuple[str, int], span: Span, side: Side, macro: str
) -> Iterator[Item | Extent]:
    """A text beside the lanes with its line to a span."""
    put, text = stack.put[key], stack.text[key]
    at = param("timeunit", put.stem / plan.values["timeunit"])
    yield beside(chart, side, at + (put.start - put.stem), at + (put.stop - put.stem), put)
    if not macro:
        return
    places = [chart.place[lane] for lane in span.lanes]
    out, own = (-1, min(places)) if side == "before" else (1, max(places))
    time = number(put.stem / plan.values["timeunit"], 4)
    root = spot(chart, time, own, off=param("laneheight", 0.5 * out))
    yield Path(("leader",), (root, spot(chart, time, edge(chart, side), off=out * (put.near + _INTO))))
    yield set_text(chart, side, macro, time, text, put)
