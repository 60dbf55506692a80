"""Positions of the nodes and frames of a topology as lengths, and their shifts from the layout in cm."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

from tikzgen.base.plane import Box, Compass, Point
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.scene.number_words import part_mark
from tikzgen.layout.symbolic_lengths import ZERO_PAIR, Length, Pair, SymbolicBox
from tikzgen.layout.topology.nested.nested_graph import Graph
from tikzgen.layout.topology.nested.placed_nodes import LEAST_SHARE, title_box
from tikzgen.layout.topology.nested.placement_with_lines import Layout
from tikzgen.layout.topology.node_cells import find_border_inside
from tikzgen.layout.topology.node_items import part_box
from tikzgen.layout.topology.node_sizes import EntitySize, half_of
from tikzgen.layout.topology.places_by_rule import StatedCenter
from tikzgen.layout.topology.topology_graph import below_anchor
from tikzgen.layout.topology.topology_macros import flow_stems
from tikzgen.model.addresses import Address, PartEnd
from tikzgen.model.topology import Entity, Topology

_LONG_TOLERANCE_CM = 1e-3  # cm that the length of a box that scales may differ from its drawn length
CORNER_CM = 0.1  # cm between the end of a flow and the corner of a frame
BOX_SIDES: tuple[tuple[Compass, Compass], ...] = (("west", "east"), ("north", "south"))


class NodePositions:
    """Nodes and frames of a topology as lengths.

    The shift of a point is what it adds to its position in the layout: the point is at `x + across`, and `up - y`.
    """

    def __init__(
        self,
        plan: LayoutAttempt,
        panel: str,
        part: Topology,
        shapes: Mapping[str, EntitySize],
        where: Mapping[str, StatedCenter],
        graph: Graph,
        layout: Layout,
        boxes: Mapping[str, SymbolicBox],
        rest: Mapping[str, float],
        long: Mapping[str, Pair],
        level: Collection[str],
    ) -> None:
        """Store the layout.

        `boxes` are the frames, at the distances of the figure. The layout was found at the distances `rest`. `long`
        maps boxes that scale with the distances to their minimum sizes; `level` names the dots in a row.
        """
        self.plan, self.panel, self.part, self.shapes, self.where = plan, panel, part, shapes, where
        self.graph, self.layout, self.frame_boxes, self.long, self.level = graph, layout, boxes, long, level
        self.rest = rest
        self.mark = next(part_mark(one, part) for one in plan.figure.panels if one.id == panel)
        self.nodes = {node.id: node for node in part.nodes}
        self.flow_stems = flow_stems(part)

    def outline(self, name: str) -> SymbolicBox:
        """Return the box of the anchors of a node."""
        return self._outlines[name]

    @cached_property
    def _outlines(self) -> Mapping[str, SymbolicBox]:
        return {name: self._find_outline(name) for name in self.nodes}

    def _find_outline(self, name: str) -> SymbolicBox:
        (x, y), half = self.where[name].at, half_of(self.nodes[name], self.shapes[name])
        wide, tall = (
            long * 0.5 if long.compute_cm(self.plan.values) > 2 * least - _LONG_TOLERANCE_CM else Length(least)
            for least, long in zip(half, self.long.get(name, ZERO_PAIR), strict=True)
        )
        return SymbolicBox(x - wide, y - tall, x + wide, y + tall)

    def caption(self, name: str) -> SymbolicBox | None:
        """Return the box of the caption below an icon, or None."""
        (x, y), shape = self.where[name].at, self.shapes[name]
        top = y - shape.height / 2
        return (
            SymbolicBox(x - shape.caption / 2, top - shape.below, x + shape.caption / 2, top) if shape.below else None
        )

    def box(self, name: str) -> SymbolicBox:
        """Return the box of a node or a frame."""
        return self.frame_boxes[name] if name in self.frame_boxes else self.outline(name)

    def find_border(self, name: str) -> SymbolicBox:
        """Return the box of the anchors of a node, without chips next to it, of a part of it, or of a frame."""
        if isinstance(name, PartEnd):
            return self.part_box(name.address)
        box = self.box(name)
        return find_border_inside(self.shapes[name].strip, box) if name in self.shapes else box

    def part_box(self, address: Address) -> SymbolicBox:
        """Return the box of the part of a node at an address."""
        node, index = self.nodes[address.name], self.part.index_of_part(address)
        assert isinstance(node, Entity) and index is not None
        return part_box(self.plan, self.panel, node, self.shapes[node.id], index, self.box(node.id))

    def boxes(self) -> dict[str, SymbolicBox]:
        """Return the boxes of nodes and frames, by id."""
        return {name: self.box(name) for name in (*self.where, *self.layout.placed.frames)}

    def find_title(self, name: str) -> SymbolicBox:
        """Return the box of a frame's label."""
        frame, box = self.frame_boxes[name], self.layout.placed.frames[name]
        text = title_box(self.graph, name, box)
        left, top = frame.left + (text[0] - box[0]), frame.top - (text[1] - box[1])
        if self.graph.containers[name].corner.endswith("east"):
            left = frame.right - (box[2] - text[0])
        elif not self.graph.containers[name].corner.endswith("west"):
            left = frame.middle[0] - (text[2] - text[0]) / 2
        if self.graph.containers[name].corner.startswith("south"):
            top = frame.bottom + (box[3] - text[1])
        return SymbolicBox(left, top - (text[3] - text[1]), left + (text[2] - text[0]), top)

    def is_stretched(self, name: str) -> bool:
        """Return whether a node or frame scales with the distances."""
        return name in self.long or name in self.frame_boxes

    def find_node_shift(self, name: str) -> Pair:
        """Return the shift of a node from the layout to the figure."""
        (x, y), (across, up) = self.layout.placed.anchors[name], self.where[name].at
        return across - x, up + (y + below_anchor(self.shapes[name]))

    def find_side_shift(self, name: str, axis: int, end: bool | int) -> Length:
        """Return the shift of a side of a node or frame: the first (0) or last (1) one on an axis."""
        if not self.is_stretched(name):
            return self.find_node_shift(name)[axis]
        frames = self.layout.placed.frames
        box = frames[name] if name in frames else self.layout.placed.box(name, self.graph.by_id[name].body)
        side, at = self.box(name).find_side(BOX_SIDES[axis][end]), box[axis + 2 * end]
        return side + at if axis else side - at

    def find_shift_inside(self, name: str, axis: int, at: float) -> Length:
        """Return the shift of a position along a side of a node or frame that scales.

        At a frame, it keeps its distance from the middle of the side, if the side is never too short for that.
        Otherwise it keeps its share of the side.
        """
        frames = self.layout.placed.frames
        box = frames[name] if name in frames else self.layout.placed.box(name, self.graph.by_id[name].body)
        long, aside = box[axis + 2] - box[axis], at - (box[axis] + box[axis + 2]) / 2
        low, high = (self.find_side_shift(name, axis, end) for end in (0, 1))
        room = (long - self.measure_loss((high - low) * (-1 if axis else 1))) / 2
        if name in frames and abs(aside) + CORNER_CM < room:
            return (low + high) * 0.5
        share = 0.5 + aside / long
        return low * (1 - share) + high * share

    def measure_loss(self, length: Length) -> float:
        """Return the cm by which a length is smaller at the smallest distances than in the layout."""
        least = {name: value * LEAST_SHARE for name, value in self.rest.items()}
        return length.compute_cm(self.rest) - length.compute_cm(least)


def shift_point(point: Point, shift: Pair) -> Pair:
    """Return a point of the layout, y down, as lengths, y up."""
    return shift[0] + point[0], shift[1] - point[1]


def shift_box(box: Box, shift: Pair) -> SymbolicBox:
    """Return a box of the layout as lengths."""
    left, top, right, bottom = box
    return SymbolicBox(shift[0] + left, shift[1] - bottom, shift[0] + right, shift[1] - top)


def mix_shifts(one: Pair, other: Pair, share: float) -> Pair:
    """Return the pair at a share of the way from one to another."""
    if one == other:
        return one
    (x0, y0), (x1, y1) = one, other
    return x0 * (1 - share) + x1 * share, y0 * (1 - share) + y1 * share
