"""TG304: a text stands too near to the frame of its box."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.lint.findings import Severity
from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.polygons import distance
from tikzgen.plane.units import CM_PER_PT
from tikzgen.probe.links import NO_FRAMES
from tikzgen.probe.page_data import Painted
from tikzgen.probe.sheet import Sheet, cm

_LEAST = 0.25 / CM_PER_PT
_ALMOST = 0.35  # pt


def _look(subject: Sheet) -> Iterator[Broken]:
    for node in subject.page.nodes:
        border, lines = subject.view.border(node.id), subject.view.lines_of.get(node.id, [])
        if border is None or border.stroke is None or not lines or _is_cell(node.separation) or node.depth > 0:
            continue
        if node.shape in NO_FRAMES or (len(lines) == 1 and len(lines[0].words) <= 2):
            continue  # a badge's letter fills it
        if _within(subject, node.id, border):
            continue  # a cell of a box
        padding = min(distance(corner, border.lines) for line in lines for corner in line.corners)
        if padding < _LEAST - _ALMOST:
            message = f"{cm(max(padding, 0.0))} between text {subject.text(lines[0])} and its frame, less than 0.25 cm"
            yield Broken(subject.at(lines[0]), message, "a larger inner sep, or a wider box")


def _is_cell(separation: tuple[str, str]) -> bool:
    """Whether a node is a cell, which its text may fill: its author gave it no inner separation."""
    return all(_is_zero(each) for each in separation)


def _is_zero(length: str) -> bool:
    return length.strip("{} ").rstrip("ptcmexin").strip() in ("0", "0.0", ".0")


def _within(sheet: Sheet, node: int, border: Painted) -> bool:
    """Whether a box stands in another box that has a text, too."""
    left, bottom, right, top = border.box
    for other, lines in sheet.view.lines_of.items():
        around = sheet.view.border(other) if lines and other != node else None
        if around is not None and around.order < border.order:
            box = around.box
            if box[0] < left and box[1] < bottom and right < box[2] and top < box[3]:
                return True
    return False


RULE = Rule("TG304", "tight-padding", "less than 0.25 cm between a text and its frame", Sheet, _look, Severity.WARNING)
