"""TG320: texts side by side stand a little higher or lower than each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.rectangles import surround
from tikzgen.probe.page_data import Line
from tikzgen.probe.sheet import Sheet

_LEAST, _MOST = 1.25, 3.0  # pt: texts of 10 pt in the middle of boxes differ by less, and more is meant
_SAME = 0.5  # pt
_CENTRED, _BELOW = 3.0, 12.0  # pt: a caption stands so below its box
_BESIDE = 90.0  # pt between two texts of a row


def _look(subject: Sheet) -> Iterator[Broken]:
    rows = sorted(_alone(subject), key=lambda line: line.box[0])
    told: set[int] = set()
    for one, other in combinations(rows, 2):
        away = other.box[0] - one.box[2]
        shift = abs(one.origin[1] - other.origin[1])
        if not 0 < away < _BESIDE or abs(one.size - other.size) > 0.1 or not _LEAST < shift < _MOST:
            continue
        if other.order not in told and _alike(subject, one, other):
            told.add(other.order)
            message = (
                f"the baseline of text {subject.text(other)} is {shift:.1f} pt off that of text {subject.text(one)}"
            )
            yield Broken(subject.at(other), message, "one anchor for both: anchor=base, or text height and text depth")


def _alone(sheet: Sheet) -> Iterator[Line]:
    """Level texts of one line in nodes of the page itself."""
    for line in sheet.page.lines:
        level = abs(line.corners[0][1] - line.corners[1][1]) < 0.01 and line.corners[0][0] < line.corners[1][0]
        if level and line.node is not None and line.depth == 0 and len(sheet.view.lines_of[line.node]) == 1:
            yield line


def _alike(sheet: Sheet, one: Line, other: Line) -> bool:
    """Whether two texts are of one kind: both in boxes of one row, or both below boxes of one row."""
    first, second = _row(sheet, one), _row(sheet, other)
    return (
        first is not None and second is not None and all(abs(a - b) < _SAME for a, b in zip(first, second, strict=True))
    )


def _row(sheet: Sheet, line: Line) -> tuple[float, float] | None:
    """Bottom and top of the box that a text stands in or below."""
    assert line.node is not None
    border = sheet.view.border(line.node)
    if border is not None:
        return border.box[1], border.box[3]
    across = (line.box[0] + line.box[2]) / 2
    for box in sheet.targets:
        left, bottom, right, _ = surround(box.outline)
        if abs((left + right) / 2 - across) < _CENTRED and 0 < bottom - line.box[3] < _BELOW:
            return bottom, bottom
    return None


RULE = Rule("TG320", "shifted-baseline", "texts of a row are not on one baseline", Sheet, _look, Severity.WARNING)
