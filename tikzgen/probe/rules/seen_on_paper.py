"""Contrast and thin lines: TG309, TG310, TG324."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.model.vision import Color, contrast, mixed
from tikzgen.plane.rectangles import Point
from tikzgen.probe.page_data import Line, Painted
from tikzgen.probe.sheet import Sheet
from tikzgen.probe.view import HATCH, Piece

_LEAST_OF_TEXTS = 4.5  # WCAG 2.1, 1.4.3
_PARTS = (0.1, 0.3, 0.5, 0.7, 0.9)


@rule("TG309", "a text has a contrast of less than 4.5:1", Severity.WARNING)
def _text_contrast(subject: Sheet) -> Iterator[Broken]:
    seen: set[tuple[object, ...]] = set()
    for line in subject.page.lines:
        near = subject.view.near(line.box)
        looks = {_text_at(subject, line, point, near) for point in line.along(_PARTS)}
        worst, behind = min((contrast(mixed(color, ground, line.opacity), ground), ground) for color, ground in looks)
        key = (line.words, line.color, line.opacity, line.group and line.group[1], behind)
        if worst < _LEAST_OF_TEXTS and key not in seen:
            seen.add(key)
            message = f"text {subject.text(line)} has a contrast of {worst:.1f}:1, less than 4.5:1"
            yield Broken(subject.at(line), message, "a darker text, or a lighter fill behind it")


def _text_at(sheet: Sheet, line: Line, point: Point, near: list[Piece]) -> tuple[Color, Color]:
    """The colour of a text at a point, and the one behind it there; `near` is what lies at the text."""
    behind, seen = sheet.view.behind(point, line.order, near), line.color
    if line.group is not None:
        begin, opacity = line.group
        seen = mixed(seen, sheet.view.behind(point, begin, near), opacity)
    return seen, behind


_LEAST_OF_LINES = 3.0  # WCAG 2.1, 1.4.11


@rule("TG310", "a line has a contrast of less than 3:1", Severity.WARNING)
def _stroke_contrast(subject: Sheet) -> Iterator[Broken]:
    """Lines that carry meaning: those of icons, and borders of areas that are seen without them, are left out, and so
    are lines in the paper's own colour, which are gaps between areas."""
    seen: set[int] = set()
    wider: dict[object, Painted] = {}  # what a line lies on in its whole length
    for path in subject.page.paths:
        if path.stroke is None or path.fill is not None or path.width > HATCH or path.depth > 0 or path.nodes:
            continue
        under, wider[path.lines] = wider.get(path.lines), path
        if path.paint in seen or path.stroke == subject.page.paper:
            continue
        if under is not None and under.stroke is not None and under.width > path.width:
            grounds = [under.stroke]
        else:
            grounds = [subject.view.behind(point, path.order) for point in _points(path)]
        ratios = [contrast(mixed(path.stroke, ground, path.stroke_opacity), ground) for ground in grounds]
        if ratios and max(ratios) < _LEAST_OF_LINES:
            seen.add(path.paint)
            message = f"{subject.thing(path)} has a contrast of {max(ratios):.1f}:1, less than 3:1"
            yield Broken(subject.place(path.where), message, "a darker line, or a lighter area behind it")


def _points(path: Painted) -> list[Point]:
    """The middle of each of its lines."""
    found = []
    for line in path.lines[:8]:
        if len(line) > 1:
            a, b = line[(len(line) - 1) // 2], line[(len(line) - 1) // 2 + 1]
            found.append(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))
    return found


_THINNEST = 0.2  # pt: thinner lines break up in print, and differ from viewer to viewer
_NEARLY = 0.005


@rule("TG324", "a line is thinner than 0.2 pt in print", Severity.WARNING)
def _hairline(subject: Sheet) -> Iterator[Broken]:
    """One finding for each width."""
    thin: dict[float, list[Painted]] = {}
    for path in subject.page.paths:
        width = round(path.width * subject.scale, 2)
        if path.stroke and path.depth == 0 and path.width <= HATCH and width < _THINNEST - _NEARLY:
            thin.setdefault(width, []).append(path)
    for width, paths in thin.items():
        others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        thick = f"{'are' if others else 'is'} {width:g} pt thick, less than {_THINNEST:g} pt"
        message = f"{subject.thing(paths[0])}{others} {thick}"
        yield Broken(subject.of(paths[0]), message, "a thicker line, or a fill without one")
