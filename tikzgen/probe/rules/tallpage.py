"""TG323: the figure is taller than the text of a page."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.base.errors import Place
from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.model.widths import TALLEST
from tikzgen.plane.units import CM_PER_PT
from tikzgen.probe.sheet import Sheet


def _look(subject: Sheet) -> Iterator[Broken]:
    high = subject.page.height * subject.scale * CM_PER_PT
    if subject.alone and high > TALLEST:
        message = f"the figure is {high:.1f} cm tall, the text of a page {TALLEST:g} cm"
        yield Broken(Place(subject.name), message, "fewer rows, a `height`, or a wider figure")


RULE = Rule("TG323", "tall-page", "a figure is taller than a page's text", Sheet, _look, Severity.WARNING)
