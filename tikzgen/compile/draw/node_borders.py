"""Placed nodes: the positions of their anchors and of their borders."""

from __future__ import annotations

from math import cos, hypot, radians, sin
from typing import Literal

from tikzgen.base.plane import IDENTITY, Matrix, Point, invert_matrix, map_point, shift
from tikzgen.base.record import Record
from tikzgen.compile.draw.unsupported import Unsupported

COMPASS = ("east", "north east", "north", "north west", "west", "south west", "south", "south east")


class NodeBorder(Record):
    """The border of a placed node; lengths in pt.

    `matrix` maps coordinates relative to the node's center to the picture. `outer` is the margin outside of the
    border. `base` is the height of the label's baseline above the center.
    """

    kind: Literal["rectangle", "circle", "coordinate"]
    matrix: Matrix
    half_width: float = 0.0
    half_height: float = 0.0
    outer: float = 0.0
    base: float = 0.0

    @property
    def centre(self) -> Point:
        return self.matrix[4], self.matrix[5]

    def locate_anchor(self, anchor: str) -> Point:
        """Return the position of an anchor relative to the center."""
        if anchor in ("center", ""):
            return 0.0, 0.0
        if anchor == "base":
            return 0.0, self.base
        if anchor not in COMPASS:
            raise Unsupported(f"the anchor {anchor!r}")
        if self.kind == "coordinate":
            return 0.0, 0.0
        width, height = self.half_width + self.outer, self.half_height + self.outer
        if self.kind == "circle":
            angle = radians(45 * COMPASS.index(anchor))
            return width * cos(angle), width * sin(angle)
        x = width if "east" in anchor else -width if "west" in anchor else 0.0
        y = height if "north" in anchor else -height if "south" in anchor else 0.0
        return x, y

    def anchor(self, name: str) -> Point:
        return map_point(self.locate_anchor(name), self.matrix)

    def find_border_point(self, towards: Point) -> Point:
        """Return the point where the line from the center to a point leaves the node."""
        if self.kind == "coordinate":
            return self.centre
        x, y = map_point(towards, invert_matrix(self.matrix))
        if not x and not y:
            return self.centre
        width, height = self.half_width + self.outer, self.half_height + self.outer
        if self.kind == "circle":
            share = width / hypot(x, y)
        else:
            share = min(width / abs(x) if x else 1e9, height / abs(y) if y else 1e9)
        return map_point((x * share, y * share), self.matrix)


def make_coordinate_node(point: Point) -> NodeBorder:
    """Return a coordinate as a node without extent."""
    return NodeBorder("coordinate", shift(*point) if point != (0.0, 0.0) else IDENTITY)
