"""TG316: pdfTeX sets the figure otherwise than it is drawn without TeX."""

from __future__ import annotations

from collections.abc import Iterator
from math import dist

from tikzgen.drawing.refused import Unsupported
from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.rectangles import middle, surround
from tikzgen.probe.drawn_pages import drawn_page
from tikzgen.probe.page_data import Node
from tikzgen.probe.sheet import Sheet

_APART = 0.1
"""pt: what is less far from where TeX has it is at the same place."""


def _look(subject: Sheet) -> Iterator[Broken]:
    if not subject.by_pdftex or subject.pages > 1:
        return
    try:
        ours = drawn_page(subject.source)
    except Unsupported:
        return  # what takes TeX has no other picture
    theirs = subject.page
    if len(ours.nodes) != len(theirs.nodes):
        yield Broken(subject.whole, f"TeX sets {len(theirs.nodes)} nodes, and {len(ours.nodes)} are drawn", _WAY)
        return
    moved = [(_apart(one, other), other) for one, other in zip(ours.nodes, theirs.nodes, strict=True)]
    far, node = max(moved, key=lambda each: each[0], default=(0.0, None))
    if node is not None and far > _APART:
        place = subject.place(node.where, name=node.name, order=node.order)
        yield Broken(place, f"{subject.node(node)} is drawn {far:.2f} pt from where TeX sets it", _WAY)
    elif (wider := max(abs(ours.width - theirs.width), abs(ours.height - theirs.height))) > _APART:
        yield Broken(subject.whole, f"the page of TeX is {wider:.2f} pt larger or smaller than the drawn one", _WAY)


def _apart(one: Node, other: Node) -> float:
    """How far two nodes are apart, in pt: their borders, or their middles where these have other corners."""
    if len(one.border) != len(other.border):
        return dist(middle(surround(one.border)), middle(surround(other.border)))
    return max(map(dist, one.border, other.border), default=0.0)


_WAY = "trust TeX's picture, and report it: the two are meant to be the same"

RULE = Rule(
    "TG316",
    "drawn-otherwise",
    "pdfTeX sets the figure otherwise than it is drawn without TeX",
    Sheet,
    _look,
    Severity.WARNING,
)
