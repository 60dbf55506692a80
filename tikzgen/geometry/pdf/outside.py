"""What a form of a PDF hands down to all that is drawn in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tikzgen.geometry.data import Point
from tikzgen.geometry.pdf.affine import TO_POINTS, Matrix, times
from tikzgen.geometry.pdf.asking import Asking
from tikzgen.geometry.pdf.clips import clips_of

__all__ = ["Outside"]


@dataclass(frozen=True, slots=True)
class Outside:
    """The map from a form to the page, the marks that it stands in, its clips, and how much of it shows.

    A group that is transparent as a whole counts as if each of its parts were so.
    """

    matrix: Matrix = TO_POINTS
    marks: tuple[str, ...] = ()
    clips: tuple[tuple[tuple[Point, ...], ...], ...] = ()
    opacity: float = 1.0
    shaded: bool = False

    def within(self, page: Asking, form: Any) -> Outside:
        """What holds for the contents of a form that stands here."""
        opacity = page.opacity(form)
        return Outside(
            times(page.placed(form), self.matrix),
            (*self.marks, *page.marks(form)),
            (*self.clips, *clips_of(page, form, self.matrix)),
            self.opacity * opacity,
            self.shaded or (opacity == 1 and page.is_blended(form)),
        )
