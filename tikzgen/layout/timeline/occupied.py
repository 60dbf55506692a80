"""What lies on the lanes of a timeline: the texts that an arrow had better not strike, and the periods of the spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record
from tikzgen.layout.plan import Plan
from tikzgen.layout.timeline import spans, strips
from tikzgen.layout.timeline.directions import on_paper, pitch
from tikzgen.layout.timeline.fit_labels import is_level
from tikzgen.layout.timeline.timeline_items import CellText
from tikzgen.layout.timeline_facts import Chart
from tikzgen.plane.rectangles import Box


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
    height, apart = plan.values["laneheight"], pitch(plan)
    texts: dict[str, list[Box]] = {lane.id: [] for lane in chart.part.lanes}
    periods: dict[str, list[tuple[float, float]]] = {lane.id: [] for lane in chart.part.lanes}
    loose = [place.box(plan.values) for place in strips.numbers(plan, chart)]
    for _, lanes, box in text_boxes(plan, chart):
        for lane in lanes:
            texts[lane].append(box)
        if len(lanes) > 1:
            loose.append(box)
    for span in chart.part.spans:
        period = on_paper(plan, chart, span.start), on_paper(plan, chart, span.end)
        for lane in span.lanes:
            periods[lane].append(period)
    nears = [chart.place[lane.id] * apart - height / 2 for lane in chart.part.lanes]
    nexts = [*nears[1:], chart.rows * apart - height / 2]
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


def text_boxes(plan: Plan, chart: Chart) -> Iterator[tuple[str, Sequence[str], Box]]:
    """Every text in a span or a bubble, with the name of its node, and with the lanes over which it stands."""
    bars, idle = spans.bars(plan, chart), spans.idle_bars(plan, chart)
    bubbles = [((bubble.lane,), bar) for bubble, bar in zip(chart.part.bubbles, idle, strict=True)]
    for lanes, bar in (*((span.lanes, bar) for span, bar in zip(chart.part.spans, bars, strict=True)), *bubbles):
        start, length = float(bar.start), float(bar.duration)
        share = float(bar.second.share) if bar.second else 0.0
        halves = [(bar.said, (1 - share) / 2)] + ([(bar.second.said, 1 - share / 2)] if bar.second else [])
        for said, middle in halves:
            if said.macro:
                box = _box(plan, chart, bar.lane, said, start + length * middle, level=bar.level)
                yield bar.name, lanes, box
    for span, said, middle in spans.torn(plan, chart):
        level, lane = is_level(plan, chart.part, span), chart.middle(span.lanes)[0]
        yield "", span.lanes, _box(plan, chart, lane, said, middle, level=level)


def _box(plan: Plan, chart: Chart, lane: float, said: CellText, along: float, *, level: bool) -> Box:
    """The place of a text whose middle is at a moment on paper, in time units."""
    found = plan.measure(said.reads, size=float(said.size) if said.size else plan.size)
    wide, high = found.width / 2, (found.height + found.depth) / 2
    if level:
        wide, high = chart.turned(wide, high)
    middle = along * plan.values["timeunit"]
    row = lane * pitch(plan)
    return middle - wide, row - high, middle + wide, row + high
