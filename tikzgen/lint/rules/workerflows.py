"""TG215: a worker that lacks a flow which most of the others have."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import Place, quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    nodes = {node.name: node for node in subject.inventory.nodes}
    for family in subject.inventory.families:
        members = set(family.members)
        joined: dict[tuple[str, str, bool], set[str]] = {}
        for flow in subject.inventory.flows:
            if flow.loop:  # who is missing there is missing from the loop's list
                continue
            if flow.source in members and flow.target not in members:
                joined.setdefault((flow.target, flow.style, True), set()).add(flow.source)
            elif flow.target in members and flow.source not in members:
                joined.setdefault((flow.source, flow.style, False), set()).add(flow.target)
        for (other, style, away), having in joined.items():
            lacking = members - having
            if family.kind != "worker" or len(having) <= len(lacking):
                continue
            for name in sorted(lacking):
                place = Place(subject.name, nodes[name].line, nodes[name].column)
                way = f"{quoted(name)} to {quoted(other)}" if away else f"{quoted(other)} to {quoted(name)}"
                yield Broken(
                    place, f"no {quoted(style)} flow leads from {way}, as it does for the other workers", "draw it"
                )


RULE = Rule("TG215", "worker-flows", "every worker has the flows that most of the others have", Written, _look)
