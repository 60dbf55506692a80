"""TG309: a text has too little contrast against what lies behind it."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.findings import Severity
from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.geometry.data import Line, Point
from tikzgen.geometry.subject import Sheet
from tikzgen.geometry.vision import contrast, mixed

_LEAST = 4.5  # WCAG 2.1, 1.4.3
_PARTS = (0.1, 0.3, 0.5, 0.7, 0.9)


def _look(subject: Subject) -> Iterator[Broken]:
    if not isinstance(subject, Sheet):
        return
    seen: set[tuple[object, ...]] = set()
    for line in subject.page.lines:
        worst, behind = min(
            (contrast(mixed(line.color, color, line.opacity), color), color)
            for color in (subject.view.behind(point, line.order) for point in _points(line))
        )
        key = (line.words, line.color, line.opacity, behind)
        if worst < _LEAST and key not in seen:
            seen.add(key)
            message = f"text {subject.text(line)} has a contrast of {worst:.1f}:1, less than 4.5:1"
            yield Broken(subject.at(line), message, "a darker text, or a lighter fill behind it")


def _points(line: Line) -> Iterator[Point]:
    """Points along the middle of a line of text."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = line.corners
    start, end = ((ax + dx) / 2, (ay + dy) / 2), ((bx + cx) / 2, (by + cy) / 2)
    for part in _PARTS:
        yield start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])


RULE = Rule("TG309", "text-contrast", "a text has a contrast of less than 4.5:1", _look, Severity.WARNING)
