"""What stands on a PDF's pages, in the order of painting: paths and runs of text with the marks around them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tikzgen.errors import TikzgenError
from tikzgen.geometry.data import Box, Color, Point
from tikzgen.tex.pdf import PT_PER_BP

__all__ = ["Drawn", "Run", "Sheet", "open_sheets"]

_PIECES = 8
_LEAP = 0.22  # of the size: what is further apart may be a text of its own
_Matrix = tuple[float, float, float, float, float, float]
_UPRIGHT: _Matrix = (PT_PER_BP, 0.0, 0.0, PT_PER_BP, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A path; `clip` is a box without area where nothing of it shows."""

    marks: tuple[str, ...]
    lines: tuple[tuple[Point, ...], ...]
    stroke: Color | None
    fill: Color | None
    width: float
    dash: float
    opaque: bool
    clip: Box | None


@dataclass(frozen=True, slots=True)
class Run:
    """Text that was set in one go: the corners of its ink, its origin and direction on the page, its size in pt."""

    marks: tuple[str, ...]
    words: str
    corners: tuple[Point, Point, Point, Point]
    origin: Point
    direction: Point
    size: float
    color: Color


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page, its size in pt."""

    width: float
    height: float
    things: tuple[Drawn | Run, ...]


def open_sheets(pdf: bytes) -> list[Sheet]:
    """Every page of a PDF. `TikzgenError` where pypdfium2 is not installed, or the PDF cannot be read."""
    try:
        import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
    except ImportError:
        hint = 'install it: python -m pip install "tikzgen[png]"'
        raise TikzgenError("pypdfium2 is not installed, and geometry is read with it", hint=hint) from None
    pdfium.FPDF_InitLibrary()
    document = pdfium.FPDF_LoadMemDocument64(pdf, len(pdf), None)
    if not document:
        raise TikzgenError("the PDF cannot be read")
    try:
        return [_sheet(pdfium, document, number) for number in range(pdfium.FPDF_GetPageCount(document))]
    finally:
        pdfium.FPDF_CloseDocument(document)


def _sheet(pdfium: ModuleType, document: Any, number: int) -> Sheet:
    with _Reader.opened(pdfium, document, number) as reader:
        count = pdfium.FPDFPage_CountObjects(reader.page)
        objects = (pdfium.FPDFPage_GetObject(reader.page, index) for index in range(count))
        things = [thing for each in objects for thing in reader.things(each, _UPRIGHT, ())]
        width, height = pdfium.FPDF_GetPageWidthF(reader.page), pdfium.FPDF_GetPageHeightF(reader.page)
    return Sheet(width * PT_PER_BP, height * PT_PER_BP, tuple(things))


class _Reader:
    """Asks pdfium about the objects of a page; the variables that it answers into are made once."""

    def __init__(self, pdfium: ModuleType, page: Any, text: Any) -> None:
        self.pdfium = pdfium
        self.page = page
        self.text = text
        self.x, self.y = ctypes.c_float(), ctypes.c_float()
        self.rgba = [ctypes.c_uint() for _ in range(4)]
        self.chars = (ctypes.c_ushort * 1024)()
        self.length = ctypes.c_ulong()
        self.matrix = pdfium.FS_MATRIX()
        self.quad = pdfium.FS_QUADPOINTSF()
        self._signs: dict[int, list[int]] | None = None

    @classmethod
    @contextmanager
    def opened(cls, pdfium: ModuleType, document: Any, number: int) -> Iterator[_Reader]:
        page = pdfium.FPDF_LoadPage(document, number)
        text = pdfium.FPDFText_LoadPage(page)
        try:
            yield cls(pdfium, page, text)
        finally:
            pdfium.FPDFText_ClosePage(text)
            pdfium.FPDF_ClosePage(page)

    def things(self, thing: Any, outer: _Matrix, around: tuple[str, ...]) -> Iterator[Drawn | Run]:
        """What an object of the page is, a form's contents one by one."""
        pdfium = self.pdfium
        kind = pdfium.FPDFPageObj_GetType(thing)
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            yield self._drawn(thing, outer, around)
        elif kind == pdfium.FPDF_PAGEOBJ_TEXT:
            yield from self._run(thing, outer, around)
        elif kind == pdfium.FPDF_PAGEOBJ_FORM:
            inner = _times(self._placed(thing), outer)
            marks = (*around, *self._marks(thing))
            for index in range(pdfium.FPDFFormObj_CountObjects(thing)):
                yield from self.things(pdfium.FPDFFormObj_GetObject(thing, index), inner, marks)

    def _marks(self, thing: Any) -> tuple[str, ...]:
        found = []
        for index in range(self.pdfium.FPDFPageObj_CountMarks(thing)):
            mark = self.pdfium.FPDFPageObj_GetMark(thing, index)
            self.pdfium.FPDFPageObjMark_GetName(mark, self.chars, 2048, self.length)
            found.append(self._words(self.length.value))
        return tuple(found)

    def _words(self, length: int) -> str:
        return bytes(self.chars)[: max(length - 2, 0)].decode("utf-16-le", "replace")

    def _placed(self, thing: Any) -> _Matrix:
        self.pdfium.FPDFPageObj_GetMatrix(thing, self.matrix)
        found = self.matrix
        return found.a, found.b, found.c, found.d, found.e, found.f

    def _color(self, ask: Any, thing: Any) -> tuple[Color, bool] | None:
        if not ask(thing, *self.rgba):
            return None
        red, green, blue, alpha = (part.value / 255 for part in self.rgba)
        return (red, green, blue), alpha == 1

    def _drawn(self, path: Any, outer: _Matrix, around: tuple[str, ...]) -> Drawn:
        pdfium = self.pdfium
        matrix = _times(self._placed(path), outer)
        fills, strokes = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDFPath_GetDrawMode(path, fills, strokes)
        fill = self._color(pdfium.FPDFPageObj_GetFillColor, path) if fills.value else None
        stroke = self._color(pdfium.FPDFPageObj_GetStrokeColor, path) if strokes.value else None
        pdfium.FPDFPageObj_GetStrokeWidth(path, self.x)
        width = self.x.value * abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) ** 0.5
        count = pdfium.FPDFPath_CountSegments(path)
        lines = self._lines((pdfium.FPDFPath_GetPathSegment(path, index) for index in range(count)), matrix)
        return Drawn(
            (*around, *self._marks(path)),
            lines,
            stroke and stroke[0],
            fill and fill[0],
            width,
            self._dash(path),
            all(each is None or each[1] for each in (fill, stroke)),
            self._clip(path, outer),
        )

    def _lines(self, segments: Iterator[Any], matrix: _Matrix) -> tuple[tuple[Point, ...], ...]:
        pdfium, x, y = self.pdfium, self.x, self.y
        lines: list[list[Point]] = []
        curve: list[Point] = []
        for segment in segments:
            pdfium.FPDFPathSegment_GetPoint(segment, x, y)
            point = _moved((x.value, y.value), matrix)
            kind = pdfium.FPDFPathSegment_GetType(segment)
            if kind == pdfium.FPDF_SEGMENT_MOVETO or not lines:
                lines.append([point])
            elif kind == pdfium.FPDF_SEGMENT_LINETO:
                lines[-1].append(point)
            else:
                curve.append(point)
                if len(curve) == 3:
                    lines[-1] += _bent(lines[-1][-1], *curve)
                    curve = []
            if pdfium.FPDFPathSegment_GetClose(segment) and lines[-1][-1] != lines[-1][0]:
                lines[-1].append(lines[-1][0])
        return tuple(tuple(line) for line in lines)

    def _dash(self, path: Any) -> float:
        """The part of a dashed stroke that is drawn; 1 where it is solid."""
        count = self.pdfium.FPDFPageObj_GetDashCount(path)
        if count <= 0:
            return 1.0
        lengths = (ctypes.c_float * count)()
        self.pdfium.FPDFPageObj_GetDashArray(path, lengths, count)
        total = sum(lengths)
        return sum(lengths[::2]) / total if total and count % 2 == 0 else 0.5

    def _clip(self, thing: Any, outer: _Matrix) -> Box | None:
        """The box outside which the path does not show: clips that are no boxes are taken for larger ones."""
        pdfium = self.pdfium
        clip = pdfium.FPDFPageObj_GetClipPath(thing)
        if not clip:
            return None
        found: Box | None = None
        for number in range(max(pdfium.FPDFClipPath_CountPaths(clip), 0)):
            count = pdfium.FPDFClipPath_CountPathSegments(clip, number)
            segments = (pdfium.FPDFClipPath_GetPathSegment(clip, number, index) for index in range(count))
            points = [point for line in self._lines(segments, outer) for point in line]
            if not points:
                return (0.0, 0.0, 0.0, 0.0)
            left, bottom = min(x for x, _ in points), min(y for _, y in points)
            right, top = max(x for x, _ in points), max(y for _, y in points)
            if found is not None:
                left, bottom = max(left, found[0]), max(bottom, found[1])
                right, top = min(right, found[2]), min(top, found[3])
            found = (left, bottom, max(right, left), max(top, bottom))
        return found

    def _run(self, text: Any, outer: _Matrix, around: tuple[str, ...]) -> Iterator[Run]:
        pdfium = self.pdfium
        length = pdfium.FPDFTextObj_GetText(text, self.text, self.chars, 2048)
        words = self._words(length)
        if not words.strip() or not pdfium.FPDFPageObj_GetRotatedBounds(text, self.quad):
            return
        marks = self._marks(text)
        matrix = _times(self._placed(text), outer)
        quad = self.quad
        corners = [(quad.x1, quad.y1), (quad.x2, quad.y2), (quad.x3, quad.y3), (quad.x4, quad.y4)]
        pdfium.FPDFTextObj_GetFontSize(text, self.x)
        across = (matrix[2] ** 2 + matrix[3] ** 2) ** 0.5
        along = (matrix[0] ** 2 + matrix[1] ** 2) ** 0.5 or 1.0
        size = self.x.value * across
        color = self._color(pdfium.FPDFPageObj_GetFillColor, text)
        direction = (matrix[0] / along, matrix[1] / along)
        for part, quadrilateral, origin in self._parts(text, words.strip(), corners, direction, size):
            one, two, three, four = (_moved(corner, outer) for corner in quadrilateral)
            begin = _moved(origin, outer) if origin else (matrix[4], matrix[5])
            rgb = color[0] if color else (0.0, 0.0, 0.0)
            yield Run((*around, *marks), part, (one, two, three, four), begin, direction, size, rgb)

    def _parts(
        self, text: Any, words: str, corners: list[Point], direction: Point, size: float
    ) -> Iterator[tuple[str, list[Point], Point | None]]:
        """A run, cut where it leaps: TeX sets a row of labels in one go, however far they are apart."""
        upright = abs(direction[1]) < 1e-3 and direction[0] > 0
        upwards = abs(direction[0]) < 1e-3
        if len(words) < 2 or not (upright or upwards):
            yield words, corners, None
            return
        signs = self._boxes(text)
        leap = _LEAP * size / PT_PER_BP
        parts: list[list[tuple[str, Box, Point]]] = []
        axis, sense = (0, 1) if upright else (1, 1 if direction[1] > 0 else -1)
        for sign in signs:
            if parts and _ahead(parts[-1][-1][1], sign[1], axis, sense) < leap:
                parts[-1].append(sign)
            else:
                parts.append([sign])
        if len(parts) < 2:
            yield words, corners, None
            return
        for part in parts:
            left, bottom = min(box[0] for _, box, _ in part), min(box[1] for _, box, _ in part)
            right, top = max(box[2] for _, box, _ in part), max(box[3] for _, box, _ in part)
            around = [(left, bottom), (right, bottom), (right, top), (left, top)]
            if upwards:
                around = [*around[1:], around[0]] if sense > 0 else [around[3], *around[:3]]
            yield "".join(sign for sign, _, _ in part), around, part[0][2]

    def _boxes(self, text: Any) -> list[tuple[str, Box, Point]]:
        """The signs of a text object, each with the box of its ink and its origin."""
        pdfium = self.pdfium
        if self._signs is None:
            self._signs = {}
            for index in range(max(pdfium.FPDFText_CountChars(self.text), 0)):
                owner = ctypes.cast(pdfium.FPDFText_GetTextObject(self.text, index), ctypes.c_void_p).value
                self._signs.setdefault(owner or 0, []).append(index)
        owner = ctypes.cast(text, ctypes.c_void_p).value or 0
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        found = []
        for index in self._signs.get(owner, ()):
            sign = chr(pdfium.FPDFText_GetUnicode(self.text, index) or 0xFFFD)
            if sign.isspace() or pdfium.FPDFText_IsGenerated(self.text, index) == 1:
                continue
            pdfium.FPDFText_GetCharBox(self.text, index, left, right, bottom, top)
            box = (left.value, bottom.value, right.value, top.value)
            pdfium.FPDFText_GetCharOrigin(self.text, index, left, bottom)
            found.append((sign, box, (left.value, bottom.value)))
        return found


def _ahead(before: Box, after: Box, axis: int, sense: int) -> float:
    """How far the next sign's ink begins after the last one's ends, in reading direction."""
    return after[axis] - before[axis + 2] if sense > 0 else before[axis] - after[axis + 2]


def _times(inner: _Matrix, outer: _Matrix) -> _Matrix:
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def _moved(point: Point, matrix: _Matrix) -> Point:
    x, y = point
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _bent(start: Point, one: Point, two: Point, end: Point) -> list[Point]:
    """A Bézier curve in straight pieces, without its start."""
    points = []
    for step in range(1, _PIECES + 1):
        t = step / _PIECES
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        x = a * start[0] + b * one[0] + c * two[0] + d * end[0]
        points.append((x, a * start[1] + b * one[1] + c * two[1] + d * end[1]))
    return points
