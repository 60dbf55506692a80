"""Paths of a page: their lines, colours, dashes, and the box that they are clipped to."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from tikzgen.geometry.data import Box, Point
from tikzgen.geometry.pdf.affine import Matrix, bent, moved, times
from tikzgen.geometry.pdf.asking import Asking
from tikzgen.geometry.pdf.data import Drawn

__all__ = ["drawn"]


def drawn(page: Asking, path: Any, outer: Matrix, around: tuple[str, ...]) -> Drawn:
    """A path object; `outer` maps what it stands in to the page, `around` are the marks there."""
    pdfium = page.pdfium
    matrix = times(page.placed(path), outer)
    fills, strokes = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fills, strokes)
    fill = page.fill_color(path) if fills.value else None
    stroke = page.stroke_color(path) if strokes.value else None
    pdfium.FPDFPageObj_GetStrokeWidth(path, page.x)
    width = page.x.value * abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) ** 0.5
    count = pdfium.FPDFPath_CountSegments(path)
    clips = _clips(page, path, outer)
    return Drawn(
        (*around, *page.marks(path)),
        _lines(page, (pdfium.FPDFPath_GetPathSegment(path, index) for index in range(count)), matrix),
        stroke and stroke[0],
        fill and fill[0],
        width,
        _dash(page, path),
        all(each is None or each[1] for each in (fill, stroke)),
        _within(clips),
        tuple(clip for clip in clips if len(clip) > 1),
    )


def _lines(page: Asking, segments: Iterator[Any], matrix: Matrix) -> tuple[tuple[Point, ...], ...]:
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
                lines[-1] += bent(lines[-1][-1], *curve)
                curve = []
        if pdfium.FPDFPathSegment_GetClose(segment) and lines[-1][-1] != lines[-1][0]:
            lines[-1].append(lines[-1][0])
    return tuple(tuple(line) for line in lines)


def _dash(page: Asking, path: Any) -> float:
    """The part of a dashed stroke that is drawn; 1 where it is solid."""
    count = page.pdfium.FPDFPageObj_GetDashCount(path)
    if count <= 0:
        return 1.0
    lengths = (ctypes.c_float * count)()
    page.pdfium.FPDFPageObj_GetDashArray(path, lengths, count)
    total = sum(lengths)
    return sum(lengths[::2]) / total if total and count % 2 == 0 else 0.5


def _clips(page: Asking, thing: Any, outer: Matrix) -> tuple[tuple[tuple[Point, ...], ...], ...]:
    """The paths that a thing is clipped to."""
    pdfium = page.pdfium
    clip = pdfium.FPDFPageObj_GetClipPath(thing)
    if not clip:
        return ()
    found = []
    for number in range(max(pdfium.FPDFClipPath_CountPaths(clip), 0)):
        count = pdfium.FPDFClipPath_CountPathSegments(clip, number)
        segments = (pdfium.FPDFClipPath_GetPathSegment(clip, number, index) for index in range(count))
        found.append(_lines(page, segments, outer))
    return tuple(found)


def _within(clips: tuple[tuple[tuple[Point, ...], ...], ...]) -> Box | None:
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
