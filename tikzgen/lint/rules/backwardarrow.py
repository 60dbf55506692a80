"""TG111: an arrow of a timeline that runs backwards in time."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.subjects import Drawn

__all__ = ["RULE"]


def _look(subject: Drawn) -> Iterator[Broken]:
    timeline = subject.timeline
    spans = dict(zip(timeline.names(), timeline.spans, strict=True))
    for index, arrow in enumerate(timeline.dependencies):
        source, target = spans[arrow.source], spans[arrow.target]
        if source.end > target.start:
            message = (
                f"data dependency: {quoted(arrow.target)} begins at {target.start}, "
                f"before {quoted(arrow.source)}, which it needs, has ended at {source.end}"
            )
            hint = f"start it at {source.end} or later, or turn the arrow round"
            yield Broken(subject.place("dependencies", index), message, hint)


RULE = Rule("TG111", "backward-arrow", "the arrows of a timeline run forwards in time", Drawn, _look)
