"""How large texts are for one layout: as TeX measured them where the figure says so, by font metrics otherwise."""

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
    """A text whose size a layout asked for; `raw` tells TeX from text, `size` is the type's in pt."""

    text: str
    raw: bool
    family: str
    bold: bool
    size: float


@lru_cache(maxsize=32768, typed=True)
def estimate_size(text: str, family: str, bold: bool, size: float) -> TextSize:
    """Estimate the size of a text in cm, by the metrics of the fonts."""
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
    """The sizes that one layout works with. What was asked for is kept, so that a figure can be measured, and so that
    sizes which nothing asks for can be dropped."""

    def __init__(self, measured: Sequence[Measured]) -> None:
        self._measured = {_key(each): each for each in measured}
        self._asked: dict[Asked, None] = {}

    def of(self, text: str, family: str, bold: bool, size: float) -> TextSize:
        """The size of a text in cm."""
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
        """Texts that font metrics only estimate, in the order in which the layout met them."""
        return tuple(self._asked)

    def used(self) -> Iterator[Measured]:
        """The measured sizes that the layout asked for, in its order."""
        return (self._measured[asked] for asked in self._asked if asked in self._measured)


def _key(each: Measured) -> Asked:
    return Asked(each.text, isinstance(each.text, Tex), each.family, each.bold, float(each.size))
