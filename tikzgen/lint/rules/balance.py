"""TG201: what TeX would stumble over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]

_CLOSING = {"]": "[", ")": "("}
_MARK = re.compile(r"\\.|[][(){}]", re.DOTALL)


def _look(subject: Written) -> Iterator[Broken]:
    for error in subject.facts.errors:
        yield Broken(subject.place(error.at), error.message)
    yield from _groups(subject)
    yield from _brackets(subject)


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


def _brackets(subject: Written) -> Iterator[Broken]:
    """A bracket or a parenthesis of a path that stays open, or that nothing opened; what stands in braces is text."""
    code = subject.facts.code.mask
    for statement in subject.facts.statements:
        opened: list[int] = []
        depth = 0
        for found in _MARK.finditer(code, *statement.span):
            mark = found[0]
            depth += (mark == "{") - (mark == "}")
            if depth < 0:  # the path stands in pieces of a macro's body
                opened.clear()
                break
            if depth or len(mark) > 1 or mark in "{}":
                continue
            if mark in _CLOSING.values():
                opened.append(found.start())
            elif opened and code[opened[-1]] == _CLOSING[mark]:
                opened.pop()
            else:
                yield Broken(subject.place(found.start()), f"this {mark} closes nothing", "open it, or take it away")
                opened.clear()
                break
        if opened:
            mark = code[opened[-1]]
            yield Broken(subject.place(opened[-1]), f"this {mark} is never closed", "close it")


RULE = Rule("TG201", "balance", "braces, environments and statements end where they should", Written, _look)
