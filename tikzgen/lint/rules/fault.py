"""TG112: a span that is marked as impossible."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.subjects import Drawn

__all__ = ["RULE"]


def _look(subject: Drawn) -> Iterator[Broken]:
    timeline = subject.timeline
    for index, (name, span) in enumerate(zip(timeline.names(), timeline.spans, strict=True)):
        if span.fault:
            message = f"{quoted(name)} is marked as impossible: {span.fault}"
            yield Broken(subject.place("spans", index, "fault"), message, "mend it and remove its fault")


RULE = Rule("TG112", "fault", "no span of a timeline is marked as impossible", Drawn, _look)
