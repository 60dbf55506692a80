"""Texts of a page: runs of signs with the corners of their ink."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from tikzgen.base.record import Record
from tikzgen.plane.affine import moved, times
from tikzgen.plane.rectangles import Box, Point
from tikzgen.plane.units import PT_PER_BP
from tikzgen.probe.pdf import Run
from tikzgen.probe.pdf.asking import Asking
from tikzgen.probe.pdf.outside import Outside, clips_of, within

_LEAP = 0.06  # of the size: what is further from the sign before than kerns are may be a text of its own
_Corners = tuple[Point, Point, Point, Point]


class _Sign(Record):
    """A sign, the box of its ink, its origin, and the box that it takes in its line."""

    sign: str
    box: Box
    origin: Point
    room: Box


def runs(page: Asking, text: Any, outside: Outside) -> Iterator[Run]:
    """A text object, as several runs where it leaps."""
    pdfium, quad, outer = page.pdfium, page.quad, outside.matrix
    words = page.words(text).strip()
    if not words or not pdfium.FPDFPageObj_GetRotatedBounds(text, quad):
        return
    corners = ((quad.x1, quad.y1), (quad.x2, quad.y2), (quad.x3, quad.y3), (quad.x4, quad.y4))
    matrix = times(page.placed(text), outer)
    pdfium.FPDFTextObj_GetFontSize(text, page.x)
    size = page.x.value * (matrix[2] ** 2 + matrix[3] ** 2) ** 0.5
    along = (matrix[0] ** 2 + matrix[1] ** 2) ** 0.5 or 1.0
    direction = (matrix[0] / along, matrix[1] / along)
    marks = (*outside.marks, *page.marks(text))
    color = page.fill_color(text)
    rgb, opacity = color or ((0.0, 0.0, 0.0), 1.0)
    clip = within((*outside.clips, *clips_of(page, text, outer)))
    for number, (part, quadrilateral, origin) in enumerate(_parts(page, text, words, corners, direction, size)):
        one, two, three, four = (moved(corner, outer) for corner in quadrilateral)
        begin = moved(origin, outer) if origin else (matrix[4], matrix[5])
        yield Run(
            marks,
            part,
            (one, two, three, four),
            begin,
            direction,
            size,
            rgb,
            number > 0,
            opacity,
            clip,
            outside.group,
            outside.opacity,
        )


def _parts(
    page: Asking, text: Any, words: str, corners: _Corners, direction: Point, size: float
) -> Iterator[tuple[str, _Corners, Point | None]]:
    """A run, cut where it leaps: TeX sets a row of labels in one go, however far they are apart."""
    upright = abs(direction[1]) < 1e-3 and direction[0] > 0
    upwards = abs(direction[0]) < 1e-3
    if len(words) < 2 or not (upright or upwards):
        yield words, corners, None
        return
    axis, sense = (0, 1) if upright else (1, 1 if direction[1] > 0 else -1)
    parts: list[list[_Sign]] = []
    for sign in _signs(page, text):
        if parts and _ahead(parts[-1][-1].room, sign.room, axis, sense) < _LEAP * size / PT_PER_BP:
            parts[-1].append(sign)
        else:
            parts.append([sign])
    if len(parts) < 2:
        yield words, corners, None
        return
    for part in parts:
        yield "".join(each.sign for each in part), _around(part, upwards, sense), part[0].origin


def _around(signs: list[_Sign], upwards: bool, sense: int) -> _Corners:
    """The corners of their ink, from the lower left in reading direction."""
    left, bottom = min(each.box[0] for each in signs), min(each.box[1] for each in signs)
    right, top = max(each.box[2] for each in signs), max(each.box[3] for each in signs)
    one, two, three, four = (left, bottom), (right, bottom), (right, top), (left, top)
    if not upwards:
        return one, two, three, four
    return (two, three, four, one) if sense > 0 else (four, one, two, three)


def _signs(page: Asking, text: Any) -> Iterator[_Sign]:
    """The signs of a text object, each with the box of its ink and its origin."""
    pdfium = page.pdfium
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    loose = pdfium.FS_RECTF()
    for index in page.signs(text):
        sign = chr(pdfium.FPDFText_GetUnicode(page.text, index) or 0xFFFD)
        if sign.isspace() or pdfium.FPDFText_IsGenerated(page.text, index) == 1:
            continue
        pdfium.FPDFText_GetCharBox(page.text, index, left, right, bottom, top)
        box = (left.value, bottom.value, right.value, top.value)
        pdfium.FPDFText_GetCharOrigin(page.text, index, left, bottom)
        pdfium.FPDFText_GetLooseCharBox(page.text, index, loose)
        room = (loose.left, loose.bottom, loose.right, loose.top)
        yield _Sign(sign, box, (left.value, bottom.value), room)


def _ahead(before: Box, after: Box, axis: int, sense: int) -> float:
    """How far the next sign begins after the last one ends, in reading direction."""
    return after[axis] - before[axis + 2] if sense > 0 else before[axis] - after[axis + 2]
