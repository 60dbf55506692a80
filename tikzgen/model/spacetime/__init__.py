"""Space-time diagrams: lifelines, messages, marks."""

from __future__ import annotations

from tikzgen.model.spacetime.logical_clocks import Occurrence, lamport_clocks, sort_occurrences, vector_clocks
from tikzgen.model.spacetime.spacetime import SpaceTime
from tikzgen.model.spacetime.spacetime_marks import (
    Activation,
    Case,
    Cut,
    HappenedBefore,
    LifeEvent,
    LifeNote,
    Region,
    Separator,
)
from tikzgen.model.spacetime.spacetime_parts import Lifeline, Message

__all__ = [
    "Activation",
    "Case",
    "Cut",
    "HappenedBefore",
    "LifeEvent",
    "LifeNote",
    "Lifeline",
    "Message",
    "Occurrence",
    "Region",
    "Separator",
    "SpaceTime",
    "lamport_clocks",
    "sort_occurrences",
    "vector_clocks",
]
