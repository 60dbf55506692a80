"""TG204: a node whose name does not follow the scheme."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*")


def _look(subject: Written) -> Iterator[Broken]:
    for node in subject.facts.nodes:
        if node.name_span and node.name and "\\" not in node.name and not _NAME.fullmatch(node.name):
            hint = "use letters, digits and single hyphens, a letter first"
            yield Broken(
                subject.place(node.name_span.start), f"the node name {quoted(node.name)} is outside the scheme", hint
            )


RULE = Rule("TG204", "node-name", "node names are letters, digits and single hyphens", Written, _look)
