"""TG113: spans that somebody listed, drawn otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.drawn_timelines import Timed, drifts
from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule

__all__ = ["RULE"]


def _look(subject: Timed) -> Iterator[Broken]:
    if not subject.computed:
        yield from drifts(subject)


_SUMMARY = "a .tex draws the spans of the description inside it, as that has them"
RULE = Rule("TG113", "drawn-spans", _SUMMARY, Timed, _look, Severity.WARNING)
