"""Boxes, cards, pills, and text without a border."""

from __future__ import annotations

from tikzgen.base.plane import Point
from tikzgen.layout.constants import BOX_WIDTH, INNER, PAD
from tikzgen.model.topology import NodeShape, PartsPlace

LEAST_HEIGHT_CM = 0.8  # minimum height in the layout; a box of one line is lower in TikZ
_CORNER = 0.2  # cm, the corners of a rounded box
_ROUND_ENDS = 0.36  # cm, added to the text of a pill
_INSIDE_LINE = 0.05  # cm, which TikZ needs between the corners of a pill


class BoxShape(NodeShape):
    """A box around the text and the parts below it."""

    phrase = "a box"
    style = "tone"
    parts: PartsPlace = "below"
    is_box = True
    spans_levels = True
    breaks_lines = True

    def size(self, width: float, height: float) -> Point:
        """Return the size of the box, which is at least a small one."""
        return max(width + 2 * PAD, BOX_WIDTH), max(height + 2 * PAD, LEAST_HEIGHT_CM)

    def list_styles(self, role: str, color: str, size: Point, *, is_bordered: bool) -> tuple[str, ...]:
        """Return the style of the role and its color."""
        return role, f"tone={color}"


class RoundedShape(BoxShape):
    """A box with round corners."""

    phrase = "a rounded box"

    def corner_radius(self, height: float) -> float:
        """Return the same radius for any size."""
        return _CORNER


class CardShape(BoxShape):
    """A box with an icon above its text."""

    phrase = "a card"
    spans_levels = False
    breaks_lines = False
    has_icon = True


class PillShape(BoxShape):
    """A box whose left and right sides are half circles."""

    phrase = "a pill"
    parts = ""
    is_box = False
    spans_levels = False
    breaks_lines = False
    has_fixed_width = True

    def size(self, width: float, height: float) -> Point:
        """Return the size of a box with room for the round ends."""
        return super().size(width + _ROUND_ENDS, height)

    def corner_radius(self, height: float) -> float:
        """Return half the height."""
        return round(height / 2 - _INSIDE_LINE, 3)


class PlainTextShape(NodeShape):
    """Text without a border. A state that draws a border makes a box of it."""

    phrase = "text"
    style = "plain text"
    breaks_lines = True
    has_border = False

    def size(self, width: float, height: float) -> Point:
        """Return the size of the text with the usual distance around it."""
        return width + 2 * INNER, height + 2 * INNER

    def list_styles(self, role: str, color: str, size: Point, *, is_bordered: bool) -> tuple[str, ...]:
        """Return the style of plain text, or that of the role if the state has a border."""
        return (role,) if is_bordered else (self.style,)
