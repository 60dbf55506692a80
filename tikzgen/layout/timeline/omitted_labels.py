"""Labels for which there is no room at all: how many of them a timeline leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.attempt import Plan
from tikzgen.layout.cell_texts import bubbles
from tikzgen.layout.chart import Chart
from tikzgen.layout.items import Note
from tikzgen.layout.timeline.outside_labels import moved
from tikzgen.layout.timeline.spans import torn
from tikzgen.layout.timeline.timeline_items import Bar

__all__ = ["notes"]


def notes(plan: Plan, chart: Chart, bars: Sequence[Bar]) -> Iterator[Note]:
    """What the file and the person who renders it should know: `bars` are the spans and bubbles as they are drawn."""
    count = _count(plan, chart, bars)
    if count:
        what = "1 label fits neither its place" if count == 1 else f"{count} labels fit neither their places"
        yield Note(f"note: {what} nor beside the lanes, and {'is' if count == 1 else 'are'} left out")


def _count(plan: Plan, chart: Chart, bars: Sequence[Bar]) -> int:
    spans = [(span, name) for span, name in zip(chart.part.spans, chart.names, strict=True) if span.label]
    halves = [
        name for span, name in zip(chart.part.spans, chart.names, strict=True) if span.second and span.second.label
    ]
    idle = [name for bubble, name in bubbles(chart.part) if bubble.label]
    if not (spans or halves or idle):
        return 0
    said = {bar.name for bar in bars if bar.text}
    second = {bar.name for bar in bars if bar.second and bar.second.text}
    lost = sum(plan.name(chart.panel, name) not in said for _, name in spans)
    if lost:
        lost -= len(moved(plan, chart)) + sum(1 for _ in torn(plan, chart))
    lost += sum(plan.name(chart.panel, name) not in second for name in halves)
    return lost + sum(plan.name(chart.panel, name) not in said for name in idle)
