"""A page as it looks without its texts."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from tikzgen.plane.units import PT_PER_BP
from tikzgen.probe.pdf.asking import Asking
from tikzgen.probe.raster import MOST_PIXELS, Raster

__all__ = ["without_texts"]

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
