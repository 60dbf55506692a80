"""TG228: a point of a node that no shape has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tikzgen.base.errors import quoted
from tikzgen.base.suggest import did_you_mean
from tikzgen.lint.registry import Broken, Rule
from tikzgen.lint.written import Written

__all__ = ["RULE"]

_SIDES = ("north", "south", "east", "west", "north east", "north west", "south east", "south west")
_KNOWN = {"center", "text", "base", "base east", "base west", "mid", "mid east", "mid west", *_SIDES}
# with these a shape or a library brings points of its own
_MORE = re.compile(
    r"\\pgfdeclareshape|\\pgfdeclareanchor|shapes|arrows\.box|circuits|calendar|er\b|petri|mindmap|\baxis\b|\bpgfplots\b|"
    r"rectangle split|trapezium|cylinder|\bpic\b|\\pic\b|circuitikz|chains|automata"
)


def _look(subject: Written) -> Iterator[Broken]:
    facts = subject.facts
    own_points = bool(_MORE.search(facts.code.mask))
    for reference in facts.references:
        anchor = " ".join(reference.anchor.strip(". ").split())
        if not anchor or anchor in _KNOWN or "\\" in anchor or "#" in anchor or _is_angle(anchor):
            continue
        near = did_you_mean(anchor, sorted(_KNOWN))
        if near if own_points else anchor.replace(" ", "").isalpha():
            message = f"no node has a point {quoted(anchor)}"
            yield Broken(subject.place(reference.span.start), message, near or "name a side, as in north east")


def _is_angle(anchor: str) -> bool:
    return bool(re.fullmatch(r"[-+]?\d*\.?\d+", anchor))


RULE = Rule("TG228", "unknown-anchor", "points of nodes are those that shapes have", Written, _look)
