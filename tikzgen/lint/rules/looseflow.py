"""TG211: a flow that ends at numbers instead of a node."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    flows = {flow.style for flow in subject.inventory.flows if flow.style}
    named: dict[int, int] = {}
    for reference in subject.facts.references:
        if reference.statement is not None and reference.role == "coordinate":
            named[reference.statement] = named.get(reference.statement, 0) + 1
    for index, statement in enumerate(subject.facts.statements):
        if statement.command == "draw" and named.get(index, 0) < 2:
            style = next((option.key for option in statement.options if option.key in flows), "")
            place = subject.place(statement.span.start)
            # messages of space-time diagrams end at a time on a lifeline; tikzgen draws nothing else to numbers
            if style and not (subject.inventory.own and place.line not in subject.changed_lines):
                message = f"a flow of the style {quoted(style)} ends at a coordinate"
                yield Broken(place, message, "end it at a node, by name")


RULE = Rule("TG211", "loose-flow", "flows join nodes by name", Written, _look)
