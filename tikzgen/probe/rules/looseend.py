"""TG317: a link stops short of a box, or is no longer than its head."""

from __future__ import annotations

from collections.abc import Iterator
from math import dist

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.polygons import chord
from tikzgen.plane.rectangles import Point, grown, surround, touch
from tikzgen.probe.links import Link
from tikzgen.probe.sheet import Sheet, cm

_TOUCHES = 3.5  # pt: what is nearer belongs together
_AHEAD = 16.0  # pt: a box this near before an end is what the link means
_SHORTEST = 2.5  # pt of shaft besides the head
_HEAD = 3.5  # pt: a usual head


def _look(subject: Sheet) -> Iterator[Broken]:
    for link in subject.links:
        if not (link.at_start or link.at_end):
            continue
        heads = link.at_start + link.at_end
        if link.length < heads * _HEAD + _SHORTEST:
            message = f"{subject.thing(link.path)} is only {cm(link.length)} long: hardly more than its head"
            yield Broken(subject.place(link.path.where), message, "move its ends apart")
            continue
        for end, before, head in link.ends:
            short = _short(subject, link, end, before)
            if short is not None:
                what = "ends" if head else "begins"
                message = f"{subject.thing(link.path)} {what} {cm(short)} away from the box before it"
                yield Broken(subject.place(link.path.where), message, "lead it to the box's border")


def _short(sheet: Sheet, link: Link, end: Point, before: Point) -> float | None:
    """How far before a box a link ends that touches nothing; nothing where all is well."""
    spot = (*end, *end)
    if any(box.holds(end) or box.away(end) < _TOUCHES for box in sheet.targets):
        return None
    for piece in sheet.view.near(grown(spot, _TOUCHES)):
        if piece.path.paint != link.path.paint and not piece.path.depth:
            return None
    if any(touch(grown(spot, _TOUCHES), box) for box in sheet.texts):
        return None
    long = dist(end, before) or 1.0
    step = (_AHEAD * (end[0] - before[0]) / long, _AHEAD * (end[1] - before[1]) / long)
    ahead = (end[0] + step[0], end[1] + step[1])
    gaps = [
        dist(end, found[0])
        for box in sheet.targets
        if touch(surround((end, ahead)), surround(box.outline)) and (found := chord(end, ahead, box.outline))
    ]
    return min(gaps, default=None)


RULE = Rule("TG317", "loose-end", "a link stops short of a box, or is hardly there", Sheet, _look, Severity.WARNING)
