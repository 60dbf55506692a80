"""TG221: spans on one lane that overlap, as they are written: nodes, fused cells, and the rows of large figures."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.drawn_bars import ROUNDED, Bar
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    lanes: dict[tuple[int | None, float], list[Bar]] = {}
    for bar in subject.bars:
        if not bar.point:
            for lane in bar.covered:
                lanes.setdefault((bar.scope, lane), []).append(bar)
    for _, bars in sorted(lanes.items(), key=lambda each: each[0][1]):
        yield from _overlaps(subject, sorted(bars, key=lambda bar: (bar.start, bar.end, bar.at)))


def _overlaps(subject: Written, bars: list[Bar]) -> Iterator[Broken]:
    last: Bar | None = None
    for bar in bars:
        if last is not None and bar.start < last.end - ROUNDED:
            line = subject.place(last.at).line
            who = quoted(bar.name) if bar.name else "this row"
            message = f"{who} begins at {bar.start:g}, before {_called(last)} on line {line} has ended at {last.end:g}"
            yield Broken(subject.place(bar.at), message, "move one of them, or make it shorter")
        if last is None or bar.end > last.end:
            last = bar


def _called(bar: Bar) -> str:
    return quoted(bar.name) if bar.name else "the row"


RULE = Rule("TG221", "overlapping-spans", "spans on one lane of a timeline do not overlap", Written, _look)
