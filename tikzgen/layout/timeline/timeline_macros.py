"""The texts of a timeline: which it has, and the stems of their macros."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.cell_texts import bubble_stems, half_stem
from tikzgen.layout.chart import Chart
from tikzgen.layout.labels import Slot
from tikzgen.layout.number_words import spell, wordy
from tikzgen.model.marks import Axis
from tikzgen.text import Tex, typeset

_LISTS = {
    "event": ("events", "label", "label of event"),
    "brace": ("braces", "label", "text at brace"),
    "dimension": ("dimensions", "label", "text at dimension"),
    "remark": ("remarks", "text", "remark"),
    "group": ("groups", "label", "label of lane group"),
    "dependency": ("dependencies", "label", "text at dependency"),
    "strip": ("strips", "label", "label of strip"),
    "cap": ("strips", "cap_label", "text at the limit of strip"),
}


def timeline_slots(chart: Chart, at: tuple[str | int, ...]) -> Iterator[Slot]:
    """Every text of a timeline, which lies at the path `at` of its figure."""
    panel, part, mark = chart.panel, chart.part, chart.mark
    for index, lane in enumerate(part.lanes):
        meaning = f"label of lane {lane.id}"
        yield Slot(panel, f"{wordy(lane.id)}lanelabel{mark}", lane.label, meaning, (*at, "lanes", index, "label"))
        for column, text in enumerate(lane.cells):
            meaning, home = f"cell of lane {lane.id}", (*at, "lanes", index, "cells", column)
            yield Slot(panel, cell_macro(chart, lane.id, column), text, f"{meaning} in column {column + 1}", home)
    for column, text in enumerate(part.columns):
        home = (*at, "columns", column)
        yield Slot(panel, stem(chart, "column", column), text, f"head of column {column + 1} beside the lanes", home)
    for index, (span, start) in enumerate(zip(part.spans, chart.stems, strict=True)):
        here, short = (*at, "spans", index), span.short if span.label else ""
        yield Slot(panel, start + "text", span.label, f"text in the {span.phase} spans", (*here, "label"))
        yield Slot(panel, start + "short", short, f"short text in the {span.phase} spans", (*here, "short"))
    for index, (span, name) in enumerate(zip(part.spans, chart.names, strict=True)):
        if span.second and span.second.label:
            meaning, home = f"text in the second part of {name}", (*at, "spans", index, "second", "label")
            yield Slot(panel, half_stem(name) + "text", span.second.label, meaning, home)
    for index, (bubble, start) in enumerate(zip(part.bubbles, bubble_stems(part, mark), strict=True)):
        yield Slot(panel, start + "text", bubble.label, "text in the bubbles", (*at, "bubbles", index, "label"))
    for index, barrier in enumerate(part.barriers):
        meaning, home = f"label of barrier {index + 1}", (*at, "barriers", index, "label")
        yield Slot(panel, f"barrier{spell(index + 1)}label{mark}", barrier.label, meaning, home)
    yield from _mark_slots(chart, at)
    yield Slot(panel, f"timelinetitle{mark}", part.title, "title of the timeline", (*at, "title"))


def cell_macro(chart: Chart, lane: str, column: int) -> str:
    """The stem of a text in the table beside the lanes."""
    return f"{wordy(lane)}cell{spell(column + 1)}label{chart.mark}"


def stem(chart: Chart, kind: str, index: int) -> str:
    """The stem of the text of the mark with this place in its list."""
    return f"{kind}{spell(index + 1)}label{chart.mark}"


def _mark_slots(chart: Chart, at: tuple[str | int, ...]) -> Iterator[Slot]:
    """Every text of the marks of a timeline, which lies at the path `at` of its figure."""
    panel, part, mark = chart.panel, chart.part, chart.mark
    for kind, (field, name, meaning) in _LISTS.items():
        for index, one in enumerate(getattr(part, field)):
            home = (*at, field, index, name)
            yield Slot(panel, stem(chart, kind, index), getattr(one, name), f"{meaning} {index + 1}", home)
    if part.axis:
        text = axis_text(part.axis)
        home = (*at, "axis", "label") if text == part.axis.label else ()
        yield Slot(panel, f"timelabel{mark}", text, "label of the time arrow", home)
        for index, tick in enumerate(part.axis.ticks if isinstance(part.axis.ticks, list) else ()):
            home = (*at, "axis", "ticks", index, "label")
            yield Slot(panel, stem(chart, "tick", index), tick.label, f"text at tick {index + 1}", home)
    yield Slot(panel, f"summarylabel{mark}", part.summary, "text at the beginning of the time arrow", (*at, "summary"))


def axis_text(axis: Axis) -> str:
    """The text at the time arrow, with the unit where there are ticks."""
    unit = axis.unit if axis.ticks and not isinstance(axis.ticks, list) else ""
    if not unit or not axis.label:
        return axis.label or unit
    if isinstance(axis.label, Tex):
        return Tex(f"{axis.label} ({typeset(unit).source})", axis.label.allowed)
    return f"{axis.label} ({unit})"
