"""TG203: a parameter that stands at another value than the metadata say."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.findings import Severity
from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.checks.written import Written

__all__ = ["RULE"]


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Written) or not subject.contract:
        return
    block = subject.facts.parameters
    values = {each.name: each for each in (block.parameters if block else ())}
    for each in subject.contract.get("parameters", ()):
        found = values.get(each.get("name", "")) if isinstance(each, dict) else None
        if found and each.get("default") is not None and str(each["default"]) != found.value:
            message = f"{found.name} is {found.value}, the metadata say {each['default']}"
            yield Broken(subject.place(found.value_span.start), message, "write the metadata again, or set it back")


_SUMMARY = "parameters stand at the defaults that the metadata give"
RULE = Rule("TG203", "drifted-default", _SUMMARY, _look, Severity.WARNING)
