"""TG307: the figure is wider than the column that it is made for."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import Place
from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.units import CM_PER_PT
from tikzgen.probe.sheet import Sheet

_ALMOST = 0.02  # cm: less is no overfull box that an eye can see


def _look(subject: Sheet) -> Iterator[Broken]:
    """The page of a figure that stands alone; on other pages, each picture."""
    if subject.width is None:
        return
    outer = [picture for picture in subject.page.pictures if picture.depth == 0 and picture.box is not None]
    if subject.alone:
        place = subject.place(outer[0].where) if outer else Place(subject.name)
        widths = [(place, subject.page.width)]
    else:
        widths = [(subject.place(each.where), each.box[2] - each.box[0]) for each in outer if each.box is not None]
    for place, points in widths:
        wide = points * CM_PER_PT
        if wide > subject.width + _ALMOST:
            message = f"the figure is {wide:.2f} cm wide, the column {subject.width:g} cm"
            yield Broken(place, message, "narrower spacing, or a width for the figure")


RULE = Rule("TG307", "wide-page", "a figure is wider than its column", Sheet, _look)
