"""Objects of a PDF page as Python values, read by pdfium: their lines, clips, and inherited state."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from tikzgen.base.plane import PT_PER_BP, Matrix, Point, compose_matrices, flatten_path, map_point
from tikzgen.base.record import Record
from tikzgen.lint.probe.marked_page import Clips
from tikzgen.model.looks.vision import Color

_TEXT_CHARS = 1024  # characters of a name or of an object's text
_MARK = "tikzgen"  # prefix of the names of the probe's own marks


class OpenPage:
    """An open page; the variables for pdfium's results are created once."""

    def __init__(self, pdfium: ModuleType, document: Any, page: Any, text: Any) -> None:
        self.pdfium = pdfium
        self.document = document
        self.page = page
        self.text = text
        self.x, self.y = ctypes.c_float(), ctypes.c_float()
        self.quad = pdfium.FS_QUADPOINTSF()
        self._rgba = [ctypes.c_uint() for _ in range(4)]
        self._chars = (ctypes.c_ushort * _TEXT_CHARS)()
        self._name = ctypes.create_string_buffer(_TEXT_CHARS)
        self._length = ctypes.c_ulong()
        self._matrix = pdfium.FS_MATRIX()
        self._signs: dict[int, list[int]] | None = None

    @classmethod
    @contextmanager
    def open_page(cls, pdfium: ModuleType, document: Any, number: int) -> Iterator[OpenPage]:
        """Open page `number` of a document (from 0) for the duration of the context."""
        page = pdfium.FPDF_LoadPage(document, number)
        text = pdfium.FPDFText_LoadPage(page)
        try:
            yield cls(pdfium, document, page, text)
        finally:
            pdfium.FPDFText_ClosePage(text)
            pdfium.FPDF_ClosePage(page)

    def read_marks(self, thing: Any) -> tuple[str, ...]:
        """Return the probe's marks around an object, outermost first: a letter for the type, and a number."""
        found = []
        for index in range(self.pdfium.FPDFPageObj_CountMarks(thing)):
            mark = self.pdfium.FPDFPageObj_GetMark(thing, index)
            self.pdfium.FPDFPageObjMark_GetName(mark, self._chars, 2 * _TEXT_CHARS, self._length)
            if (name := self._read_text(self._length.value)).startswith(_MARK):
                found.append(name.removeprefix(_MARK))
        return tuple(found)

    def text_of(self, text: Any) -> str:
        """Return the text of an object."""
        return self._read_text(self.pdfium.FPDFTextObj_GetText(text, self.text, self._chars, 2 * _TEXT_CHARS))

    def find_font(self, text: Any) -> str:
        """Return the font name of an object with text, with the tag of its subset."""
        font = self.pdfium.FPDFTextObj_GetFont(text)
        self.pdfium.FPDFFont_GetBaseFontName(font, self._name, _TEXT_CHARS)
        return self._name.value.decode("utf-8", "replace")

    def matrix_of(self, thing: Any) -> Matrix:
        """Return the transformation from an object's own coordinates to the coordinates of its container."""
        self.pdfium.FPDFPageObj_GetMatrix(thing, self._matrix)
        found = self._matrix
        return found.a, found.b, found.c, found.d, found.e, found.f

    def fill_color(self, thing: Any) -> tuple[Color, float] | None:
        """Return the color and opacity (0 to 1) of an object's area; None without one."""
        return self._color(self.pdfium.FPDFPageObj_GetFillColor, thing)

    def stroke_color(self, thing: Any) -> tuple[Color, float] | None:
        """Return the color and opacity (0 to 1) of an object's outline; None without one."""
        return self._color(self.pdfium.FPDFPageObj_GetStrokeColor, thing)

    def read_opacity(self, thing: Any) -> float:
        """Return the opacity of an object without color, such as a group."""
        color = self.fill_color(thing)
        return color[1] if color else 1.0

    def is_blended(self, thing: Any) -> bool:
        """Return whether an object is transparent in some way, such as by a fading or a blend mode."""
        return bool(self.pdfium.FPDFPageObj_HasTransparency(thing))

    def is_patterned(self, path: Any) -> bool:
        """Return whether an area is filled with a pattern; False in older versions of pdfium."""
        ask = getattr(self.pdfium, "FPDFPageObj_GetRenderedFillPattern", None)
        bitmap = ask(self.document, path) if ask is not None else None
        if not bitmap:
            return False
        self.pdfium.FPDFBitmap_Destroy(bitmap)
        return True

    def glyphs_of(self, text: Any) -> list[int]:
        """Return the indices, on the page, of the glyphs of an object."""
        if self._signs is None:
            self._signs = {}
            for index in range(max(self.pdfium.FPDFText_CountChars(self.text), 0)):
                owner = _read_address(self.pdfium.FPDFText_GetTextObject(self.text, index))
                self._signs.setdefault(owner, []).append(index)
        return self._signs.get(_read_address(text), [])

    def _color(self, ask: Any, thing: Any) -> tuple[Color, float] | None:
        if not ask(thing, *self._rgba):
            return None
        red, green, blue, alpha = (part.value / 255 for part in self._rgba)
        return (red, green, blue), alpha

    def _read_text(self, length: int) -> str:
        return bytes(self._chars)[: max(length - 2, 0)].decode("utf-16-le", "replace")


def _read_address(thing: Any) -> int:
    return ctypes.cast(thing, ctypes.c_void_p).value or 0


TO_POINTS: Matrix = (PT_PER_BP, 0.0, 0.0, PT_PER_BP, 0.0, 0.0)
"""From the PDF's units, 1/72 inch, to TeX's."""


class Outside(Record):
    """State that a form inherits: transformation to the page, marks, clips, and opacity.

    `group` is the index, among the objects of the page, at which the outermost transparent form begins.
    """

    matrix: Matrix = TO_POINTS
    marks: tuple[str, ...] = ()
    clips: Clips = ()
    opacity: float = 1.0
    shaded: bool = False
    group: int | None = None
    is_form: bool = False

    def enter_form(self, page: OpenPage, form: Any, number: int) -> Outside:
        """Return the state for the contents of a form, which is object `number` of the page."""
        opacity = page.read_opacity(form)
        return Outside(
            compose_matrices(page.matrix_of(form), self.matrix),
            (*self.marks, *page.read_marks(form)),
            (*self.clips, *clips_of(page, form, self.matrix)),
            self.opacity * opacity,
            self.shaded or (opacity == 1 and page.is_blended(form)),
            number if opacity < 1 and self.group is None else self.group,
            True,
        )


def lines_of(page: OpenPage, segments: Iterable[Any], matrix: Matrix) -> tuple[tuple[Point, ...], ...]:
    """Return the segments of a path as polygons, with curves cut into straight segments."""
    return flatten_path(_read_steps(page, segments, matrix))


def _read_steps(page: OpenPage, segments: Iterable[Any], matrix: Matrix) -> Iterator[tuple[str, list[Point]]]:
    pdfium, x, y = page.pdfium, page.x, page.y
    kinds = {pdfium.FPDF_SEGMENT_MOVETO: "M", pdfium.FPDF_SEGMENT_LINETO: "L"}
    curve: list[Point] = []
    for segment in segments:
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = map_point((x.value, y.value), matrix)
        if kind := kinds.get(pdfium.FPDFPathSegment_GetType(segment)):
            yield kind, [point]
        else:
            curve.append(point)
            if len(curve) == 3:
                yield "C", curve
                curve = []
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield "Z", [point]


def clips_of(page: OpenPage, thing: Any, outer: Matrix) -> Clips:
    """Return the paths to which an object is clipped."""
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
