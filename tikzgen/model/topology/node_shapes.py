"""Shapes of nodes: the table `SHAPES`, and the base class of its entries.

The built-in entries are in `tikzgen.layout.topology.shapes`.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import Literal, TypeAlias

from tikzgen.base.extensions import Table
from tikzgen.base.plane import Compass, Point, find_outward_sign, flatten_curve, is_level

Step: TypeAlias = Point | tuple[Point, Point, Point]
"""A step of an outline: the end of a line, or two control points and the end of a curve."""

PartsPlace: TypeAlias = Literal["", "below", "slots"]


class NodeShape:
    """A shape around the label of a node. Sizes are in cm."""

    phrase: str
    """Noun phrase for descriptions: "a circle"."""
    style: str
    """Name of its TikZ style, which ends in " outline" for a shape with an outline."""
    outline: tuple[Step, ...] = ()
    """The drawn outline, from -1 to 1 in both directions, beginning with a point. Empty if TikZ draws the border."""
    is_closed = True
    """Whether the outline ends where it begins."""
    parts: PartsPlace = ""
    """Position of its parts: below the label, or in slots of the outline; empty if the shape has no parts."""
    is_box = False
    """Whether it has straight sides, as stacks and parts along a side require."""
    spans_levels = False
    """Whether it can be as long as several layers of a layout."""
    has_icon = False
    """Whether it contains an icon above the label."""
    has_border = True
    """Whether it draws its own border."""
    breaks_lines = False
    """Whether a long label is wrapped."""
    has_fixed_width = False
    """Whether the .tex states its width, instead of the width of the label."""
    port_share = 1.0
    """Share of each side on which flows can end; less than 1 if the outline curves away from the side."""

    @abstractmethod
    def size(self, width: float, height: float) -> Point:
        """Return its width and height around a label with its parts of this width and height."""

    def compute_inset(self, size: Point, side: Compass, aside: float) -> float:
        """Return how far inside its bounding box the outline is, `aside` from the middle of a side."""
        across, deep = halve_side(size, side)
        return deep * (1 - self._measure_reach(side, aside / across)) if self.outline else 0.0

    def list_styles(self, role: str, color: str, size: Point, *, is_bordered: bool) -> tuple[str, ...]:
        """Return the TikZ styles of a node with the style of its `role`; `is_bordered` if its state has a border."""
        return (role, f"{self.style}={{{color}}}{{{size[0]:.4g}cm}}{{{size[1]:.4g}cm}}")

    def corner_radius(self, height: float) -> float | None:
        """Return the radius of its corners, or None for the radius of the figure."""
        return None

    def _measure_reach(self, side: Compass, aside: float) -> float:
        """Return the extent of the outline towards a side, from 0 (the middle) to 1, `aside` from -1 to 1."""
        way, along = (1, 0) if is_level(side) else (0, 1)
        sign = find_outward_sign(side)
        found = 0.0
        first, *steps = self.outline
        start = end_of(first)
        for step in (*steps, *([first] if self.is_closed else [])):
            end = end_of(step)
            for one, other in pairwise(flatten_curve((start, *step), 4) if len(step) == 3 else (start, end)):
                low, high = sorted((one, other), key=lambda point: point[along])
                if low[along] <= aside <= high[along] and low[along] < high[along]:
                    part = (aside - low[along]) / (high[along] - low[along])
                    found = max(found, sign * (low[way] + part * (high[way] - low[way])))
            start = end
        return found


def halve_side(size: Point, side: Compass) -> Point:
    """Return half the length of a side, and its distance from the middle."""
    return (size[0] / 2, size[1] / 2) if is_level(side) else (size[1] / 2, size[0] / 2)


def end_of(step: Step) -> Point:
    """Return the point where a step of an outline ends."""
    return step[2] if len(step) == 3 else step


_LAYOUT = "tikzgen.layout.topology.shapes"

SHAPES: Table[NodeShape] = Table(
    "shapes",
    {
        "box": f"{_LAYOUT}.node_boxes:BoxShape",
        "rounded": f"{_LAYOUT}.node_boxes:RoundedShape",
        "pill": f"{_LAYOUT}.node_boxes:PillShape",
        "circle": f"{_LAYOUT}.node_outlines:CircleShape",
        "diamond": f"{_LAYOUT}.node_outlines:DiamondShape",
        "cylinder": f"{_LAYOUT}.node_outlines:CylinderShape",
        "cloud": f"{_LAYOUT}.node_outlines:CloudShape",
        "card": f"{_LAYOUT}.node_boxes:CardShape",
        "text": f"{_LAYOUT}.node_boxes:PlainTextShape",
    },
    needed=(
        *("phrase", "style", "outline", "is_closed", "parts", "is_box", "spans_levels", "has_icon", "has_border"),
        *("breaks_lines", "has_fixed_width", "port_share", "size", "compute_inset", "list_styles", "corner_radius"),
    ),
)
