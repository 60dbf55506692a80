"""TG205: a node and a style of one name."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]


def _look(subject: Written) -> Iterator[Broken]:
    styles = {style.name: style for style in subject.facts.styles}
    naming = str(subject.contract.get("node_naming", ""))
    fixed = {name for name in subject.contract_styles if f"({name})" in naming}
    if subject.described:
        fixed.add("data")  # the template's contract fixes both; ours keeps to it, with its metadata beside it or not
    for node in subject.facts.nodes:
        if node.name in styles and node.name_span and node.name not in fixed:
            line = subject.place(styles[node.name].span.start).line
            message = f"the node {quoted(node.name)} has the name of a style (line {line})"
            yield Broken(subject.place(node.name_span.start), message, "rename one of them")


RULE = Rule("TG205", "node-and-style", "no node has the name of a style", Written, _look)
