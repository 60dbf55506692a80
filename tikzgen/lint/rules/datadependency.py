"""TG101: operations that are missing, stand twice, or stand before what they use."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.subjects import Listed, Simulated, said
from tikzgen.schedule import Rule as Class

__all__ = ["RULE"]


def _look(subject: Listed | Simulated) -> Iterator[Broken]:
    for broken in subject.broken:
        if broken.rule is Class.DEPENDENCY:
            yield Broken(subject.place(broken), said(broken))


RULE = Rule(
    "TG101", "data-dependency", "every operation is there once, and after what it uses", Listed | Simulated, _look
)
