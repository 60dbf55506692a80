"""The texts of a timeline: which it has, and the stems of their macros."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.layout.cell_texts import bubbles
from tikzgen.layout.number_words import spell, wordy
from tikzgen.layout.plan import Slot
from tikzgen.layout.timeline_facts import Chart
from tikzgen.model.timeline_marks import Axis
from tikzgen.text import Tex, typeset

_LISTS = {
    "event": ("events", "label", "label of event"),
    "brace": ("braces", "label", "text at brace"),
    "dimension": ("dimensions", "label", "text at dimension"),
    "remark": ("remarks", "text", "remark"),
    "note": ("notes", "text", "note"),
    "group": ("groups", "label", "label of lane group"),
    "dependency": ("dependencies", "label", "text at dependency"),
    "strip": ("strips", "label", "label of strip"),
    "cap": ("strips", "cap_label", "text at the limit of strip"),
}


def timeline_slots(chart: Chart) -> Iterator[Slot]:
    """Every text of a timeline."""
    panel, at, part, mark = chart.panel, chart.at, chart.part, chart.mark
    for index, lane in enumerate(part.lanes):
        meaning = f"label of lane {lane.id}"
        yield Slot(panel, f"{wordy(lane.id)}lanelabel{mark}", lane.label, meaning, (*at, "lanes", index, "label"))
        for column, text in enumerate(lane.cells):
            stem, meaning = f"{wordy(lane.id)}cell{spell(column + 1)}label{mark}", f"cell of lane {lane.id}"
            home = (*at, "lanes", index, "cells", column)
            yield Slot(panel, stem, text, f"{meaning} in column {column + 1}", home)
    for column, text in enumerate(part.columns):
        home = (*at, "columns", column)
        yield Slot(panel, _stem(chart, "column", column), text, f"head of column {column + 1} beside the lanes", home)
    for index, (span, start) in enumerate(zip(part.spans, chart.stems, strict=True)):
        here, short = (*at, "spans", index), span.short if span.label else ""
        yield Slot(panel, start + "text", span.label, f"text in the {span.phase} spans", (*here, "label"))
        yield Slot(panel, start + "short", short, f"short text in the {span.phase} spans", (*here, "short"))
    for index, (span, name) in enumerate(zip(part.spans, chart.names, strict=True)):
        if span.second and span.second.label:
            meaning, home = f"text in the second part of {name}", (*at, "spans", index, "second", "label")
            yield Slot(panel, f"{wordy(name)}secondtext", span.second.label, meaning, home)
    same = len({bubble.label for bubble in part.bubbles if bubble.label}) == 1
    for index, (bubble, name) in enumerate(bubbles(part)):
        start = ("bubble" if same else wordy(name)) + mark
        yield Slot(panel, start + "text", bubble.label, "text in the bubbles", (*at, "bubbles", index, "label"))
    for index, barrier in enumerate(part.barriers):
        meaning, home = f"label of barrier {index + 1}", (*at, "barriers", index, "label")
        yield Slot(panel, f"barrier{spell(index + 1)}label{mark}", barrier.label, meaning, home)
    yield from _mark_slots(chart)
    yield Slot(panel, f"timelinetitle{mark}", part.title, "title of the timeline", (*at, "title"))


def _stem(chart: Chart, kind: str, index: int) -> str:
    """The stem of the text of the mark with this place in its list."""
    return f"{kind}{spell(index + 1)}label{chart.mark}"


def _mark_slots(chart: Chart) -> Iterator[Slot]:
    """Every text of the marks of a timeline."""
    panel, at, part, mark = chart.panel, chart.at, chart.part, chart.mark
    for kind, (field, name, meaning) in _LISTS.items():
        for index, one in enumerate(getattr(part, field)):
            home = (*at, field, index, name)
            yield Slot(panel, _stem(chart, kind, index), getattr(one, name), f"{meaning} {index + 1}", home)
    if part.axis:
        text = axis_text(part.axis)
        home = (*at, "axis", "label") if text == part.axis.label else ()
        yield Slot(panel, f"timelabel{mark}", text, "label of the time arrow", home)
        for index, tick in enumerate(part.axis.ticks if isinstance(part.axis.ticks, list) else ()):
            home = (*at, "axis", "ticks", index, "label")
            yield Slot(panel, _stem(chart, "tick", index), tick.label, f"text at tick {index + 1}", home)
    yield Slot(panel, f"summarylabel{mark}", part.summary, "text at the beginning of the time arrow", (*at, "summary"))


def axis_text(axis: Axis) -> str:
    """The text at the time arrow, with the unit where there are ticks."""
    unit = axis.unit if axis.ticks and not isinstance(axis.ticks, list) else ""
    if not unit or not axis.label:
        return axis.label or unit
    if isinstance(axis.label, Tex):
        return Tex(f"{axis.label} ({typeset(unit).source})", axis.label.allowed)
    return f"{axis.label} ({unit})"
