"""The pages of a PDF, each read object by object."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from tikzgen.base.errors import TikzgenError
from tikzgen.compile.pdfium import ALONE
from tikzgen.plane.units import PT_PER_BP
from tikzgen.probe.page_data import MOST_PIXELS, Raster
from tikzgen.probe.pdf.asking import Asking
from tikzgen.probe.pdf.outside import Outside
from tikzgen.probe.pdf.pdf_data import Drawn, Run, Sheet
from tikzgen.probe.pdf.pdf_paths import drawn, shaded
from tikzgen.probe.pdf.pdf_texts import runs

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
