"""The texts of the marks on a timeline: the stems of their macros, and those that are put together from two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tikzgen.layout.labels import Slot
from tikzgen.layout.number_words import spell
from tikzgen.model.marks import Axis
from tikzgen.text import Tex, typeset

if TYPE_CHECKING:
    from tikzgen.layout.chart import Chart

__all__ = ["axis_text", "mark_slots", "stem"]

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


def stem(chart: Chart, kind: str, index: int) -> str:
    """The stem of the text of the mark with this place in its list."""
    return f"{kind}{spell(index + 1)}label{chart.mark}"


def mark_slots(chart: Chart, at: tuple[str | int, ...]) -> Iterator[Slot]:
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
    yield Slot(panel, f"summarylabel{mark}", part.summary, "text at the beginning of the time arrow", (*at, "summary"))


def axis_text(axis: Axis) -> str:
    """The text at the time arrow, with the unit where there are ticks."""
    unit = axis.unit if axis.ticks else ""
    if not unit or not axis.label:
        return axis.label or unit
    if isinstance(axis.label, Tex):
        return Tex(f"{axis.label} ({typeset(unit).source})", axis.label.allowed)
    return f"{axis.label} ({unit})"
