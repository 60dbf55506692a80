"""TG202: a parameter of the contract that the file does not define, or not where parameters stand."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Fix
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    facts, listed = subject.facts, subject.contract_parameters
    block = facts.parameters
    defined = {each.name: each for each in reversed(facts.definitions)}
    inside = {each.name for each in block.parameters} if block else set()
    if block is None and not listed.keys().isdisjoint(defined):
        hint = "put them between `% ==== parameters (edit these) ====` and `% ====`"
        first = min(defined[name].span.start for name in listed if name in defined)
        yield Broken(subject.place(first), "the parameters stand between no marks", hint)
    left = [entry for name, (_, entry) in listed.items() if name in defined]
    for name in listed:
        if name not in defined:
            # what nothing uses any more was taken out on purpose
            stale = subject.inventory.own and left and name not in facts.uses
            fix = Fix(metadata=subject.metadata.replaced(left, "edit_contract", "parameters")) if stale else None
            place = subject.place(block.start.start if block else 0)
            yield Broken(place, f"the contract has a parameter {name} that the file does not define", "define it", fix)
        elif block and name not in inside:
            place = subject.place(defined[name].span.start)
            yield Broken(place, f"{name} is defined outside the block of parameters", "move it between the marks")


_SUMMARY = "every parameter of the contract is defined in the file, between the marks"
_FIXES = "takes what nothing uses off the list of tikzgen's own figures"
RULE = Rule("TG202", "undefined-parameter", _SUMMARY, Written, _look, fixes=_FIXES)
