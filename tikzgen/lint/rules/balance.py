"""TG201: what TeX would stumble over."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    for error in subject.facts.errors:
        yield Broken(subject.place(error.at), error.message)
    yield from _groups(subject)


def _groups(subject: Written) -> Iterator[Broken]:
    r"""A `\begingroup` without its `\endgroup`, or the other way round; macros may hold one of the two."""
    facts = subject.facts
    marks = [(span.start, True) for span in facts.uses.get("\\begingroup", ())]
    marks += [(span.start, False) for span in facts.uses.get("\\endgroup", ())]
    bodies = [each.value_span for each in facts.definitions]
    opened: list[int] = []
    for at, opens in sorted(marks):
        if any(start <= at < end for start, end in bodies):
            continue
        if opens:
            opened.append(at)
        elif opened:
            opened.pop()
        else:
            yield Broken(subject.place(at), "this group was never opened")
    for at in opened:
        yield Broken(subject.place(at), "this group is never closed")


RULE = Rule("TG201", "balance", "braces, environments and statements end where they should", Written, _look)
