"""Events with their signs, and remarks: texts that a thin line ties to what they speak of."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.length import Length, number, param
from tikzgen.layout.mark_macros import stem
from tikzgen.layout.timeline.axis import arrow_at
from tikzgen.layout.timeline.braces import edge
from tikzgen.layout.timeline.directions import Side, away, extent, foot, moment, spot
from tikzgen.layout.timeline.fitted_texts import pad, set_text
from tikzgen.layout.timeline.margin_marks import shift
from tikzgen.layout.timeline.margin_needs import Stack
from tikzgen.layout.timeline.margin_shelves import Put
from tikzgen.layout.timeline.timeline_items import Label, Path
from tikzgen.model.timeline_parts import Span

__all__ = ["extents", "items"]

_SIGN = 0.11  # cm from the middle of a sign to its edge


def items(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item]:
    """A line, a sign and a text for each event; a line and a text for each remark."""
    for index, event in enumerate(chart.part.events):
        time = chart.clock.spelt(event.time)
        put = stack.put.get(("event", index))
        side = stack.side["event", index]
        if event.lane is None:
            at = spot(chart, time, edge(chart, "after"), off=arrow_at(chart, stack))
        else:
            half = param("laneheight", -0.5 if side == "before" else 0.5)
            at = spot(chart, time, chart.place[event.lane], off=half)
        macro = plan.labels.macro(chart.panel, stem(chart, "event", index))
        if put and macro:
            text = stack.text["event", index]
            row, sign = edge(chart, side), -1 if side == "before" else 1
            outward = event.lane is None
            near = put.far if outward else put.near
            yield Path(("leader",), (at, spot(chart, time, row, off=sign * (near + (-0.05 if outward else 0.05)))))
            place = spot(chart, time, row, along=shift(put), off=sign * (put.near + pad(chart, side, text)))
            yield set_text(macro, place, foot(chart, side), text, put)
        name = plan.name(chart.panel, event.id or f"event{index + 1}{chart.mark}")
        yield Label((), at, styles=(f"{event.mark} sign",), name=name)
    if not chart.part.remarks and not stack.moved:
        return
    spans = dict(zip(chart.names, chart.part.spans, strict=True))
    for index, label in enumerate(stack.moved):
        yield from _said(plan, chart, stack, ("label", index), label.span, label.side, label.macro)
    for index, remark in enumerate(chart.part.remarks):
        macro = plan.labels.macro(chart.panel, stem(chart, "remark", index))
        if macro:
            yield from _said(plan, chart, stack, ("remark", index), spans[remark.about], remark.side, macro)


def _said(
    plan: Plan, chart: Chart, stack: Stack, key: tuple[str, int], span: Span, side: Side, macro: str
) -> Iterator[Item]:
    """A text beside the lanes with its line to a span."""
    put, text = stack.put[key], stack.text[key]
    places = [chart.place[lane] for lane in span.lanes]
    out = -1 if side == "before" else 1
    own = min(places) if out < 0 else max(places)
    time = number(put.stem / plan.values["timeunit"], 4)
    row = edge(chart, side)
    root = spot(chart, time, own, off=param("laneheight", 0.5 * out))
    yield Path(("leader",), (root, spot(chart, time, row, off=out * (put.near + 0.05))))
    place = spot(chart, time, row, along=shift(put), off=out * (put.near + pad(chart, side, text)))
    yield set_text(macro, place, foot(chart, side), text, put)


def extents(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Extent]:
    """What signs and texts take."""
    for index, event in enumerate(chart.part.events):
        time = moment(chart, event.time)
        if event.lane is None:
            middle = away(edge(chart, "after")) + arrow_at(chart, stack)
        else:
            half = -0.5 if stack.side["event", index] == "before" else 0.5
            middle = away(chart.place[event.lane]) + param("laneheight", half)
        yield extent(chart, time - _SIGN, time + _SIGN, middle - _SIGN, middle + _SIGN)
        put = stack.put.get(("event", index))
        if put and event.label:
            yield _box(chart, stack.side["event", index], time, put)
    unit = plan.values["timeunit"]
    for index, label in enumerate(stack.moved):
        put = stack.put["label", index]
        yield _box(chart, label.side, param("timeunit", put.stem / unit), put)
    for index, remark in enumerate(chart.part.remarks):
        put = stack.put["remark", index]
        yield _box(chart, remark.side, param("timeunit", put.stem / unit), put)


def _box(chart: Chart, side: Side, stem_at: Length, put: Put) -> Extent:
    base = away(edge(chart, side))
    near, far = (base - put.far, base - put.near) if side == "before" else (base + put.near, base + put.far)
    return extent(chart, stem_at + (put.start - put.stem), stem_at + (put.stop - put.stem), near, far)
