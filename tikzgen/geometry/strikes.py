"""Strokes that pass through a line of text, and are seen doing so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot

from tikzgen.geometry.data import Line, Painted
from tikzgen.geometry.shapes import chord, meet, shrunk
from tikzgen.geometry.subject import Sheet
from tikzgen.geometry.view import HATCH
from tikzgen.geometry.vision import contrast

__all__ = ["Strike", "strikes"]

_TOUCH = 0.35  # pt: ink that a stroke comes this near to is touched at its edge only
_LEAST = 0.8  # pt: less of a stroke than this is no strike
_SEEN = 1.12  # contrast: a stroke with less is not seen


@dataclass(frozen=True, slots=True)
class Strike:
    """A path through a line of text: `length` of its stroke in pt lies in the text's ink."""

    line: Line
    path: Painted
    length: float


def strikes(sheet: Sheet, *, of_nodes: bool) -> Iterator[Strike]:
    """Lines of text that are struck by the borders of other nodes, or else by paths: each pair once."""
    for line in sheet.page.lines:
        found: dict[int, Strike] = {}
        for piece in sheet.view.near(line.box):
            path = piece.path
            if path.stroke is None or path.width > HATCH or bool(path.nodes) is not of_nodes or _own(line, path):
                continue
            if path.clip is not None and not meet(path.clip, line.box):
                continue
            length = _length(sheet, line, path, piece.lines)
            if length > _LEAST:
                before = found.get(path.paint)
                found[path.paint] = Strike(line, path, length + (before.length if before else 0.0))
        yield from found.values()


def _own(line: Line, path: Painted) -> bool:
    """Whether a path belongs to what the text stands in: its box, its icon."""
    return any(node in line.nodes for node in path.nodes) or (line.depth > 0 and path.depth >= line.depth)


def _length(sheet: Sheet, line: Line, path: Painted, lines: tuple[tuple[tuple[float, float], ...], ...]) -> float:
    ink = shrunk(line.corners, _TOUCH)
    length = 0.0
    for points in lines:
        for a, b in zip(points, points[1:], strict=False):
            inside = chord(a, b, ink)
            if inside is None:
                continue
            (ax, ay), (bx, by) = inside
            middle = ((ax + bx) / 2, (ay + by) / 2)
            if path.clip is not None and not meet(path.clip, (*middle, *middle)):
                continue
            if path.order < line.order and sheet.view.covered(middle, path.order, line.order):
                continue
            assert path.stroke is not None
            if contrast(path.stroke, sheet.view.behind(middle, path.order)) < _SEEN:
                continue
            length += hypot(bx - ax, by - ay)
    return length
