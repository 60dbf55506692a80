"""TG206: a worker that a list of workers leaves out."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    lists = [reference for reference in subject.facts.references if reference.role == "list"]
    places = {node.name: node for node in subject.inventory.nodes}
    for family in subject.inventory.families:
        if family.kind != "worker":
            continue
        for loop in subject.facts.loops:
            start, end = loop.list_span
            listed = {each.name for each in lists if start <= each.span.start < end}
            if listed.isdisjoint(family.members):
                continue
            for name in family.members:
                if name not in listed:
                    line = places[name].line
                    message = f"the worker {quoted(name)} (line {line}) is missing from this list"
                    yield Broken(subject.place(start), message, f"add {name}")


RULE = Rule("TG206", "unlisted-worker", "a list of workers names all of them", Written, _look)
