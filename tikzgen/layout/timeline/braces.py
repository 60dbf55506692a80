"""Periods: braces with their text, and dimensions with theirs."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.length import Length, number, param
from tikzgen.layout.mark_macros import stem
from tikzgen.layout.timeline.directions import Side, away, extent, foot, moment, spot
from tikzgen.layout.timeline.fitted_texts import pad, set_text
from tikzgen.layout.timeline.margin_needs import BAR, BRACE, Stack
from tikzgen.layout.timeline.margin_shelves import Put
from tikzgen.layout.timeline.timeline_items import Brace as Curl
from tikzgen.layout.timeline.timeline_items import Label, Path
from tikzgen.model.marks import Brace, Dimension

__all__ = ["edge", "extents", "items"]

_SHORT = 0.5  # cm: a shorter dimension has bars, but no room for arrows
_LOW = 0.3  # of a lane's thickness: how far below its middle the line of a dimension lies


def edge(chart: Chart, side: Side) -> float:
    """The row at which what stands before or after the lanes begins."""
    return -0.5 if side == "before" else chart.rows - 0.5


def items(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item]:
    """Braces, then dimensions."""
    for index, brace in enumerate(chart.part.braces):
        put = stack.put["brace", index]
        out = -1 if brace.side == "before" else 1
        row = edge(chart, brace.side)
        begin, end = chart.clock.at(brace.start), chart.clock.at(brace.end)
        mirrored = foot(chart, brace.side) == "north"
        at = spot(chart, chart.clock.spelt(brace.start), row, off=out * (put.near + 0.03))
        yield Curl(at, number(float(end - begin), 4), mirrored)
        macro = plan.labels.macro(chart.panel, stem(chart, "brace", index))
        if macro:
            text = stack.text["brace", index]
            middle = number(float(begin + end) / 2, 4)
            place = spot(chart, middle, row, off=out * (put.near + BRACE + pad(chart, brace.side, text)))
            yield set_text(macro, place, foot(chart, brace.side), text, put)
    for index, part in enumerate(chart.part.dimensions):
        key = ("dimension", index)
        macro = plan.labels.macro(chart.panel, stem(chart, "dimension", index))
        start, stop = chart.clock.spelt(part.start), chart.clock.spelt(part.end)
        length = float(chart.clock.at(part.end) - chart.clock.at(part.start))
        line_styles = ("dimension",) if length * plan.values["timeunit"] >= _SHORT else ("dimension", "short")
        middle = number(float(chart.clock.at(part.start)) + length / 2, 4)
        if key not in stack.put and part.lane is not None:
            row = chart.place[part.lane]
            low = param("laneheight", _LOW)
            yield Path(line_styles, (spot(chart, start, row, off=low), spot(chart, stop, row, off=low)))
            if macro:
                size = stack.text[key].size
                yield Label((macro,), spot(chart, middle, row, off=low), foot(chart, "before"), size=size, along=True)
            continue
        put, row = stack.put[key], edge(chart, "after")
        for time in (start, stop):
            root = spot(chart, time, row) if part.lane is None else spot(chart, time, chart.place[part.lane])
            yield Path(("leader",), (root, spot(chart, time, row, off=put.far)))
        text = stack.text[key]
        unit = plan.values["timeunit"]
        beside = text.width > length * unit + 1e-6
        line = (put.near + put.far) / 2 if beside else put.far - BAR / 2
        yield Path(line_styles, (spot(chart, start, row, off=line), spot(chart, stop, row, off=line)))
        if macro and beside:
            first = put.start < float(chart.clock.at(part.start)) * unit - 1e-6
            place = spot(chart, start if first else stop, row, off=line)
            yield set_text(macro, place, "east" if first else "west", text, put)
        elif macro:
            place = spot(chart, middle, row, off=line)
            yield set_text(macro, place, foot(chart, "before"), text, put)


def extents(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Extent]:
    """What their texts take."""
    parts: list[tuple[str, int, Brace | Dimension]] = [("brace", *entry) for entry in enumerate(chart.part.braces)]
    parts.extend(("dimension", *entry) for entry in enumerate(chart.part.dimensions))
    for kind, index, part in parts:
        put, text = stack.put.get((kind, index)), stack.text.get((kind, index))
        if put is None or text is None:
            continue
        side: Side = part.side if isinstance(part, Brace) else "after"
        begin, end = moment(chart, part.start), moment(chart, part.end)
        bars = BAR / 2 if isinstance(part, Dimension) else 0.0
        yield _box(chart, side, begin - bars, end + bars, put)
        length = end.at(plan.values) - begin.at(plan.values)
        if isinstance(part, Dimension) and text.width > length + 1e-6:
            first = put.start < begin.at(plan.values) - 1e-6
            yield _box(chart, side, begin - text.width if first else end, begin if first else end + text.width, put)
        else:
            middle = (begin + end) * 0.5
            yield _box(chart, side, middle - text.width / 2, middle + text.width / 2, put)


def _box(chart: Chart, side: Side, start: Length, stop: Length, put: Put) -> Extent:
    base = away(edge(chart, side))
    if side == "before":
        return extent(chart, start, stop, base - put.far, base - put.near)
    return extent(chart, start, stop, base + put.near, base + put.far)
