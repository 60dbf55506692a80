"""Sizes of labels for one layout: measured by TeX if the figure has them, else from font metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from tikzgen.base.plane import PT_PER_CM
from tikzgen.base.record import Record
from tikzgen.model.figure_options import Measured
from tikzgen.text import LabelFont, Tex, TextSize, measure

FAMILIES: dict[str, tuple[Literal["sans", "serif"], ...]] = {
    "sans": ("sans",),
    "serif": ("serif",),
    "inherit": ("sans", "serif"),
}
"""The families that a figure's text may be set in; in the paper's own font, the larger of two counts."""


class Asked(Record):
    """A label whose size the layout requested; `raw` marks TeX, `size` is the type size in pt."""

    text: str
    raw: bool
    family: str
    bold: bool
    size: float


@lru_cache(maxsize=32768, typed=True)
def estimate_size(text: str, family: str, bold: bool, size: float) -> TextSize:
    """Estimate the size of a label in cm from font metrics."""
    found = [measure(text, LabelFont(family=one, bold=bold, size=size)) for one in FAMILIES[family]]
    if len(found) == 1:
        return found[0]
    return TextSize(
        max(extent.width for extent in found),
        max(extent.height for extent in found),
        max(extent.depth for extent in found),
        exact=all(extent.exact for extent in found),
    )


class Sizes:
    """Label sizes that one layout uses.

    The class records requests. The caller can then let TeX measure these labels, and drop measured sizes that are not
    used.
    """

    def __init__(self, measured: Sequence[Measured]) -> None:
        self._measured = {_make_request_key(each): each for each in measured}
        self._asked: dict[Asked, None] = {}

    def measure_label(self, text: str, family: str, bold: bool, size: float) -> TextSize:
        """Return the size of a label in cm, and record the request unless font metrics are exact."""
        found = estimate_size(text, family, bold, size)
        if found.exact:
            return found
        asked = Asked(text, isinstance(text, Tex), family, bold, size)
        self._asked[asked] = None
        true = self._measured.get(asked)
        if true is None:
            return found
        return TextSize(true.width / PT_PER_CM, true.height / PT_PER_CM, true.depth / PT_PER_CM)

    @property
    def estimated_texts(self) -> tuple[Asked, ...]:
        """Labels that font metrics only estimate, in the order of the requests."""
        return tuple(self._asked)

    def iterate_used_sizes(self) -> Iterator[Measured]:
        """Return the measured sizes that the layout requested, in the order of the requests."""
        return (self._measured[asked] for asked in self._asked if asked in self._measured)


def _make_request_key(each: Measured) -> Asked:
    return Asked(each.text, isinstance(each.text, Tex), each.family, each.bold, float(each.size))
