"""TG111: an arrow of a timeline that runs backwards in time: in a description, or as a .tex draws it."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.drawn_bars import ROUNDED
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.subjects import Drawn
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Drawn | Written) -> Iterator[Broken]:
    yield from _as_drawn(subject) if isinstance(subject, Written) else _as_said(subject)


def _as_said(subject: Drawn) -> Iterator[Broken]:
    timeline = subject.timeline
    spans = dict(zip(timeline.names(), timeline.spans, strict=True))
    for index, arrow in enumerate(timeline.dependencies):
        source, target = spans[arrow.source], spans[arrow.target]
        if source.end > target.start:
            yield Broken(
                subject.place("dependencies", index), *_said(arrow.source, arrow.target, source.end, target.start)
            )


def _as_drawn(subject: Written) -> Iterator[Broken]:
    """Arrows between spans of one timeline. Those that nobody changed are the description's, and found there."""
    bars = {bar.name: bar for bar in subject.bars if bar.name}
    for flow in subject.facts.flows if bars else ():
        source, target = bars.get(flow.source.name), bars.get(flow.target.name)
        if source is None or target is None or source.scope != target.scope or flow.style == "link":
            continue
        begin = subject.facts.statements[flow.statement].span.start
        lines = {subject.place(at).line for at in (begin, source.at, target.at)}
        if source.end > target.start + ROUNDED and not lines.isdisjoint(subject.changed_lines):
            told = _said(source.name, target.name, f"{source.end:g}", f"{target.start:g}")
            yield Broken(subject.place(begin), *told)


def _said(source: str, target: str, end: object, start: object) -> tuple[str, str]:
    message = (
        f"data dependency: {quoted(target)} begins at {start}, "
        f"before {quoted(source)}, which it needs, has ended at {end}"
    )
    return message, f"start it at {end} or later, or turn the arrow round"


RULE = Rule("TG111", "backward-arrow", "the arrows of a timeline run forwards in time", Drawn | Written, _look)
