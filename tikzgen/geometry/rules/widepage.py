"""TG307: the figure is wider than the column that it is made for."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.checks.registry import Broken, Rule
from tikzgen.checks.subjects import Subject
from tikzgen.errors import Place
from tikzgen.geometry.subject import Sheet
from tikzgen.tex.pdf import CM_PER_PT

_ALMOST = 0.02  # cm: less is no overfull box that an eye can see


def _look(subject: Subject) -> Iterator[Broken]:
    if isinstance(subject, Sheet) and subject.width is not None:
        wide = subject.page.width * CM_PER_PT
        if wide > subject.width + _ALMOST:
            message = f"the figure is {wide:.2f} cm wide, the column {subject.width:g} cm"
            place = subject.place(subject.page.pictures[0].where) if subject.page.pictures else Place(subject.name)
            yield Broken(place, message, "narrower spacing, or a width for the figure")


RULE = Rule("TG307", "wide-page", "a figure is wider than its column", _look)
