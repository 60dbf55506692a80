"""TG312: TeX sets a text larger or smaller than the layout planned."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.planned_sizes import misfits
from tikzgen.probe.sheet import Sheet, cm


def _look(subject: Sheet) -> Iterator[Broken]:
    # a document of several pages is none of tikzgen's figures
    if subject.pages > 1:
        return
    for found in misfits(subject):
        true, planned = found.true, found.planned
        sizes = f"{cm(true[0])} × {cm(true[1])}, and {cm(planned[0])} × {cm(planned[1])} was planned"
        message = f"text {found.text} takes {sizes}"
        yield Broken(found.place, message, "`tikzgen render --measure` takes the size from TeX")


RULE = Rule(
    "TG312", "planned-size", "raw TeX or a measured text is not as large as planned", Sheet, _look, Severity.WARNING
)
