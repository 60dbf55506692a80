"""A placed topology, indexed for routing: where everything is, and what stands in one row or column."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from tikzgen.layout.constants import HIGHLIGHT_LINE_PT, ICON_INNER_PT, LINE_PT, SHEET_OFFSET
from tikzgen.layout.lengths import Extent, Pair
from tikzgen.layout.plan import Plan
from tikzgen.layout.timeline_facts import part_mark
from tikzgen.layout.topology.node_sizes import Shape
from tikzgen.layout.topology.places import Place
from tikzgen.model.entities import Dots
from tikzgen.model.topology import Topology
from tikzgen.plane.rectangles import Point
from tikzgen.plane.units import CM_PER_PT

_OUTLINES = {"icon": 0.4, "box": LINE_PT, "highlighted": HIGHLIGHT_LINE_PT}  # pt; anchors are half of it outside


class Network:
    """A placed topology: what routing needs to know; `mark` is its `part_mark`."""

    def __init__(
        self,
        plan: Plan,
        panel: str,
        topology: Topology,
        shapes: Mapping[str, Shape],
        where: Mapping[str, Place],
    ) -> None:
        self.plan, self.panel, self.topology = plan, panel, topology
        self.shapes, self.where = shapes, where
        self.mark = next(part_mark(one, topology) for one in plan.figure.panels if one.id == panel)
        self.nodes = {node.id: node for node in topology.nodes}
        self.boxes = frozenset(node.id for node in topology.nodes if getattr(node, "form", "") != "icon")

    @cached_property
    def centers(self) -> dict[str, Point]:
        values = self.plan.values
        return {name: (place.at[0].at(values), place.at[1].at(values)) for name, place in self.where.items()}

    def outline(self, name: str) -> Extent:
        """Where the anchors of a node are."""
        (x, y), (wide, tall) = self.where[name].at, self.half(name)
        return Extent(x - wide, y - tall, x + wide, y + tall)

    def caption(self, name: str) -> Extent | None:
        """Where the text below an icon stands."""
        (x, y), shape = self.where[name].at, self.shapes[name]
        top = y - shape.height / 2
        return Extent(x - shape.caption / 2, top - shape.below, x + shape.caption / 2, top) if shape.below else None

    def onto(self, name: str, side: str, shift: Pair) -> Pair:
        """A shift along a side that ends on the outline, where this is inside of the box."""
        along = shift[0] if side in ("north", "south") else shift[1]
        shape = self.shapes[name]
        inside = shape.inset(side, along.at(self.plan.values)) if side else 0.0
        if shape.strip.side:
            x, y = shape.strip.onto(side)
            return shift[0] + x, shift[1] + y
        if not inside:
            return shift
        dx = {"east": -inside, "west": inside}.get(side, 0.0)
        dy = {"north": -inside, "south": inside}.get(side, 0.0)
        return shift[0] + dx, shift[1] + dy

    def half(self, name: str) -> tuple[float, float]:
        """Half the width and height of a node out to its anchors, in cm."""
        shape, node, boxed = self.shapes[name], self.nodes[name], name in self.boxes
        line = _OUTLINES.get(getattr(node, "state", ""), _OUTLINES["box" if boxed else "icon"]) * CM_PER_PT / 2
        stack = 0.0 if isinstance(node, Dots) else SHEET_OFFSET * (node.replicas - 1) * boxed
        around = line - stack + (0.0 if boxed else ICON_INNER_PT * CM_PER_PT)
        return shape.width / 2 + around, shape.height / 2 + around
