"""The texts of a timeline: which it has, and the stems of their macros."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.cell_texts import bubble_stems, half_stem
from tikzgen.layout.chart import Chart
from tikzgen.layout.labels import Slot
from tikzgen.layout.mark_macros import mark_slots
from tikzgen.layout.number_words import spell, wordy

__all__ = ["timeline_slots"]


def timeline_slots(chart: Chart, at: tuple[str | int, ...]) -> Iterator[Slot]:
    """Every text of a timeline, which lies at the path `at` of its figure."""
    panel, part, mark = chart.panel, chart.part, chart.mark
    for index, lane in enumerate(part.lanes):
        meaning = f"label of lane {lane.id}"
        yield Slot(panel, f"{wordy(lane.id)}lanelabel{mark}", lane.label, meaning, (*at, "lanes", index, "label"))
    for index, (span, stem) in enumerate(zip(part.spans, chart.stems, strict=True)):
        here, short = (*at, "spans", index), span.short if span.label else ""
        yield Slot(panel, stem + "text", span.label, f"text in the {span.phase} spans", (*here, "label"))
        yield Slot(panel, stem + "short", short, f"short text in the {span.phase} spans", (*here, "short"))
    for index, (span, name) in enumerate(zip(part.spans, chart.names, strict=True)):
        if span.second and span.second.label:
            meaning, home = f"text in the second part of {name}", (*at, "spans", index, "second", "label")
            yield Slot(panel, half_stem(name) + "text", span.second.label, meaning, home)
    for index, (bubble, stem) in enumerate(zip(part.bubbles, bubble_stems(part, mark), strict=True)):
        yield Slot(panel, stem + "text", bubble.label, "text in the bubbles", (*at, "bubbles", index, "label"))
    for index, barrier in enumerate(part.barriers):
        meaning, home = f"label of barrier {index + 1}", (*at, "barriers", index, "label")
        yield Slot(panel, f"barrier{spell(index + 1)}label{mark}", barrier.label, meaning, home)
    yield from mark_slots(chart, at)
    yield Slot(panel, f"timelinetitle{mark}", part.title, "title of the timeline", (*at, "title"))
