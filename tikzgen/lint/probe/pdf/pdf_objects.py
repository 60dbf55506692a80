"""What pdfium tells of the objects of a page, as Python values; their lines and clips, and what forms hand down."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from tikzgen.base.plane import PT_PER_BP, Matrix, Point, flatten_path, map_point, times
from tikzgen.base.record import Record
from tikzgen.lint.probe.marked_page import Clips
from tikzgen.model.looks.vision import Color

_TEXT_CHARS = 1024  # signs of a name or of a text object
_MARK = "tikzgen"  # what the names of the probe's own marks begin with


class OpenPage:
    """An open page; the variables that pdfium answers into are made once."""

    def __init__(self, pdfium: ModuleType, document: Any, page: Any, text: Any) -> None:
        self.pdfium = pdfium
        self.document = document
        self.page = page
        self.text = text
        self.x, self.y = ctypes.c_float(), ctypes.c_float()
        self.quad = pdfium.FS_QUADPOINTSF()
        self._rgba = [ctypes.c_uint() for _ in range(4)]
        self._chars = (ctypes.c_ushort * _TEXT_CHARS)()
        self._length = ctypes.c_ulong()
        self._matrix = pdfium.FS_MATRIX()
        self._signs: dict[int, list[int]] | None = None

    @classmethod
    @contextmanager
    def open_page(cls, pdfium: ModuleType, document: Any, number: int) -> Iterator[OpenPage]:
        """Open page `number` of a document, from 0, while it is read."""
        page = pdfium.FPDF_LoadPage(document, number)
        text = pdfium.FPDFText_LoadPage(page)
        try:
            yield cls(pdfium, document, page, text)
        finally:
            pdfium.FPDFText_ClosePage(text)
            pdfium.FPDF_ClosePage(page)

    def marks(self, thing: Any) -> tuple[str, ...]:
        """The probe's marks around an object, from the outside: a letter for what it is, and its number."""
        found = []
        for index in range(self.pdfium.FPDFPageObj_CountMarks(thing)):
            mark = self.pdfium.FPDFPageObj_GetMark(thing, index)
            self.pdfium.FPDFPageObjMark_GetName(mark, self._chars, 2 * _TEXT_CHARS, self._length)
            if (name := self._read_text(self._length.value)).startswith(_MARK):
                found.append(name.removeprefix(_MARK))
        return tuple(found)

    def text_of(self, text: Any) -> str:
        """Return the text of a text object."""
        return self._read_text(self.pdfium.FPDFTextObj_GetText(text, self.text, self._chars, 2 * _TEXT_CHARS))

    def matrix_of(self, thing: Any) -> Matrix:
        """Return the map from an object's own coordinates to those of its container."""
        self.pdfium.FPDFPageObj_GetMatrix(thing, self._matrix)
        found = self._matrix
        return found.a, found.b, found.c, found.d, found.e, found.f

    def fill_color(self, thing: Any) -> tuple[Color, float] | None:
        """The colour of an object's area, and how opaque it is, from 0 to 1."""
        return self._color(self.pdfium.FPDFPageObj_GetFillColor, thing)

    def stroke_color(self, thing: Any) -> tuple[Color, float] | None:
        """The colour of an object's outline, and how opaque it is, from 0 to 1."""
        return self._color(self.pdfium.FPDFPageObj_GetStrokeColor, thing)

    def opacity(self, thing: Any) -> float:
        """How opaque an object is that has no colour of its own, such as a group."""
        color = self.fill_color(thing)
        return color[1] if color else 1.0

    def is_blended(self, thing: Any) -> bool:
        """Whether an object is transparent in some way, be it by a fading or by how it blends."""
        return bool(self.pdfium.FPDFPageObj_HasTransparency(thing))

    def is_patterned(self, path: Any) -> bool:
        """Whether an area is filled with a pattern; older versions of pdfium do not tell."""
        ask = getattr(self.pdfium, "FPDFPageObj_GetRenderedFillPattern", None)
        bitmap = ask(self.document, path) if ask is not None else None
        if not bitmap:
            return False
        self.pdfium.FPDFBitmap_Destroy(bitmap)
        return True

    def glyphs_of(self, text: Any) -> list[int]:
        """Return the numbers, on the page, of the glyphs of a text object."""
        if self._signs is None:
            self._signs = {}
            for index in range(max(self.pdfium.FPDFText_CountChars(self.text), 0)):
                owner = _address(self.pdfium.FPDFText_GetTextObject(self.text, index))
                self._signs.setdefault(owner, []).append(index)
        return self._signs.get(_address(text), [])

    def _color(self, ask: Any, thing: Any) -> tuple[Color, float] | None:
        if not ask(thing, *self._rgba):
            return None
        red, green, blue, alpha = (part.value / 255 for part in self._rgba)
        return (red, green, blue), alpha

    def _read_text(self, length: int) -> str:
        return bytes(self._chars)[: max(length - 2, 0)].decode("utf-16-le", "replace")


def _address(thing: Any) -> int:
    return ctypes.cast(thing, ctypes.c_void_p).value or 0


TO_POINTS: Matrix = (PT_PER_BP, 0.0, 0.0, PT_PER_BP, 0.0, 0.0)
"""From the PDF's units, 1/72 inch, to TeX's."""


class Outside(Record):
    """The map from a form to the page, the marks that it stands in, its clips, and how much of it shows.

    `group` is where, among the page's things, the outermost form begins that is transparent as a whole.
    """

    matrix: Matrix = TO_POINTS
    marks: tuple[str, ...] = ()
    clips: Clips = ()
    opacity: float = 1.0
    shaded: bool = False
    group: int | None = None
    is_form: bool = False

    def within(self, page: OpenPage, form: Any, number: int) -> Outside:
        """What holds for the contents of a form that stands here, as the page's thing of that number."""
        opacity = page.opacity(form)
        return Outside(
            times(page.matrix_of(form), self.matrix),
            (*self.marks, *page.marks(form)),
            (*self.clips, *clips_of(page, form, self.matrix)),
            self.opacity * opacity,
            self.shaded or (opacity == 1 and page.is_blended(form)),
            number if opacity < 1 and self.group is None else self.group,
            True,
        )


def lines_of(page: OpenPage, segments: Iterable[Any], matrix: Matrix) -> tuple[tuple[Point, ...], ...]:
    """Segments of a path as polygons, curves cut into pieces."""
    return flatten_path(_steps(page, segments, matrix))


def _steps(page: OpenPage, segments: Iterable[Any], matrix: Matrix) -> Iterator[tuple[str, list[Point]]]:
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
