"""Paths of a page: their lines, colours, dashes, and the box that they are clipped to."""

from __future__ import annotations

import ctypes
from typing import Any

from tikzgen.plane.affine import moved, times
from tikzgen.plane.rectangles import Point
from tikzgen.probe.pdf.asking import Asking
from tikzgen.probe.pdf.outside import Outside, clips_of, lines_of, within
from tikzgen.probe.pdf.pdf_data import Drawn

_EVERYWHERE = ((-2e4, -2e4), (2e4, -2e4), (2e4, 2e4), (-2e4, 2e4))  # TeX's pages end at 16384 pt
_WHITE = (1.0, 1.0, 1.0)
_SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0))


def drawn(page: Asking, path: Any, outside: Outside) -> Drawn:
    """A path object."""
    pdfium = page.pdfium
    matrix = times(page.placed(path), outside.matrix)
    fills, strokes = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fills, strokes)
    fill = page.fill_color(path) if fills.value else None
    stroke = page.stroke_color(path) if strokes.value else None
    pdfium.FPDFPageObj_GetStrokeWidth(path, page.x)
    width = page.x.value * abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) ** 0.5
    count = pdfium.FPDFPath_CountSegments(path)
    clips = (*outside.clips, *clips_of(page, path, outside.matrix))
    opaque = all(each is None or each[1] == 1 for each in (fill, stroke))
    patterned = bool(fills.value) and (fill is None or page.is_patterned(path))
    # pdfium says white for what a shading fills, as pgfplots does in forms
    doubtful = fill is not None and fill[0] == _WHITE and outside.is_form
    return Drawn(
        (*outside.marks, *page.marks(path)),
        lines_of(page, (pdfium.FPDFPath_GetPathSegment(path, index) for index in range(count)), matrix),
        stroke and stroke[0],
        None if patterned else fill and fill[0],
        width,
        _dash(page, path),
        within(clips),
        tuple(clip for clip in clips if len(clip) > 1),
        outside.opacity * (stroke[1] if stroke else 1.0),
        outside.opacity * (fill[1] if fill else 1.0),
        outside.shaded or patterned or doubtful or (opaque and bool(fills.value) and page.is_blended(path)),
    )


def shaded(page: Asking, thing: Any, outside: Outside) -> Drawn:
    """A shading, which fills what it is clipped to and all the page without a clip, or an image."""
    pdfium = page.pdfium
    clips = (*outside.clips, *clips_of(page, thing, outside.matrix))
    lines: tuple[tuple[Point, ...], ...] = (_EVERYWHERE,)
    if pdfium.FPDFPageObj_GetType(thing) == pdfium.FPDF_PAGEOBJ_IMAGE:
        matrix = times(page.placed(thing), outside.matrix)
        lines = (tuple(moved(corner, matrix) for corner in _SQUARE),)
    elif clips:
        lines = min(clips, key=_extent)
    marks = (*outside.marks, *page.marks(thing))
    areas = tuple(clip for clip in clips if len(clip) > 1)
    return Drawn(marks, lines, None, None, 0.0, 1.0, within(clips), areas, shaded=True)


def _extent(clip: tuple[tuple[Point, ...], ...]) -> float:
    """How large the box around a clip is."""
    points = [point for line in clip for point in line]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return (max(xs) - min(xs)) * (max(ys) - min(ys)) if points else 0.0


def _dash(page: Asking, path: Any) -> float:
    """The part of a dashed stroke that is drawn; 1 where it is solid."""
    count = page.pdfium.FPDFPageObj_GetDashCount(path)
    if count <= 0:
        return 1.0
    lengths = (ctypes.c_float * count)()
    page.pdfium.FPDFPageObj_GetDashArray(path, lengths, count)
    total = sum(lengths)
    return sum(lengths[::2]) / total if total and count % 2 == 0 else 0.5
