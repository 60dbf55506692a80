"""Shapes with a custom outline: circle, diamond, cylinder and cloud."""

from __future__ import annotations

from math import hypot, sqrt

from tikzgen.base.plane import Compass, Point, is_level
from tikzgen.layout.constants import OUTLINE_INNER
from tikzgen.model.topology import NodeShape, halve_side

_BESIDE = 0.16  # cm, added next to the text of a cylinder
_ROOM = 0.82  # the share of a cloud's width and height that its text may take
_LID = 0.25  # half the height of a cylinder's lid, as a share of half the cylinder's height
_ARC = 0.5523  # distance of the control points of a quarter of a circle, as a share of the radius
_SIDE = 1 - _LID  # the height of the ends of the lid, and of its lower edge
_LOW = 1 - 2 * _LID
_ARM = _SIDE + _ARC * _LID
_BACK = _SIDE - _ARC * _LID


class CircleShape(NodeShape):
    """A circle, drawn by TikZ."""

    phrase = "a circle"
    style = "round"
    port_share = 0.6

    def size(self, width: float, height: float) -> Point:
        """Return the diameter twice."""
        radius = max(hypot(width / 2 + OUTLINE_INNER, height / 2 + OUTLINE_INNER), 0.4)
        return 2 * radius, 2 * radius

    def compute_inset(self, size: Point, side: Compass, aside: float) -> float:
        """Return the distance between the circle and its bounding box."""
        across, deep = halve_side(size, side)
        return deep * (1 - sqrt(1 - min(abs(aside) / across, 1.0) ** 2))

    def list_styles(self, role: str, color: str, size: Point, *, is_bordered: bool) -> tuple[str, ...]:
        """Return the style of the role, its color, and the style of circles."""
        return role, f"tone={color}", self.style


class DiamondShape(NodeShape):
    """A diamond twice as wide as high."""

    phrase = "a diamond"
    style = "diamond outline"
    outline = ((-1, 0), (0, 1), (1, 0), (0, -1))
    port_share = 0.3

    def size(self, width: float, height: float) -> Point:
        """Return the size of the smallest such diamond."""
        half = max(width / 2 + OUTLINE_INNER + 2 * (height / 2 + OUTLINE_INNER), 0.8)
        return 2 * half, half

    def compute_inset(self, size: Point, side: Compass, aside: float) -> float:
        """Return the distance between a side of the diamond and its bounding box."""
        across, deep = halve_side(size, side)
        return deep * min(abs(aside) / across, 1.0)


class CylinderShape(NodeShape):
    """A cylinder; its text is below the lid."""

    phrase = "a cylinder"
    style = "cylinder outline"
    outline = (
        (-1, _SIDE),
        (-1, -_SIDE),
        ((-1, -_ARM), (-_ARC, -1), (0, -1)),
        ((_ARC, -1), (1, -_ARM), (1, -_SIDE)),
        (1, _SIDE),
        ((1, _ARM), (_ARC, 1), (0, 1)),
        ((-_ARC, 1), (-1, _ARM), (-1, _SIDE)),
        ((-1, _BACK), (-_ARC, _LOW), (0, _LOW)),
        ((_ARC, _LOW), (1, _BACK), (1, _SIDE)),
    )
    is_closed = False
    parts = "slots"
    breaks_lines = True

    def size(self, width: float, height: float) -> Point:
        """Return a size at which the text is below the lid."""
        x, y = width / 2 + OUTLINE_INNER, height / 2 + OUTLINE_INNER
        return max(2 * x + _BESIDE, 1.0), max(2 * y / (1 - 2 * _LID), 0.9)

    def compute_inset(self, size: Point, side: Compass, aside: float) -> float:
        """Return the distance at the round ends; the sides are straight."""
        if not is_level(side):
            return 0.0
        share = min(abs(aside) / (size[0] / 2), 1.0)
        return _LID * (size[1] / 2) * (1 - sqrt(1 - share**2))


class CloudShape(NodeShape):
    """A cloud of eight curves."""

    phrase = "a cloud"
    style = "cloud outline"
    outline = (
        (0.789, -0.343),
        ((1.073, -0.467), (1.069, 0.476), (0.786, 0.35)),
        ((1.057, 0.47), (0.414, 1.08), (0.308, 0.803)),
        ((0.409, 1.066), (-0.409, 1.066), (-0.308, 0.803)),
        ((-0.414, 1.08), (-1.057, 0.47), (-0.786, 0.35)),
        ((-1.069, 0.476), (-1.073, -0.467), (-0.789, -0.343)),
        ((-1.061, -0.461), (-0.424, -1.076), (-0.315, -0.8)),
        ((-0.42, -1.067), (0.42, -1.067), (0.315, -0.8)),
        ((0.424, -1.076), (1.061, -0.461), (0.789, -0.343)),
    )
    port_share = 0.5

    def size(self, width: float, height: float) -> Point:
        """Return a size at which the text is inside all curves."""
        x, y = width / 2 + OUTLINE_INNER, height / 2 + OUTLINE_INNER
        tall = max(y * sqrt(2) / _ROOM, 0.45)
        wide = x / _ROOM / sqrt(1 - (y / _ROOM / tall) ** 2)
        return 2 * max(wide, 1.4 * tall), 2 * tall
