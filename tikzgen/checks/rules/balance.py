"""TG201: what TeX would stumble over."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.checks.written import Written

__all__ = ["RULE"]


def _look(subject: Subject) -> Iterator[Broken]:
    if isinstance(subject, Written):
        for error in subject.facts.errors:
            yield Broken(subject.place(error.at), error.message)


RULE = Rule("TG201", "balance", "braces, environments and statements end where they should", _look)
