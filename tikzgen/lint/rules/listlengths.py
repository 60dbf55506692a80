"""TG225: lists that a contract wants as long as each other, and that are not."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.inventory.parameter_values import entries
from tikzgen.lint.promises import equal_lists
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    block = subject.facts.parameters
    lists = {each.name: each for each in block.parameters} if block else {}
    for macros in equal_lists(subject.contract):
        found = [lists[macro] for macro in macros if macro in lists]
        for other in found[1:]:
            first, many = len(entries(found[0].value)), len(entries(other.value))
            if many != first:
                message = f"{other.name} has {many} entries, {found[0].name} has {first}"
                yield Broken(subject.place(other.value_span.start), message, "make them equally long")


RULE = Rule("TG225", "list-lengths", "lists that belong together are equally long", Written, _look)
