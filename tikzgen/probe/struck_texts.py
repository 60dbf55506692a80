"""Strokes that pass through a line of text, and are seen doing so."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import hypot

from tikzgen.base.record import Record
from tikzgen.model.vision import contrast, mixed
from tikzgen.plane.polygons import chord, shrunk
from tikzgen.plane.rectangles import Box, Point, grown, is_within, surround, touch
from tikzgen.probe.page_data import Line, Painted
from tikzgen.probe.sheet import Sheet
from tikzgen.probe.view import HATCH

_TOUCH = 0.0  # pt: how deep a stroke's edge has to be in the box of the ink
_FRAME = 3.0  # pt: what is drawn around a node is this near
_THICK = HATCH / 2
_LEAST = 0.5  # pt: less of a stroke than this is no strike
_SEEN = 1.12  # contrast: a stroke with less is not seen


class Strike(Record):
    """A path through a line of text: `length` of its stroke in pt lies in the text's ink."""

    line: Line
    path: Painted
    length: float


def strikes(sheet: Sheet, *, of_nodes: bool) -> Iterator[Strike]:
    """Lines of text that are struck by the borders of other nodes, or else by paths: each pair once.

    A text that reaches beyond its own box is left to the rule that says so (TG305).
    """
    seen: set[tuple[int, int]] = set()
    for line in sheet.page.lines:
        if line.order in sheet.wide:
            continue
        found: dict[int, Strike] = {}
        for piece in sheet.view.near(grown(line.box, _THICK)):
            path = piece.path
            if (
                path.stroke is None
                or path.width > HATCH
                or bool(path.nodes) is not of_nodes
                or belongs(sheet, line, path)
            ):
                continue
            if path.clip is not None and not touch(path.clip, line.box):
                continue
            length = _length(sheet, line, path, piece.lines)
            if length > _LEAST:
                before = found.get(path.paint)
                found[path.paint] = Strike(line, path, length + (before.length if before else 0.0))
        for strike in found.values():
            if line.text is not None:  # a letter of a text on a path
                if (line.text, strike.path.paint) in seen:
                    continue
                seen.add((line.text, strike.path.paint))
            yield strike


def belongs(sheet: Sheet, line: Line, path: Painted) -> bool:
    """Whether a path belongs to what the text stands in: its box, its icon, the cross over an icon that failed."""
    if any(node in line.nodes for node in path.nodes):
        return True
    if line.depth == 0:
        return False
    outer = sheet.view.nodes.get(line.nodes[0]) if line.nodes else None
    return path.depth >= line.depth or (outer is not None and _lies_in(path.box, outer.border))


def _lies_in(box: Box, border: tuple[Point, ...]) -> bool:
    return is_within(box, grown(surround(border), _FRAME))


def _length(sheet: Sheet, line: Line, path: Painted, lines: tuple[tuple[tuple[float, float], ...], ...]) -> float:
    ink = shrunk(line.corners, _TOUCH - path.width / 2)
    length = 0.0
    for points in lines:
        for a, b in pairwise(points):
            inside = chord(a, b, ink)
            if inside is None:
                continue
            (ax, ay), (bx, by) = inside
            middle = ((ax + bx) / 2, (ay + by) / 2)
            if path.clip is not None and not touch(path.clip, (*middle, *middle)):
                continue
            if path.order < line.order and sheet.view.covered(middle, path.order, line.order):
                continue
            assert path.stroke is not None
            behind = sheet.view.behind(middle, path.order)
            if contrast(mixed(path.stroke, behind, path.stroke_opacity), behind) < _SEEN:
                continue
            length += hypot(bx - ax, by - ay)
    return length
