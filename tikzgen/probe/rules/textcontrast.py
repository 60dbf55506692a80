"""TG309: a text has too little contrast against what lies behind it."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.model.vision import Color, contrast, mixed
from tikzgen.plane.rectangles import Point
from tikzgen.probe.page_data import Line
from tikzgen.probe.sheet import Sheet

_LEAST = 4.5  # WCAG 2.1, 1.4.3
_PARTS = (0.1, 0.3, 0.5, 0.7, 0.9)


def _look(subject: Sheet) -> Iterator[Broken]:
    seen: set[tuple[object, ...]] = set()
    for line in subject.page.lines:
        worst, behind = min(_contrast(subject, line, point) for point in line.along(_PARTS))
        key = (line.words, line.color, line.opacity, line.group and line.group[1], behind)
        if worst < _LEAST and key not in seen:
            seen.add(key)
            message = f"text {subject.text(line)} has a contrast of {worst:.1f}:1, less than 4.5:1"
            yield Broken(subject.at(line), message, "a darker text, or a lighter fill behind it")


def _contrast(sheet: Sheet, line: Line, point: Point) -> tuple[float, Color]:
    """The contrast of a text at a point, and the colour behind it there."""
    behind, seen = sheet.view.behind(point, line.order), line.color
    if line.group is not None:
        begin, opacity = line.group
        seen = mixed(seen, sheet.view.behind(point, begin), opacity)
    return contrast(mixed(seen, behind, line.opacity), behind), behind


RULE = Rule("TG309", "text-contrast", "a text has a contrast of less than 4.5:1", Sheet, _look, Severity.WARNING)
