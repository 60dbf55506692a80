"""TG207: two kinds of flow in one colour."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]

_TINTED = {"paper", "ink", "black", "white"}


def _look(subject: Written) -> Iterator[Broken]:
    drawn = {flow.style for flow in subject.inventory.flows if flow.style and flow.style != "link"}
    first: dict[str, str] = {}
    for style in subject.inventory.styles:
        colors = [color for color in style.colors if color not in _TINTED]
        if style.name not in drawn or not colors:
            continue
        other = first.setdefault(colors[0], style.name)
        if other != style.name:
            found = subject.facts.style(style.name)
            message = f"flows of the styles {quoted(other)} and {quoted(style.name)} share the colour {colors[0]}"
            yield Broken(subject.place(found.span.start if found else 0), message, "give one of them another")


RULE = Rule("TG207", "shared-color", "flows of different styles have different colours", Written, _look)
