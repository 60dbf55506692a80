"""Timelines: lanes, spans, marks."""

from __future__ import annotations

from tikzgen.model.timeline.mark_table import MARKS, type_of, types_on
from tikzgen.model.timeline.phase_ladder import Palettes, are_alike
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.timeline.timeline_marks import (
    Axis,
    Barrier,
    Brace,
    Break,
    Bubble,
    Dependency,
    Dimension,
    Event,
    Frame,
    LaneGroup,
    Level,
    Remark,
    Rules,
    Strip,
    Tick,
)
from tikzgen.model.timeline.timeline_parts import WAIT, Half, Lane, Span

__all__ = [
    "MARKS",
    "WAIT",
    "Axis",
    "Barrier",
    "Brace",
    "Break",
    "Bubble",
    "Dependency",
    "Dimension",
    "Event",
    "Frame",
    "Half",
    "Lane",
    "LaneGroup",
    "Level",
    "Palettes",
    "Remark",
    "Rules",
    "Span",
    "Strip",
    "Tick",
    "Timeline",
    "are_alike",
    "type_of",
    "types_on",
]
