"""Moments and periods: barriers across lanes, braces and dimensions beside them, with their texts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import Chart
from tikzgen.layout.extent import Extent
from tikzgen.layout.items import Item
from tikzgen.layout.length import Length, number, param
from tikzgen.layout.number_words import spell
from tikzgen.layout.timeline.directions import away, edge, extent, foot, moment, spot
from tikzgen.layout.timeline.fitted_texts import NO_TEXT, Fitted, beside, fit_text, set_text
from tikzgen.layout.timeline.margin_marks import REACH
from tikzgen.layout.timeline.margin_needs import BAR, BRACE, Stack
from tikzgen.layout.timeline.margin_shelves import Put
from tikzgen.layout.timeline.timeline_items import Brace as Curl
from tikzgen.layout.timeline.timeline_items import Label, Path
from tikzgen.layout.timeline.timeline_macros import stem
from tikzgen.model.marks import Brace, Dimension

_SHORT = 0.5  # cm: a shorter dimension has bars, but no room for arrows
_LOW = 0.3  # of a lane's thickness: how far below its middle the line of a dimension lies
_OFF = 0.03  # cm between a brace and the shelf that it begins


def period_parts(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item | Extent]:
    """Braces, then dimensions, each with the paper that it takes."""
    braces = (_brace(plan, chart, stack, *entry) for entry in enumerate(chart.part.braces))
    dimensions = (_dimension(plan, chart, stack, *entry) for entry in enumerate(chart.part.dimensions))
    return chain.from_iterable((*braces, *dimensions))


def _brace(plan: Plan, chart: Chart, stack: Stack, index: int, part: Brace) -> Iterator[Item | Extent]:
    put, text = stack.put["brace", index], stack.text["brace", index]
    out, row = -1 if part.side == "before" else 1, edge(chart, part.side)
    begin, end = chart.clock.at(part.start), chart.clock.at(part.end)
    at = spot(chart, chart.clock.spelt(part.start), row, off=out * (put.near + _OFF))
    yield Curl(at, number(float(end - begin), 4), foot(chart, part.side) == "north")
    macro = plan.labels.macro(chart.panel, stem(chart, "brace", index))
    if macro:
        middle = number(float(begin + end) / 2, 4)
        yield set_text(chart, part.side, macro, middle, text, put, off=BRACE)
    start, stop = moment(chart, part.start), moment(chart, part.end)
    yield beside(chart, part.side, start, stop, put)
    yield _middle(chart, part, start, stop, text, put)


def _middle(chart: Chart, part: Brace | Dimension, start: Length, stop: Length, text: Fitted, put: Put) -> Extent:
    """What a text at the middle of a period takes."""
    middle = (start + stop) * 0.5
    side = part.side if isinstance(part, Brace) else "after"
    return beside(chart, side, middle - text.width / 2, middle + text.width / 2, put)


def _dimension(plan: Plan, chart: Chart, stack: Stack, index: int, part: Dimension) -> Iterator[Item | Extent]:
    key, unit = ("dimension", index), plan.values["timeunit"]
    macro = plan.labels.macro(chart.panel, stem(chart, *key))
    start, stop = chart.clock.spelt(part.start), chart.clock.spelt(part.end)
    length = float(chart.clock.at(part.end) - chart.clock.at(part.start))
    styles = ("dimension",) if length * unit >= _SHORT else ("dimension", "short")
    middle = number(float(chart.clock.at(part.start)) + length / 2, 4)
    if key not in stack.put and part.lane is not None:
        row, low = chart.place[part.lane], param("laneheight", _LOW)
        yield Path(styles, (spot(chart, start, row, off=low), spot(chart, stop, row, off=low)))
        if macro:
            size = stack.text[key].size
            yield Label((macro,), spot(chart, middle, row, off=low), foot(chart, "before"), size=size, along=True)
        return
    put, text, row = stack.put[key], stack.text[key], edge(chart, "after")
    for time in (start, stop):
        root = spot(chart, time, row) if part.lane is None else spot(chart, time, chart.place[part.lane])
        yield Path(("leader",), (root, spot(chart, time, row, off=put.far)))
    is_beside = text.width > length * unit + 1e-6
    line = (put.near + put.far) / 2 if is_beside else put.far - BAR / 2
    yield Path(styles, (spot(chart, start, row, off=line), spot(chart, stop, row, off=line)))
    begin, end = moment(chart, part.start), moment(chart, part.end)
    first = put.start < begin.at(plan.values) - 1e-6
    if macro:
        place = spot(chart, (start if first else stop) if is_beside else middle, row, off=line)
        anchor = ("east" if first else "west") if is_beside else foot(chart, "before")
        look = ("slbl", "clear") if put.struck else ("slbl",)
        yield Label((macro,), place, anchor, look, text.size, text.wrap, along=True)
    yield beside(chart, "after", begin - BAR / 2, end + BAR / 2, put)
    if is_beside:
        yield beside(chart, "after", begin - text.width if first else end, begin if first else end + text.width, put)
    else:
        yield _middle(chart, part, begin, end, text, put)


def barrier_parts(plan: Plan, chart: Chart, stack: Stack) -> Iterator[Item | Extent]:
    """A line for each barrier, from its text on, and the paper that both take."""
    right = chart.part.direction == "right"
    pitch = plan.values["laneheight"] + plan.values["lanesep"]
    for index, barrier in enumerate(chart.part.barriers):
        middle, many = chart.middle(barrier.lanes)
        low, high = middle - many / 2 - REACH, middle + many / 2 + REACH
        put = stack.put.get(("barrier", index))
        # it reaches farther than others to its text on a higher shelf
        lift = max(put.near - REACH * pitch, 0.0) if put else 0.0
        time = chart.clock.spelt(barrier.time)
        macro = plan.labels.macro(chart.panel, f"barrier{spell(index + 1)}label{chart.mark}") if barrier.label else ""
        ends = spot(chart, time, low, off=-lift), spot(chart, time, high)
        yield Path(("barrier",), ends, macro, "south" if right else "east", pos=0.0)
        text = fit_text(plan, barrier.label, 100.0, strut=False) if barrier.label else NO_TEXT
        long, deep = (text.width, text.height) if right else (text.height, text.width)
        at = moment(chart, barrier.time)
        yield extent(chart, at - long / 2, at + long / 2, away(low) - lift - deep, away(high))
