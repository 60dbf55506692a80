"""What lies on the lanes of a timeline: the texts that an arrow had better not strike, and the periods of the spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.cell_texts import numbered
from tikzgen.layout.chart import Chart
from tikzgen.layout.timeline import spans, strips
from tikzgen.layout.timeline.directions import on_paper
from tikzgen.layout.timeline.fit_labels import fitted
from tikzgen.layout.timeline.timeline_items import Bar, HalfBar
from tikzgen.model.timeline_parts import Half, Span
from tikzgen.plane.rectangles import Box

__all__ = ["Row", "rows"]


class Row(Record):
    """A lane on paper, in cm: its edges away from the first lane and the periods that its spans take along time.

    `texts` lie on it, `below` between it and the next lane, or over both, all in the order of time: each by where it
    begins along time and away from the first lane, and where it ends there.
    """

    near: float
    far: float
    texts: tuple[Box, ...]
    spans: tuple[tuple[float, float], ...]
    below: tuple[Box, ...]


def rows(plan: Plan, chart: Chart) -> list[Row]:
    """The lanes of a timeline, in their order."""
    height, pitch = plan.values["laneheight"], plan.values["laneheight"] + plan.values["lanesep"]
    texts: dict[str, list[Box]] = {lane.id: [] for lane in chart.part.lanes}
    periods: dict[str, list[tuple[float, float]]] = {lane.id: [] for lane in chart.part.lanes}
    loose = list(_on_strips(plan, chart))
    for lanes, box in _texts(plan, chart):
        for lane in lanes:
            texts[lane].append(box)
        if len(lanes) > 1:
            loose.append(box)
    for span in chart.part.spans:
        period = on_paper(plan, chart, span.start), on_paper(plan, chart, span.end)
        for lane in span.lanes:
            periods[lane].append(period)
    nears = [chart.place[lane.id] * pitch - height / 2 for lane in chart.part.lanes]
    nexts = [*nears[1:], chart.rows * pitch - height / 2]
    return [
        Row(
            near,
            near + height,
            tuple(sorted(texts[lane.id])),
            tuple(sorted(periods[lane.id])),
            tuple(sorted(box for box in loose if box[1] < end and near + height < box[3])),
        )
        for lane, near, end in zip(chart.part.lanes, nears, nexts, strict=True)
    ]


def _texts(plan: Plan, chart: Chart) -> Iterator[tuple[Sequence[str], Box]]:
    """Every text in a span or a bubble, with the lanes over which it stands."""
    for span, stem, bar in zip(chart.part.spans, chart.stems, spans.bars(plan, chart), strict=True):
        if chart.torn(span) and span.label and not span.second:
            macro, size = fitted(plan, chart, span, stem)
            if macro:
                low, high = chart.clock.clear(span.start, span.end)
                text = _label(plan, chart, span, stem, macro)
                yield span.lanes, _box(plan, chart, bar, text, size, float(low + high) / 2)
            continue
        start, length = float(bar.start), float(bar.duration)
        share = float(bar.second.share) if bar.second else 0.0
        if bar.text:
            text = _label(plan, chart, span, stem, bar.text) if span.label else _number(plan, span, bar)
            yield span.lanes, _box(plan, chart, bar, text, bar.size, start + length * (1 - share) / 2)
        if span.second and bar.second and bar.second.text:
            text = span.second.label or _number(plan, span.second, bar.second)
            yield span.lanes, _box(plan, chart, bar, text, bar.second.size, start + length * (1 - share / 2))
    for bubble, bar in zip(chart.part.bubbles, spans.idle_bars(plan, chart), strict=True):
        if bar.text:
            yield (bubble.lane,), _box(plan, chart, bar, bubble.label, bar.size, _middle(bar))


def _middle(bar: Bar) -> float:
    return float(bar.start) + float(bar.duration) / 2


def _label(plan: Plan, chart: Chart, span: Span, stem: str, macro: str) -> str:
    return span.short if macro == plan.labels.macro(chart.panel, stem + "short") else span.label


def _number(plan: Plan, part: Span | Half, bar: Bar | HalfBar) -> str:
    return numbered(plan.figure.phase(part.phase).cell, int(bar.number))


def _box(plan: Plan, chart: Chart, bar: Bar, text: str, size: str, along: float) -> Box:
    """The place of a text whose middle is at a moment on paper, in time units."""
    found = plan.measure(text, size=float(size) if size else plan.size)
    wide, high = found.width / 2, (found.height + found.depth) / 2
    if chart.part.direction != "right" and bar.level:
        wide, high = high, wide
    middle = along * plan.values["timeunit"]
    row = bar.lane * (plan.values["laneheight"] + plan.values["lanesep"])
    return middle - wide, row - high, middle + wide, row + high


def _on_strips(plan: Plan, chart: Chart) -> Iterator[Box]:
    for box in strips.numbers(plan, chart):
        start, near, stop, far = (length.at(plan.values) for length in box)
        yield start, near, stop, far
