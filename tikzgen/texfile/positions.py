"""Where nodes stand, as sums of numbers and macros."""

from __future__ import annotations

import re

from tikzgen.base.record import Record
from tikzgen.texfile.facts import Facts
from tikzgen.texfile.linear import Linear, linear
from tikzgen.texfile.source_facts import Node
from tikzgen.texfile.text import Span

__all__ = ["Spot", "spot_of"]

_COMMA = re.compile(r"[,{(]")


class Spot(Record):
    """Where a node stands: the spans of its two sums, inside their braces, and the sums."""

    x_span: Span
    y_span: Span
    x: Linear
    y: Linear


def spot_of(facts: Facts, node: Node) -> Spot | None:
    """Where a node stands; None where that is no pair of sums."""
    parts = facts.code.parts(*node.at.span, _COMMA) if node.at is not None else ()
    if len(parts) != 2:
        return None
    spans = [facts.code.bare(*part) for part in parts]
    x, y = (linear(span.of(facts.text)) for span in spans)
    return Spot(spans[0], spans[1], x, y) if x is not None and y is not None else None
