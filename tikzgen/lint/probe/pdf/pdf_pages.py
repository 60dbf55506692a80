"""Pages of a PDF, read object by object: paths, shadings, and runs of text with their ink."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from tikzgen.base.errors import TikzgenError
from tikzgen.base.extras import how_to_install
from tikzgen.base.plane import PT_PER_BP, Box, Point, compose_matrices, compute_bounding_box, map_point
from tikzgen.base.record import Record
from tikzgen.compile.pdf import PDF_LOCK
from tikzgen.lint.probe.marked_page import Marked, MarkedPage, MarkedPath, MarkedText, clip_box, group_items
from tikzgen.lint.probe.page_data import MOST_PIXELS, Raster
from tikzgen.lint.probe.pdf.pdf_objects import OpenPage, Outside, clips_of, lines_of

_FORM_LIMIT = 64  # forms within forms; TeX's are one or two deep


def read_pdf(pdf: bytes) -> list[MarkedPage]:
    """Return every page of a PDF.

    Raise `TikzgenError` for an unreadable PDF, and without pypdfium2. For an untrusted PDF, use
    `tikzgen.lint.probe.pdf.read_apart`.
    """
    pdfium = find_pdfium()
    with PDF_LOCK:
        pdfium.FPDF_InitLibrary()
        document = pdfium.FPDF_LoadMemDocument64(pdf, len(pdf), None)
        if not document:
            raise TikzgenError("the PDF cannot be read")
        try:
            return [_read_page(pdfium, document, number) for number in range(pdfium.FPDF_GetPageCount(document))]
        finally:
            pdfium.FPDF_CloseDocument(document)


def find_pdfium() -> ModuleType:
    """Return the module that reads PDFs. Raise `TikzgenError` with installation advice if it is missing."""
    try:
        import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
    except ImportError:
        missing = "pypdfium2 is not installed, and geometry is read with it"
        raise TikzgenError(missing, hint=how_to_install("png")) from None
    found: ModuleType = pdfium
    return found


def _read_page(pdfium: ModuleType, document: Any, number: int) -> MarkedPage:
    with OpenPage.open_page(pdfium, document, number) as page:
        count = pdfium.FPDFPage_CountObjects(page.page)
        objects = [pdfium.FPDFPage_GetObject(page.page, index) for index in range(count)]
        things: list[Marked] = []
        for each in objects:
            _collect(page, each, Outside(), things)
        width, height = pdfium.FPDF_GetPageWidthF(page.page), pdfium.FPDF_GetPageHeightF(page.page)
        is_shaded = any(isinstance(thing, MarkedPath) and thing.shaded for thing in things)
        raster = without_texts(page, objects, width, height) if is_shaded else None
    return MarkedPage(width * PT_PER_BP, height * PT_PER_BP, tuple(things), raster)


def _collect(page: OpenPage, thing: Any, outside: Outside, found: list[Marked], depth: int = 0) -> None:
    """Append an object of the page to `found`; for a form, append its contents recursively."""
    pdfium = page.pdfium
    kind = pdfium.FPDFPageObj_GetType(thing)
    if kind == pdfium.FPDF_PAGEOBJ_PATH:
        found.append(mark_path(page, thing, outside))
    elif kind == pdfium.FPDF_PAGEOBJ_TEXT:
        found += read_runs(page, thing, outside)
    elif kind in (pdfium.FPDF_PAGEOBJ_SHADING, pdfium.FPDF_PAGEOBJ_IMAGE):
        found.append(mark_shading(page, thing, outside))
    elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _FORM_LIMIT:
        within = outside.enter_form(page, thing, len(found))
        for index in range(pdfium.FPDFFormObj_CountObjects(thing)):
            _collect(page, pdfium.FPDFFormObj_GetObject(thing, index), within, found, depth + 1)


_WHITE = 0xFFFFFFFF


def without_texts(page: OpenPage, objects: Iterable[Any], width: float, height: float) -> Raster | None:
    """Return an image of the page without labels; None if pdfium is too old to hide them.

    `width` and `height` are in PDF units; the image has at most one pixel per unit. The labels stay hidden in the open
    page.
    """
    pdfium = page.pdfium
    if not hasattr(pdfium, "FPDFPageObj_SetIsActive"):
        return None
    for each in objects:
        _hide_texts(page, each)
    scale = min(1.0, (MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    across, down = max(int(width * scale), 1), max(int(height * scale), 1)
    bitmap = pdfium.FPDFBitmap_Create(across, down, 0)
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, across, down, _WHITE)
        pdfium.FPDF_RenderPageBitmap(bitmap, page.page, 0, 0, across, down, 0, 0)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        pixels = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * down)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return Raster(stride // 4, down, scale / PT_PER_BP, pixels)


def _hide_texts(page: OpenPage, thing: Any) -> None:
    pdfium = page.pdfium
    kind = pdfium.FPDFPageObj_GetType(thing)
    if kind == pdfium.FPDF_PAGEOBJ_TEXT:
        pdfium.FPDFPageObj_SetIsActive(thing, 0)
    elif kind == pdfium.FPDF_PAGEOBJ_FORM:
        for index in range(pdfium.FPDFFormObj_CountObjects(thing)):
            _hide_texts(page, pdfium.FPDFFormObj_GetObject(thing, index))


_WHOLE_PLANE = ((-2e4, -2e4), (2e4, -2e4), (2e4, 2e4), (-2e4, 2e4))  # TeX's pages end at 16384 pt
_PAPER = (1.0, 1.0, 1.0)
_SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0))


def mark_path(page: OpenPage, path: Any, outside: Outside) -> MarkedPath:
    """Return a path object."""
    pdfium = page.pdfium
    matrix = compose_matrices(page.matrix_of(path), outside.matrix)
    fills, strokes = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fills, strokes)
    fill = page.fill_color(path) if fills.value else None
    stroke = page.stroke_color(path) if strokes.value else None
    pdfium.FPDFPageObj_GetStrokeWidth(path, page.x)
    scale = abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) ** 0.5
    width = page.x.value * scale
    count = pdfium.FPDFPath_CountSegments(path)
    clips = (*outside.clips, *clips_of(page, path, outside.matrix))
    dashes = _read_dashes(page, path)
    opaque = all(each is None or each[1] == 1 for each in (fill, stroke))
    patterned = bool(fills.value) and (fill is None or page.is_patterned(path))
    # pdfium reports white for areas that a shading fills, as pgfplots does in forms.
    doubtful = fill is not None and fill[0] == _PAPER and outside.is_form
    return MarkedPath(
        (*outside.marks, *page.read_marks(path)),
        lines_of(page, (pdfium.FPDFPath_GetPathSegment(path, index) for index in range(count)), matrix),
        stroke and stroke[0],
        None if patterned else fill and fill[0],
        width,
        _compute_dash_share(dashes),
        clip_box(clips),
        tuple(clip for clip in clips if len(clip) > 1),
        outside.opacity * (stroke[1] if stroke else 1.0),
        outside.opacity * (fill[1] if fill else 1.0),
        outside.shaded or patterned or doubtful or (opaque and bool(fills.value) and page.is_blended(path)),
        min((*dashes[1::2], *dashes[::2][: len(dashes) % 2]), default=0.0) * scale,
    )


def mark_shading(page: OpenPage, thing: Any, outside: Outside) -> MarkedPath:
    """Return a shading, which fills its clip or the entire page, or an image."""
    pdfium = page.pdfium
    clips = (*outside.clips, *clips_of(page, thing, outside.matrix))
    lines: tuple[tuple[Point, ...], ...] = (_WHOLE_PLANE,)
    if pdfium.FPDFPageObj_GetType(thing) == pdfium.FPDF_PAGEOBJ_IMAGE:
        matrix = compose_matrices(page.matrix_of(thing), outside.matrix)
        lines = (tuple(map_point(corner, matrix) for corner in _SQUARE),)
    elif clips:
        lines = min(clips, key=_measure_clip_area)
    marks = (*outside.marks, *page.read_marks(thing))
    areas = tuple(clip for clip in clips if len(clip) > 1)
    return MarkedPath(marks, lines, None, None, 0.0, 1.0, clip_box(clips), areas, shaded=True)


def _measure_clip_area(clip: tuple[tuple[Point, ...], ...]) -> float:
    """Return the area of the box around a clip."""
    points = [point for line in clip for point in line]
    left, bottom, right, top = compute_bounding_box(points) if points else (0.0, 0.0, 0.0, 0.0)
    return (right - left) * (top - bottom)


def _read_dashes(page: OpenPage, path: Any) -> tuple[float, ...]:
    """Return the lengths of dashes and gaps in turn; empty if the stroke is solid."""
    count = max(page.pdfium.FPDFPageObj_GetDashCount(path), 0)
    lengths = (ctypes.c_float * count)()
    if count:
        page.pdfium.FPDFPageObj_GetDashArray(path, lengths, count)
    return tuple(lengths)


def _compute_dash_share(lengths: tuple[float, ...]) -> float:
    """Return the painted share of a dashed stroke; 1 if it is solid."""
    total = sum(lengths)
    if not lengths:
        return 1.0
    return sum(lengths[::2]) / total if total and len(lengths) % 2 == 0 else 0.5


_KERN_LIMIT = 0.06  # of the size: a larger gap than a kern may separate two labels
_Corners = tuple[Point, Point, Point, Point]


class _Sign(Record):
    """A glyph: its character, the box of its ink, its origin, and its box in the line."""

    sign: str
    box: Box
    origin: Point
    room: Box


def read_runs(page: OpenPage, text: Any, outside: Outside) -> Iterator[MarkedText]:
    """Yield the runs of a PDF text object, which is split at gaps."""
    pdfium, quad, outer = page.pdfium, page.quad, outside.matrix
    words = page.text_of(text).strip()
    if not words or not pdfium.FPDFPageObj_GetRotatedBounds(text, quad):
        return
    corners = ((quad.x1, quad.y1), (quad.x2, quad.y2), (quad.x3, quad.y3), (quad.x4, quad.y4))
    matrix = compose_matrices(page.matrix_of(text), outer)
    pdfium.FPDFTextObj_GetFontSize(text, page.x)
    size = page.x.value * (matrix[2] ** 2 + matrix[3] ** 2) ** 0.5
    along = (matrix[0] ** 2 + matrix[1] ** 2) ** 0.5 or 1.0
    direction = (matrix[0] / along, matrix[1] / along)
    marks = (*outside.marks, *page.read_marks(text))
    color = page.fill_color(text)
    rgb, opacity = color or ((0.0, 0.0, 0.0), 1.0)
    clip = clip_box((*outside.clips, *clips_of(page, text, outer)))
    for number, (part, quadrilateral, origin) in enumerate(_split_run(page, text, words, corners, direction, size)):
        one, two, three, four = (map_point(corner, outer) for corner in quadrilateral)
        begin = map_point(origin, outer) if origin else (matrix[4], matrix[5])
        yield MarkedText(
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
            page.find_font(text),
        )


def _split_run(
    page: OpenPage, text: Any, words: str, corners: _Corners, direction: Point, size: float
) -> Iterator[tuple[str, _Corners, Point | None]]:
    """Yield the parts of a run, split at gaps: TeX sets a row of labels as one run at any distance."""
    upright = abs(direction[1]) < 1e-3 and direction[0] > 0
    upwards = abs(direction[0]) < 1e-3
    if len(words) < 2 or not (upright or upwards):
        yield words, corners, None
        return
    axis, sense = (0, 1) if upright else (1, 1 if direction[1] > 0 else -1)

    def goes_on(part: list[_Sign], sign: _Sign) -> bool:
        return _measure_gap(part[-1].room, sign.room, axis, sense) < _KERN_LIMIT * size / PT_PER_BP

    parts = list(group_items(_read_glyphs(page, text), goes_on))
    if len(parts) < 2:
        yield words, corners, None
        return
    for part in parts:
        yield "".join(each.sign for each in part), _surround_glyphs(part, upwards, sense), part[0].origin


def _surround_glyphs(signs: list[_Sign], upwards: bool, sense: int) -> _Corners:
    """Return the corners of their ink, from the lower left in reading direction."""
    left, bottom, right, top = compute_bounding_box(
        [corner for each in signs for corner in (each.box[:2], each.box[2:])]
    )
    one, two, three, four = (left, bottom), (right, bottom), (right, top), (left, top)
    if not upwards:
        return one, two, three, four
    return (two, three, four, one) if sense > 0 else (four, one, two, three)


def _read_glyphs(page: OpenPage, text: Any) -> Iterator[_Sign]:
    """Yield the glyphs of an object, each with the box of its ink and its origin."""
    pdfium = page.pdfium
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    loose = pdfium.FS_RECTF()
    for index in page.glyphs_of(text):
        sign = chr(pdfium.FPDFText_GetUnicode(page.text, index) or 0xFFFD)
        if sign.isspace() or pdfium.FPDFText_IsGenerated(page.text, index) == 1:
            continue
        pdfium.FPDFText_GetCharBox(page.text, index, left, right, bottom, top)
        box = (left.value, bottom.value, right.value, top.value)
        pdfium.FPDFText_GetCharOrigin(page.text, index, left, bottom)
        pdfium.FPDFText_GetLooseCharBox(page.text, index, loose)
        room = (loose.left, loose.bottom, loose.right, loose.top)
        yield _Sign(sign, box, (left.value, bottom.value), room)


def _measure_gap(before: Box, after: Box, axis: int, sense: int) -> float:
    """Return the gap between two consecutive glyphs in reading direction."""
    return after[axis] - before[axis + 2] if sense > 0 else before[axis] - after[axis + 2]
