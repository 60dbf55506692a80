"""The texts of the marks on a timeline: the stems of their macros, and those that are put together from two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tikzgen.layout.words import spell
from tikzgen.model.marks import Axis
from tikzgen.text import Tex, typeset

if TYPE_CHECKING:
    from tikzgen.layout.chart import Chart
    from tikzgen.layout.labels import Slot

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


def mark_slots(chart: Chart) -> Iterator[Slot]:
    """Every text of the marks of a timeline."""
    from tikzgen.layout.labels import Slot

    for kind, (field, name, meaning) in _LISTS.items():
        for index, part in enumerate(getattr(chart.part, field)):
            yield Slot(chart.panel, stem(chart, kind, index), getattr(part, name), f"{meaning} {index + 1}")
    if chart.part.axis:
        yield Slot(chart.panel, f"timelabel{chart.mark}", axis_text(chart.part.axis), "label of the time arrow")
    yield Slot(chart.panel, f"summarylabel{chart.mark}", chart.part.summary, "text at the beginning of the time arrow")


def axis_text(axis: Axis) -> str:
    """The text at the time arrow, with the unit where there are ticks."""
    unit = axis.unit if axis.ticks else ""
    if not unit or not axis.label:
        return axis.label or unit
    if isinstance(axis.label, Tex):
        return Tex(f"{axis.label} ({typeset(unit).source})")
    return f"{axis.label} ({unit})"
