"""What a form of a PDF hands down to all that is drawn in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tikzgen.plane.rectangles import Point
from tikzgen.probe.pdf.affine import TO_POINTS, Matrix, times
from tikzgen.probe.pdf.asking import Asking
from tikzgen.probe.pdf.clips import clips_of

__all__ = ["Outside"]


@dataclass(frozen=True, slots=True)
class Outside:
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
