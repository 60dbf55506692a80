"""TG212: lines in the body that leave a blank beside the picture."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.checks.written import Written

__all__ = ["RULE"]


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Written):
        return
    block = subject.facts.parameters
    if block is None or block.span.start < subject.body:
        return
    text = subject.facts.text
    leaking = [each for each in block.parameters if text[each.span.end : each.span.end + 1] != "%"]
    if leaking:
        lines = f"{len(leaking)} lines leave a blank each" if len(leaking) > 1 else "this line leaves a blank"
        hint = "end the line with % right behind the brace"
        yield Broken(subject.place(leaking[0].span.end), f"{lines} beside the picture", hint)


RULE = Rule("TG212", "leaked-space", "lines of the body leave no blank beside the picture", _look)
