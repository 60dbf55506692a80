"""TG306: a text is smaller than 6 pt at the width that the figure is made for."""

from __future__ import annotations

from collections.abc import Iterator
from math import dist

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.page_data import Line
from tikzgen.probe.sheet import Sheet

_LEAST = 6.0
_ALMOST = 0.06  # fonts of 6 pt are a trifle smaller: 5.98


def _look(subject: Sheet) -> Iterator[Broken]:
    """One finding for each size: a figure that is too wide has all its texts too small."""
    small: dict[float, list[Line]] = {}
    for line in subject.page.lines:
        size = round(line.size * subject.scale, 1)
        if size < _LEAST - _ALMOST and not _is_script(subject, line):
            small.setdefault(size, []).append(line)
    for size, lines in small.items():
        first = min(lines, key=lambda line: (line.where.first, line.order))
        others = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
        shrinks = f" when the figure is {subject.width:g} cm wide" if subject.scale < 1 else ""
        message = f"text {subject.text(first)}{others}: {size:g} pt{shrinks}, less than 6 pt"
        yield Broken(subject.at(first), message, "a larger font, or a narrower figure" if shrinks else "a larger font")


def _is_script(sheet: Sheet, line: Line) -> bool:
    """Whether a line is part of a formula: a larger one of its node is beside it."""
    beside = sheet.view.lines_of.get(line.node, ()) if line.node is not None else ()
    return any(other.size > line.size and _is_beside(line, other) for other in beside)


def _is_beside(line: Line, larger: Line) -> bool:
    """Whether a line reaches into the row of a larger one, which may be turned."""
    (ax, ay), (bx, by), _, (dx, dy) = larger.corners
    high, long = dist((ax, ay), (dx, dy)), dist((ax, ay), (bx, by)) or 1.0
    across = [((y - ay) * (bx - ax) - (x - ax) * (by - ay)) / long for x, y in line.corners]
    return min(across) <= high and max(across) >= 0


RULE = Rule("TG306", "small-text", "a text is smaller than 6 pt at the target width", Sheet, _look, Severity.WARNING)
