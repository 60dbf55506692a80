"""TG203: a parameter that stands at another value than the metadata say."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Fix, Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    if subject.facts.parameters is None:
        return
    values = {each.name: each for each in subject.facts.parameters.parameters}
    for name, (index, told) in subject.contract_parameters.items():
        found = values.get(name)
        default = told.get("default")
        if found and isinstance(default, str) and default not in (found.value, f"{{{found.value}}}"):
            steps = ("edit_contract", "parameters", index, "default")
            own = subject.inventory.own and found.value
            fix = Fix(metadata=subject.metadata.replaced(found.value, *steps)) if own else None
            message = f"{name} is {found.value}, the metadata say {default}"
            hint = "write the metadata again, or set it back"
            yield Broken(subject.place(found.value_span.start), message, hint, fix)


_SUMMARY = "parameters stand at the defaults that the metadata give"
_FIXES = "sets the defaults in the metadata of tikzgen's own figures"
RULE = Rule("TG203", "drifted-default", _SUMMARY, Written, _look, Severity.WARNING, _FIXES)
