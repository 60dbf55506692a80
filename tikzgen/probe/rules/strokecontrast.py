"""TG310: a line has too little contrast against what lies behind it."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.model.vision import Color, contrast, mixed
from tikzgen.plane.rectangles import Point
from tikzgen.probe.page_data import Painted
from tikzgen.probe.sheet import Sheet
from tikzgen.probe.view import HATCH

_LEAST = 3.0  # WCAG 2.1, 1.4.11


def _look(subject: Sheet) -> Iterator[Broken]:
    """Lines that carry meaning: those of icons, and borders of areas that are seen without them, are left out, and so
    are lines in the paper's own colour, which are gaps between areas."""
    seen: set[int] = set()
    for path in subject.page.paths:
        if path.stroke is None or path.fill is not None or path.width > HATCH or path.depth > 0 or path.nodes:
            continue
        if path.paint in seen or path.stroke == subject.page.paper:
            continue
        ratios = [_contrast(path, path.stroke, subject.view.behind(point, path.order)) for point in _points(path)]
        if ratios and max(ratios) < _LEAST:
            seen.add(path.paint)
            message = f"{subject.thing(path)} has a contrast of {max(ratios):.1f}:1, less than 3:1"
            yield Broken(subject.place(path.where), message, "a darker line, or a lighter area behind it")


def _contrast(path: Painted, stroke: Color, behind: Color) -> float:
    return contrast(mixed(stroke, behind, path.stroke_opacity), behind)


def _points(path: Painted) -> list[Point]:
    """The middle of each of its lines."""
    found = []
    for line in path.lines[:8]:
        if len(line) > 1:
            a, b = line[(len(line) - 1) // 2], line[(len(line) - 1) // 2 + 1]
            found.append(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))
    return found


RULE = Rule("TG310", "stroke-contrast", "a line has a contrast of less than 3:1", Sheet, _look, Severity.WARNING)
