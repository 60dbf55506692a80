"""What a form of a PDF hands down to all that is drawn in it: plane maps, marks, and clips with their lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tikzgen.base.record import Record
from tikzgen.plane.affine import Matrix, moved, times
from tikzgen.plane.path import cut
from tikzgen.plane.rectangles import Box, Point
from tikzgen.plane.units import PT_PER_BP

if TYPE_CHECKING:
    from tikzgen.probe.pdf.asking import Asking  # who draws has no PDF

TO_POINTS: Matrix = (PT_PER_BP, 0.0, 0.0, PT_PER_BP, 0.0, 0.0)
"""From the PDF's units, 1/72 inch, to TeX's."""


class Outside(Record):
    """The map from a form to the page, the marks that it stands in, its clips, and how much of it shows.

    `group` is where, among the page's things, the outermost form begins that is transparent as a whole.
    """

    matrix: Matrix = TO_POINTS
    marks: tuple[str, ...] = ()
    clips: tuple[tuple[tuple[Point, ...], ...], ...] = ()
    opacity: float = 1.0
    shaded: bool = False
    group: int | None = None
    is_form: bool = False

    def within(self, page: Asking, form: Any, number: int) -> Outside:
        """What holds for the contents of a form that stands here, as the page's thing of that number."""
        opacity = page.opacity(form)
        return Outside(
            times(page.placed(form), self.matrix),
            (*self.marks, *page.marks(form)),
            (*self.clips, *clips_of(page, form, self.matrix)),
            self.opacity * opacity,
            self.shaded or (opacity == 1 and page.is_blended(form)),
            number if opacity < 1 and self.group is None else self.group,
            True,
        )


PIECES = 8  # of a curve


def lines_of(page: Asking, segments: Iterator[Any], matrix: Matrix) -> tuple[tuple[Point, ...], ...]:
    """Segments of a path as polygons, curves cut into pieces."""
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
                lines[-1] += cut((lines[-1][-1], *curve), PIECES)[1:]
                curve = []
        if pdfium.FPDFPathSegment_GetClose(segment) and lines[-1][-1] != lines[-1][0]:
            lines[-1].append(lines[-1][0])
    return tuple(tuple(line) for line in lines)


def clips_of(page: Asking, thing: Any, outer: Matrix) -> tuple[tuple[tuple[Point, ...], ...], ...]:
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


def within(clips: tuple[tuple[tuple[Point, ...], ...], ...]) -> Box | None:
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
