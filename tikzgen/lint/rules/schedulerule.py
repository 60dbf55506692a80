"""TG102: an order, or a number of microbatches in flight, that is not what the schedule's name promises."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.subjects import Listed, Simulated, said
from tikzgen.schedule import Rule as Class

__all__ = ["RULE"]


def _look(subject: Listed | Simulated) -> Iterator[Broken]:
    if isinstance(subject, Listed | Simulated):
        hint = "reorder them, or name no schedule" if isinstance(subject, Listed) else ""
        for broken in subject.broken:
            if broken.rule is Class.SCHEDULE:
                yield Broken(subject.place(broken), said(broken), hint)


RULE = Rule(
    "TG102",
    "schedule-rule",
    "the order and the in-flight bound are those of the schedule's name",
    Listed | Simulated,
    _look,
)
