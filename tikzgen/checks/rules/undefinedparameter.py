"""TG202: a parameter of the contract that the file does not define."""

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
    defined = {each.name for each in subject.facts.definitions}
    for each in subject.contract.get("parameters", ()):
        name = each.get("name") if isinstance(each, dict) else None
        if name and name not in defined:
            place = subject.place(block.start.start if block else 0)
            yield Broken(place, f"the contract has a parameter {name} that the file does not define", "define it")


RULE = Rule("TG202", "undefined-parameter", "every parameter of the contract is defined in the file", _look)
