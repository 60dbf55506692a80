"""The pages of a PDF, each read object by object."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from tikzgen.base.errors import TikzgenError
from tikzgen.compile.pdf import ALONE
from tikzgen.plane.affine import moved, times
from tikzgen.plane.rectangles import Point
from tikzgen.plane.units import PT_PER_BP
from tikzgen.probe.page_data import MOST_PIXELS, Raster
from tikzgen.probe.pdf import Drawn, Run, Sheet
from tikzgen.probe.pdf.asking import Asking
from tikzgen.probe.pdf.outside import Outside, clips_of, lines_of, within
from tikzgen.probe.pdf.pdf_texts import runs

_EVERYWHERE = ((-2e4, -2e4), (2e4, -2e4), (2e4, 2e4), (-2e4, 2e4))  # TeX's pages end at 16384 pt
_PAPER = (1.0, 1.0, 1.0)
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
    doubtful = fill is not None and fill[0] == _PAPER and outside.is_form
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


_NESTED = 64  # forms within forms; TeX's are one or two deep


def open_sheets(pdf: bytes) -> list[Sheet]:
    """Every page of a PDF. `TikzgenError` where pypdfium2 is not installed, or the PDF cannot be read.

    For what a stranger may have made there is `tikzgen.probe.pdf.apart`.
    """
    pdfium = find_pdfium()
    with ALONE:
        pdfium.FPDF_InitLibrary()
        document = pdfium.FPDF_LoadMemDocument64(pdf, len(pdf), None)
        if not document:
            raise TikzgenError("the PDF cannot be read")
        try:
            return [_sheet(pdfium, document, number) for number in range(pdfium.FPDF_GetPageCount(document))]
        finally:
            pdfium.FPDF_CloseDocument(document)


def find_pdfium() -> ModuleType:
    """The module that reads PDFs; `TikzgenError` says how to get it."""
    try:
        import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
    except ImportError:
        hint = 'install it: python -m pip install "tikzgen[png]"'
        raise TikzgenError("pypdfium2 is not installed, and geometry is read with it", hint=hint) from None
    found: ModuleType = pdfium
    return found


def _sheet(pdfium: ModuleType, document: Any, number: int) -> Sheet:
    with Asking.opened(pdfium, document, number) as page:
        count = pdfium.FPDFPage_CountObjects(page.page)
        objects = [pdfium.FPDFPage_GetObject(page.page, index) for index in range(count)]
        things: list[Drawn | Run] = []
        for each in objects:
            _collect(page, each, Outside(), things)
        width, height = pdfium.FPDF_GetPageWidthF(page.page), pdfium.FPDF_GetPageHeightF(page.page)
        is_shaded = any(isinstance(thing, Drawn) and thing.shaded for thing in things)
        raster = without_texts(page, objects, width, height) if is_shaded else None
    return Sheet(width * PT_PER_BP, height * PT_PER_BP, tuple(things), raster)


def _collect(page: Asking, thing: Any, outside: Outside, found: list[Drawn | Run], depth: int = 0) -> None:
    """Add what an object of the page is to what was found before, a form's contents one by one."""
    pdfium = page.pdfium
    kind = pdfium.FPDFPageObj_GetType(thing)
    if kind == pdfium.FPDF_PAGEOBJ_PATH:
        found.append(drawn(page, thing, outside))
    elif kind == pdfium.FPDF_PAGEOBJ_TEXT:
        found += runs(page, thing, outside)
    elif kind in (pdfium.FPDF_PAGEOBJ_SHADING, pdfium.FPDF_PAGEOBJ_IMAGE):
        found.append(shaded(page, thing, outside))
    elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _NESTED:
        within = outside.within(page, thing, len(found))
        for index in range(pdfium.FPDFFormObj_CountObjects(thing)):
            _collect(page, pdfium.FPDFFormObj_GetObject(thing, index), within, found, depth + 1)


_WHITE = 0xFFFFFFFF


def without_texts(page: Asking, objects: Iterable[Any], width: float, height: float) -> Raster | None:
    """The page, `width` by `height` in the PDF's units, a pixel each or less; its texts do not show any more. Nothing
    where pdfium is too old to leave them out."""
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


def _hide_texts(page: Asking, thing: Any) -> None:
    pdfium = page.pdfium
    kind = pdfium.FPDFPageObj_GetType(thing)
    if kind == pdfium.FPDF_PAGEOBJ_TEXT:
        pdfium.FPDFPageObj_SetIsActive(thing, 0)
    elif kind == pdfium.FPDF_PAGEOBJ_FORM:
        for index in range(pdfium.FPDFFormObj_CountObjects(thing)):
            _hide_texts(page, pdfium.FPDFFormObj_GetObject(thing, index))
