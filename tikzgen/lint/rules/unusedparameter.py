"""TG218: a parameter that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    if subject.facts.parameters is None:
        return
    for each in subject.facts.parameters.parameters:
        if len(subject.facts.uses.get(each.name, ())) < 2:
            message = f"nothing uses {each.name}, so editing it changes nothing"
            yield Broken(subject.place(each.span.start), message, "use it where its value stands, or remove it")


_SUMMARY = "every parameter is used"
RULE = Rule("TG218", "unused-parameter", _SUMMARY, Written, _look, Severity.WARNING)
