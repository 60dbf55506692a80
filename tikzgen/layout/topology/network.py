"""A placed topology, indexed for routing: where everything is, and what stands in one row or column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import part_mark
from tikzgen.layout.constants import HIGHLIGHT_LINE_PT, ICON_INNER_PT, LINE_PT, SHEET_OFFSET
from tikzgen.layout.extent import Extent
from tikzgen.layout.length import Pair
from tikzgen.layout.topology.node_shapes import Shape
from tikzgen.layout.topology.places import Place
from tikzgen.model.entities import Dots
from tikzgen.model.topology import Topology
from tikzgen.plane.rectangles import Box, Point, surround
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
        points: Mapping[str, tuple[float, ...]],
    ) -> None:
        self.plan, self.panel, self.topology = plan, panel, topology
        self.shapes, self.where, self.points = shapes, where, points
        self.mark = next(part_mark(one, topology) for one in plan.figure.panels if one.id == panel)
        self.nodes = {node.id: node for node in topology.nodes}
        self.boxes = frozenset(node.id for node in topology.nodes if getattr(node, "form", "") != "icon")
        self.peers = Counter(place.level for place in where.values())

    @cached_property
    def lines(self) -> dict[tuple[str, float], list[float]]:
        """By row (`y`) and column (`x`), where in it entities stand."""
        found: dict[tuple[str, float], list[float]] = {}
        for place in self.where.values():
            found.setdefault(("x", place.x), []).append(place.y)
            found.setdefault(("y", place.y), []).append(place.x)
        for places in found.values():
            places.sort()
        return found

    @cached_property
    def centers(self) -> dict[str, Point]:
        values = self.plan.values
        return {name: (place.at[0].at(values), place.at[1].at(values)) for name, place in self.where.items()}

    @cached_property
    def middle(self) -> Point:
        left, bottom, right, top = surround(self.centers.values())
        return (left + right) / 2, (bottom + top) / 2

    @cached_property
    def solids(self) -> dict[str, tuple[Box, ...]]:
        """What each entity takes: its icon or its box, and its caption."""
        values = self.plan.values
        places = {name: (self.outline(name), self.caption(name)) for name in self.nodes}
        return {name: tuple(one.box(values) for one in found if one) for name, found in places.items()}

    def captioned(self, name: str) -> bool:
        return self.shapes[name].below > 0

    def outline(self, name: str) -> Extent:
        """Where the anchors of a node are."""
        (x, y), (wide, tall) = self.where[name].at, self.half(name)
        return Extent(x - wide, y - tall, x + wide, y + tall)

    def caption(self, name: str) -> Extent | None:
        """Where the text below an icon stands."""
        (x, y), shape = self.where[name].at, self.shapes[name]
        top = y - shape.height / 2
        return Extent(x - shape.caption / 2, top - shape.below, x + shape.caption / 2, top) if shape.below else None

    def anchor(self, name: str, side: str, aside: float = 0.0) -> str:
        """What a flow names where it meets a side of a node: below its caption, where that is under the icon.

        One that meets the side farther `aside` than the caption reaches goes on to the icon.
        """
        node = self.plan.name(self.panel, name)
        if not side:
            return node
        under = side == "south" and self.captioned(name) and abs(aside) <= self.shapes[name].caption / 2
        return f"{node}-label.south" if under else f"{node}.{side}"

    def foot(self, name: str, side: str, shift: Pair) -> Pair:
        """Where that is, moved by `shift`."""
        (x, y), (wide, tall) = self.where[name].at, self.half(name)
        if side == "south" and self.captioned(name):
            tall = self.shapes[name].height / 2 + self.shapes[name].below
        dx = {"east": wide, "west": -wide}.get(side, 0.0)
        dy = {"north": tall, "south": -tall}.get(side, 0.0)
        return x + dx + shift[0], y + dy + shift[1]

    def onto(self, name: str, side: str, shift: Pair) -> Pair:
        """A shift along a side that ends on the outline, where this is inside of the box."""
        along = shift[0] if side in ("north", "south") else shift[1]
        inside = self.shapes[name].inset(side, along.at(self.plan.values)) if side else 0.0
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
