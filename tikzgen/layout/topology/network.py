"""A placed topology, indexed for routing: where everything is, and what stands in one row or column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tikzgen.base.record import Record
from tikzgen.layout.attempt import Plan
from tikzgen.layout.chart import part_mark
from tikzgen.layout.topology.node_shapes import Shape
from tikzgen.layout.topology.places import Place
from tikzgen.model.entities import Dots, Entity
from tikzgen.model.topology import Topology

__all__ = ["Network"]


class Network(Record):
    """A placed topology: what routing needs to know; `mark` is its `part_mark`."""

    plan: Plan
    panel: str
    mark: str
    topology: Topology
    shapes: Mapping[str, Shape]
    where: Mapping[str, Place]
    points: Mapping[str, tuple[float, ...]]
    boxes: frozenset[str]
    lines: Mapping[tuple[str, float], list[float]]
    centers: Mapping[str, tuple[float, float]]
    middle: tuple[float, float]
    peers: Mapping[int, int]
    nodes: Mapping[str, Dots | Entity]

    @classmethod
    def of(
        cls,
        plan: Plan,
        panel: str,
        topology: Topology,
        shapes: Mapping[str, Shape],
        where: Mapping[str, Place],
        points: Mapping[str, tuple[float, ...]],
    ) -> Network:
        """Index a placed topology once, so that routing stays linear in its flows."""
        lines: dict[tuple[str, float], list[float]] = {}
        centers: dict[str, tuple[float, float]] = {}
        for name, place in where.items():
            lines.setdefault(("x", place.x), []).append(place.y)
            lines.setdefault(("y", place.y), []).append(place.x)
            x, y = place.at
            centers[name] = x.at(plan.values), y.at(plan.values)
        for places in lines.values():
            places.sort()
        xs, ys = zip(*centers.values(), strict=True)
        middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
        boxes = frozenset(node.id for node in topology.nodes if not getattr(node, "icon", None))
        peers = Counter(place.level for place in where.values())
        mark = next(part_mark(one, topology) for one in plan.figure.panels if one.id == panel)
        nodes = {node.id: node for node in topology.nodes}
        return cls(plan, panel, mark, topology, shapes, where, points, boxes, lines, centers, middle, peers, nodes)

    def center(self, name: str) -> tuple[float, float]:
        return self.centers[name]

    def captioned(self, name: str) -> bool:
        return self.shapes[name].below > 0
