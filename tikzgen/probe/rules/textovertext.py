"""TG301: a text lies over another text."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.polygons import depth
from tikzgen.plane.rectangles import touch
from tikzgen.probe.page_data import Line
from tikzgen.probe.sheet import Sheet, cm

_TOUCH = 0.6  # pt: boxes of ink that overlap by less do not touch each other's letters


def _look(subject: Sheet) -> Iterator[Broken]:
    lines = sorted(subject.page.lines, key=lambda line: line.box[0])
    for place, one in enumerate(lines):
        for other in lines[place + 1 :]:
            if other.box[0] > one.box[2]:
                break
            if not touch(one.box, other.box) or one.is_of(other):
                continue
            deep = depth(one.corners, other.corners)
            if deep > _TOUCH and not _hidden(subject, one, other):
                first, second = sorted((one, other), key=lambda line: line.order)
                message = f"text {subject.text(second)} lies over text {subject.text(first)}, {cm(deep)} deep"
                yield Broken(subject.at(second), message, "move one of them, or shorten it")


def _hidden(sheet: Sheet, one: Line, other: Line) -> bool:
    """Whether the lower of two texts is covered before the upper one is set."""
    first, second = sorted((one, other), key=lambda line: line.order)
    middle = (sum(x for x, _ in first.corners) / 4, sum(y for _, y in first.corners) / 4)
    return sheet.view.covered(middle, first.order, second.order)


RULE = Rule("TG301", "text-over-text", "a text lies over another text", Sheet, _look)
