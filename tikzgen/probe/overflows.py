"""Texts that stand in a box or a cell, and reach beyond it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tikzgen.plane.polygons import contains
from tikzgen.plane.rectangles import Box
from tikzgen.probe.page_data import Line, Page
from tikzgen.probe.view import View

__all__ = ["Overflow", "is_cell", "overflows"]

_BEYOND = 0.3  # pt


@dataclass(frozen=True, slots=True)
class Overflow:
    """A line of text that reaches `beyond` its box on a side, in pt; `room` is the box's extent in that direction."""

    line: Line
    beyond: float
    room: float
    wide: bool


def is_cell(separation: tuple[str, str]) -> bool:
    """Whether a node is a cell, which its text may fill: its author gave it no inner separation."""
    return all(_is_zero(each) for each in separation)


def _is_zero(length: str) -> bool:
    return length.strip("{} ").rstrip("ptcmexin").strip() in ("0", "0.0", ".0")


def overflows(page: Page, view: View) -> Iterator[Overflow]:
    """Every line of text that reaches beyond the box it stands in."""
    for line in page.lines:
        box = _box_of(page, view, line)
        if box is None:
            continue
        across = max(box[0] - line.box[0], line.box[2] - box[2])
        upwards = max(box[1] - line.box[1], line.box[3] - box[3])
        if max(across, upwards) > _BEYOND:
            wide = across >= upwards
            yield Overflow(line, max(across, upwards), box[2] - box[0] if wide else box[3] - box[1], wide)


def _box_of(page: Page, view: View, line: Line) -> Box | None:
    """The box that is drawn around a text: its node's, or the cell of a row that it stands in the middle of."""
    if line.node is not None:
        border = view.border(line.node)
        seen = border is not None and (border.stroke is not None or border.fill != page.paper)
        return border.box if border is not None and seen else None
    middle = (sum(x for x, _ in line.corners) / 4, sum(y for _, y in line.corners) / 4)
    cells = [
        piece
        for piece in view.near((*middle, *middle))
        if len(piece.path.lines) > 1
        and not piece.path.nodes
        and piece.path.fill is not None
        and piece.path.paint == _rows_before(page, line)
        and contains(piece.lines, middle)
    ]
    return cells[-1].box if cells else None


def _rows_before(page: Page, line: Line) -> int | None:
    """The path of many cells that was painted last before a text without a node."""
    before = [path for path in page.paths if path.order < line.order and path.fill is not None]
    return before[-1].paint if before else None
