"""The lines of paths, and of the clips outside which a thing does not show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tikzgen.plane.cubics import cut
from tikzgen.plane.rectangles import Box, Point
from tikzgen.probe.pdf.affine import Matrix, moved
from tikzgen.probe.pdf.asking import Asking

__all__ = ["clips_of", "lines_of", "within"]

_PIECES = 8  # of a curve


def lines_of(page: Asking, segments: Iterator[Any], matrix: Matrix) -> tuple[tuple[Point, ...], ...]:
    """Segments of a path as polygons, curves cut into pieces."""
    pdfium, x, y = page.pdfium, page.x, page.y
    lines: list[list[Point]] = []
    curve: list[Point] = []
    for segment in segments:
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = moved((x.value, y.value), matrix)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO or not lines:
            lines.append([point])
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            lines[-1].append(point)
        else:
            curve.append(point)
            if len(curve) == 3:
                lines[-1] += cut((lines[-1][-1], *curve), _PIECES)[1:]
                curve = []
        if pdfium.FPDFPathSegment_GetClose(segment) and lines[-1][-1] != lines[-1][0]:
            lines[-1].append(lines[-1][0])
    return tuple(tuple(line) for line in lines)


def clips_of(page: Asking, thing: Any, outer: Matrix) -> tuple[tuple[tuple[Point, ...], ...], ...]:
    """The paths that a thing is clipped to."""
    pdfium = page.pdfium
    clip = pdfium.FPDFPageObj_GetClipPath(thing)
    if not clip:
        return ()
    found = []
    for number in range(max(pdfium.FPDFClipPath_CountPaths(clip), 0)):
        count = pdfium.FPDFClipPath_CountPathSegments(clip, number)
        segments = (pdfium.FPDFClipPath_GetPathSegment(clip, number, index) for index in range(count))
        found.append(lines_of(page, segments, outer))
    return tuple(found)


def within(clips: tuple[tuple[tuple[Point, ...], ...], ...]) -> Box | None:
    """The box outside which nothing shows: clips that are no boxes are taken for larger ones."""
    found: Box | None = None
    for clip in clips:
        points = [point for line in clip for point in line]
        if not points:
            return (0.0, 0.0, 0.0, 0.0)
        left, bottom = min(x for x, _ in points), min(y for _, y in points)
        right, top = max(x for x, _ in points), max(y for _, y in points)
        if found is not None:
            left, bottom = max(left, found[0]), max(bottom, found[1])
            right, top = min(right, found[2]), min(top, found[3])
        found = (left, bottom, max(right, left), max(top, bottom))
    return found
