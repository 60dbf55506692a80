"""How far what two engines draw of one figure is apart: the points of its paths, and where its texts begin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from math import dist, floor

from tikzgen.plane.rectangles import Point
from tikzgen.probe.page_data import Page, Where

FAR = 1.0
"""pt: what has nothing this near is far away."""

_AROUND = (-1, 0, 1)  # cells of this size: what is nearer lies in one beside
_Ink = list[tuple[Point, Where]]


def ink_apart(ours: Page, theirs: Page, least: float) -> tuple[str, float, Where] | None:
    """What is farther apart than `least` pt, a path or else a text, how far (`FAR` at most), and what draws it."""
    for what, ink in (("a path", _points), ("a line of text", _beginnings)):
        pairs = ((ours, theirs), (theirs, ours))
        far, where = max((_loneliest(ink(one), ink(other, True)) for one, other in pairs), key=lambda each: each[0])
        if where is not None and far > least:
            return what, far, where
    return None


def _points(page: Page, every: bool = False) -> _Ink:
    """The points of paths, but for the rules inside texts, which pdfTeX makes lines where they are thin."""
    return [(point, path.where) for path in page.paths if every or path.whole for line in path.lines for point in line]


def _beginnings(page: Page, every: bool = False) -> _Ink:
    return [(line.origin, line.where) for line in page.lines]


def _loneliest(some: _Ink, others: _Ink) -> tuple[float, Where | None]:
    """How far from all others the loneliest of some points is, and what draws it."""
    cells: dict[tuple[int, int], list[Point]] = defaultdict(list)
    for point, _ in others:
        cells[floor(point[0]), floor(point[1])].append(point)

    def alone(point: Point) -> float:
        x, y = floor(point[0]), floor(point[1])
        near: Iterable[Point] = (each for i in _AROUND for j in _AROUND for each in cells.get((x + i, y + j), ()))
        return min(FAR, min((dist(point, each) for each in near), default=FAR))

    return max(((alone(point), where) for point, where in some), key=lambda each: each[0], default=(0.0, None))
