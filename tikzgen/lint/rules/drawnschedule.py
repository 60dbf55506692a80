"""TG105: a schedule that a recipe computed, drawn otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.drawn_timelines import Timed, drifts
from tikzgen.lint.registry import Broken, Rule

__all__ = ["RULE"]


def _look(subject: Timed) -> Iterator[Broken]:
    if subject.computed:
        yield from drifts(subject)


_SUMMARY = "a .tex draws the spans of a computed schedule, all of them, at their times and on their lanes"
RULE = Rule("TG105", "drawn-schedule", _SUMMARY, Timed, _look)
