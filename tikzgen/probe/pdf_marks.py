"""The marks that the probe leaves in a PDF: `P7`, `N12`, `Q40` … say what a thing is drawn in, from the outside."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tikzgen.plane.rectangles import Box, Point
from tikzgen.probe.page_data import Where
from tikzgen.probe.records import Records

__all__ = ["around", "depth", "inside", "marks_of", "where_drawn", "without"]

_MARK = "tikzgen"


def marks_of(names: Sequence[str]) -> tuple[str, ...]:
    """The probe's marks among all."""
    return tuple(name.removeprefix(_MARK) for name in names if name.startswith(_MARK))


def without(marks: tuple[str, ...], opened: Collection[str]) -> tuple[str, ...]:
    """The marks without large pictures that stand in a node, such as the axis of a plot, and without that node: what
    is drawn there counts as drawn on the page."""
    return tuple(mark for mark in marks if mark not in opened) if opened else marks


def depth(marks: Sequence[str]) -> int:
    """How many pictures there are around the outermost one's contents: 0 on the page, 1 in an icon."""
    return max(sum(mark[0] == "P" for mark in marks) - 1, 0)


def inside(marks: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the nodes that a thing is drawn in."""
    return tuple(int(mark[1:]) for mark in marks if mark[0] == "N")


def where_drawn(marks: Sequence[str], records: Records) -> Where:
    """Where the innermost mark with a place was drawn; an icon's parts stand where the icon is used."""
    for mark in reversed(marks):
        if (place := records.places.get(int(mark[1:]))) is not None:
            return place
    return Where(0, 0)


def around(points: Sequence[Point]) -> Box:
    """The upright box around points."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)
