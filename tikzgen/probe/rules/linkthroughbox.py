"""TG326: a link passes through a box that it does not join; what joins lanes may cross spans between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import dist

from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.polygons import chord
from tikzgen.plane.rectangles import surround, touch
from tikzgen.probe.links import Joined, Link
from tikzgen.probe.sheet import Sheet, cm

_LEAST = 6.0  # pt: less of a link in a box cuts a corner
_BADGE = 16.0  # pt
_JOINED = 3.0  # pt: a link joins a box that it ends this near to


def _look(subject: Sheet) -> Iterator[Broken]:
    """Links with a head, and plain ones between two boxes; other lines are axes, brackets and separators."""
    for link in subject.links:
        leads = (
            link.at_start
            or link.at_end
            or all(_joins(subject.targets, end) for end in (link.course[0], link.course[-1]))
        )
        for box in subject.targets if leads else ():
            if any(box.holds(end) or box.away(end) < _JOINED for end, _, _ in link.ends):
                continue
            inside = _inside(link, box)
            if inside > _LEAST and box.node.name not in subject.spans and not _badge(subject, link, box):
                what = subject.place(box.node.where, name=box.node.name)
                name = f"node {box.node.name}" if box.node.name else f"the node in line {what.line}"
                message = (
                    f"{subject.thing(link.path)} passes through {name}, {cm(inside)} of it, and joins it at neither end"
                )
                yield Broken(subject.place(link.path.where), message, "lead it around, or move the box aside")


def _joins(targets: tuple[Joined, ...], end: tuple[float, float]) -> bool:
    return any(box.holds(end) or box.away(end) < _JOINED for box in targets)


def _badge(sheet: Sheet, link: Link, box: Joined) -> bool:
    """Whether a box is a number that stands on the link, which it covers."""
    left, bottom, right, top = surround(box.outline)
    border = sheet.view.border(box.node.id)
    small = max(right - left, top - bottom) < _BADGE
    return small and border is not None and border.order > link.path.order


def _inside(link: Link, box: Joined) -> float:
    if not touch(surround(link.course), surround(box.outline)):
        return 0.0
    chords = (chord(a, b, box.outline) for a, b in pairwise(link.course))
    return sum(dist(*found) for found in chords if found)


RULE = Rule("TG326", "link-through-box", "a link passes through a box that it does not join", Sheet, _look)
