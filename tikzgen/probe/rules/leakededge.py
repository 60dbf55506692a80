"""TG308: blank space has leaked into the page beside the picture."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.probe.sheet import Sheet, cm

_LEAST = 0.5  # pt


def _look(subject: Sheet) -> Iterator[Broken]:
    """A border is the same on both sides; what one side has more than the other is a space in the source."""
    if "{standalone}" not in subject.source:
        return
    outer = [picture for picture in subject.page.pictures if picture.depth == 0 and picture.box is not None]
    if len(outer) != 1 or any(line.depth == 0 and not _inside(line.box, outer[0].box) for line in subject.page.lines):
        return
    box = outer[0].box
    assert box is not None
    left, right = box[0], subject.page.width - box[2]
    if abs(left - right) > _LEAST:
        side = "left" if left > right else "right"
        message = f"{cm(abs(left - right))} ({abs(left - right):.2f} pt) of blank space leaked in at the {side} edge"
        yield Broken(subject.place(outer[0].where), message, "end the lines before the picture with %")


def _inside(inner: tuple[float, ...], outer: tuple[float, ...] | None) -> bool:
    return outer is not None and inner[0] > outer[0] - 1 and inner[2] < outer[2] + 1


RULE = Rule("TG308", "leaked-edge", "blank space at the page's edge", Sheet, _look, Severity.WARNING)
