"""Where the entities of a topology stand, as multiples of the distances, and how far these may shrink."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from tikzgen.layout.length import Length, param
from tikzgen.layout.plan import Need, Plan
from tikzgen.layout.shapes import Shape
from tikzgen.model.topology import Grid, Levels, Line, Ring, Star, Topology, Tree

__all__ = ["Place", "needs", "places"]

ARROW = 1.1  # cm: an arrow shorter than this looks like a dot between two boxes


@dataclass(frozen=True, slots=True)
class Place:
    """A centre as multiples of two parameters, and the level it belongs to."""

    x: float
    y: float
    level: int = 0
    x_unit: str = "colsep"
    y_unit: str = "rowsep"

    @property
    def at(self) -> tuple[Length, Length]:
        return param(self.x_unit, self.x), param(self.y_unit, self.y)


def _in_levels(levels: list[list[str]], direction: str) -> dict[str, Place]:
    found = {}
    for depth, names in enumerate(levels):
        for index, name in enumerate(names):
            across = (len(names) - 1) / 2 - index
            found[name] = Place(depth, across, depth) if direction == "right" else Place(-across, -depth, depth)
    return found


def _on_circle(names: list[str], start: float = 90.0) -> dict[str, Place]:
    found = {}
    for index, name in enumerate(names):
        angle = math.radians(start - index * 360 / len(names))
        found[name] = Place(round(math.cos(angle), 4), round(math.sin(angle), 4), 1, "radius", "radius")
    return found


def _tree_levels(topology: Topology, root: str) -> dict[str, Place]:
    children: dict[str, list[str]] = {node.id: [] for node in topology.nodes}
    seen = {root}
    order = [root]
    for name in order:
        for flow in topology.flows:
            if flow.source == name and flow.target not in seen:
                seen.add(flow.target)
                children[name].append(flow.target)
                order.append(flow.target)
    depth = {root: 0}
    for name in order:
        depth.update(dict.fromkeys(children[name], depth[name] + 1))
    loose = [node.id for node in topology.nodes if node.id not in seen]
    x: dict[str, float] = {}
    leaves = 0
    for name in _leaves_first(root, children):
        if children[name]:
            x[name] = (x[children[name][0]] + x[children[name][-1]]) / 2
        else:
            x[name] = float(leaves)
            leaves += 1
    for name in loose:  # nodes that no flow reaches stand on the root's level, to the right
        x[name], depth[name] = float(leaves), 0
        leaves += 1
    return {name: Place(x[name] - x[root], -depth[name], depth[name]) for name in x}


def _leaves_first(root: str, children: Mapping[str, list[str]]) -> list[str]:
    order, stack = [], [(root, False)]
    while stack:
        name, done = stack.pop()
        if done:
            order.append(name)
            continue
        stack.append((name, True))
        stack.extend((child, False) for child in reversed(children[name]))
    return order


def places(topology: Topology) -> dict[str, Place]:
    """Every entity's place, by id."""
    names = [node.id for node in topology.nodes]
    layout = topology.layout
    match layout:
        case Levels():
            return _in_levels(layout.levels, layout.direction)
        case Grid():
            return {
                n: Place(i % layout.columns, -(i // layout.columns), i // layout.columns) for i, n in enumerate(names)
            }
        case Ring():
            return _on_circle(names)
        case Star():
            around = _on_circle([name for name in names if name != layout.center])
            return {layout.center: Place(0, 0, 0, "radius", "radius"), **around}
        case Tree():
            return _tree_levels(topology, layout.root)
        case Line(type="column"):
            return {name: Place(0, -index) for index, name in enumerate(names)}
    return {name: Place(index, 0) for index, name in enumerate(names)}


def needs(plan: Plan, topology: Topology, shapes: Mapping[str, Shape], where: Mapping[str, Place]) -> dict[str, Need]:
    """The distances that this topology uses, with their least and usual values."""
    layout = topology.layout
    if isinstance(layout, Star) and len(topology.nodes) == 1:
        return {}
    if isinstance(layout, (Ring, Star)):
        return {"radius": _radius(topology, shapes)}
    found: dict[str, Need] = {}
    if len({place.x for place in where.values()}) > 1:
        found["colsep"] = _columns(plan, topology, shapes, where)
    if len({place.y for place in where.values()}) > 1:
        found["rowsep"] = _rows(topology, shapes, where)
    return found


def _runs_down(topology: Topology) -> bool:
    layout = topology.layout
    return isinstance(layout, Tree) or (isinstance(layout, Levels) and layout.direction == "down")


def _columns(plan: Plan, topology: Topology, shapes: Mapping[str, Shape], where: Mapping[str, Place]) -> Need:
    """The distance of columns: room for the flows between them, or for the labels of flows between levels."""
    layout, down = topology.layout, _runs_down(topology)
    level = [flow for flow in topology.flows if where[flow.source].y == where[flow.target].y]
    beside = level if down else topology.flows
    words = max((plan.measure(flow.label).width for flow in beside if flow.label), default=0.0)
    marks = 0.4 if any(flow.step for flow in beside) else 0.0
    marks += 0.6 if any(flow.route in ("bus", "elbow") for flow in beside) else 0.0  # for a trunk beside them
    least = _spread(shapes, where, "x", max(ARROW, words + marks + 0.5) if beside else 0.16, whole=not down)
    if down:
        least = max(least, _room_between(plan, topology, where))
    usual = least + 0.4
    if isinstance(layout, Levels) and not down and any(getattr(node, "icon", None) for node in topology.nodes):
        usual = max(4.6, usual)  # the template's own
    return Need(least, usual, "x", _COLSEP.get(getattr(layout, "direction", ""), _COLSEP[""]))


def _rows(topology: Topology, shapes: Mapping[str, Shape], where: Mapping[str, Place]) -> Need:
    """The distance of rows: room for the flows between them where there are some."""
    layout = topology.layout
    if isinstance(layout, Levels) and layout.direction == "right":
        least = _spread(shapes, where, "y", 0.25, whole=False)
        usual = max(2.5 if max(map(len, layout.levels)) <= 4 else 1.9, least)  # the template's own
        return Need(least, usual, "y", "vertical gap between adjacent GPU workers")
    linked = any(where[flow.source].y != where[flow.target].y for flow in topology.flows)
    least = _spread(shapes, where, "y", ARROW if linked else 0.25, whole=True)
    return Need(least, least + (1.0 if linked else 0.2), "y", "vertical gap between neighbouring rows")


_COLSEP = {
    "right": "horizontal gap between the three stages (data -> workers -> server)",
    "down": "horizontal gap between neighbours in a level",
    "": "horizontal gap between neighbouring columns",
}


def _room_between(plan: Plan, topology: Topology, where: Mapping[str, Place]) -> float:
    """The least distance of neighbours in a level, so that the labels of their flows stand between them."""
    sides: dict[str, list[float]] = {}
    pairs: dict[frozenset[str], int] = {}
    for flow in topology.flows:
        lower = min(flow.source, flow.target, key=lambda name: where[name].y)
        twin = pairs.setdefault(frozenset((flow.source, flow.target)), 0)
        pairs[frozenset((flow.source, flow.target))] += 1
        if flow.label:
            room = sides.setdefault(lower, [0.0, 0.0])
            room[min(twin, 1)] = max(room[min(twin, 1)], plan.measure(flow.label).width)
    least = 0.0
    for left, right in pairwise(sorted(where, key=lambda name: (where[name].y, where[name].x))):
        if where[left].y == where[right].y:
            room_right, room_left = sides.get(left, (0.0, 0.0))[1], sides.get(right, (0.0, 0.0))[0]
            if room_right or room_left:
                least = max(least, (room_right + room_left + 0.75) / max(where[right].x - where[left].x, 0.5))
    return least


def _spread(shapes: Mapping[str, Shape], where: Mapping[str, Place], axis: str, gap: float, *, whole: bool) -> float:
    """The least distance between neighbours that leaves `gap` cm free; `whole` keeps entire rows or columns apart."""
    lines: dict[float, list[str]] = {}
    for name, place in where.items():
        lines.setdefault(place.y if axis == "x" else place.x, []).append(name)
    if whole:
        lines[math.inf] = _largest(shapes, where, axis)
    least = 0.5
    for names in lines.values():
        if axis == "x":
            for left, right in pairwise(sorted(names, key=lambda name: where[name].x)):
                room = shapes[left].span / 2 + shapes[right].span / 2 + gap
                least = max(least, room / max(where[right].x - where[left].x, 0.5))
        else:
            for upper, lower in pairwise(sorted(names, key=lambda name: -where[name].y)):
                room = shapes[upper].height / 2 + shapes[upper].below + shapes[lower].height / 2 + gap
                least = max(least, room / max(where[upper].y - where[lower].y, 0.5))
    return least


def _largest(shapes: Mapping[str, Shape], where: Mapping[str, Place], axis: str) -> list[str]:
    """One entity for each column (or row): the widest (or tallest)."""
    largest: dict[float, str] = {}
    for name, place in where.items():
        key, size = (place.x, shapes[name].span) if axis == "x" else (place.y, shapes[name].height + shapes[name].below)
        best = largest.get(key)
        if best is None or size > (shapes[best].span if axis == "x" else shapes[best].height + shapes[best].below):
            largest[key] = name
    return list(largest.values())


def _radius(topology: Topology, shapes: Mapping[str, Shape]) -> Need:
    across = max(math.hypot(shape.span, shape.height + shape.below) for shape in shapes.values())
    count = len(topology.nodes) - isinstance(topology.layout, Star)
    chord = (across + ARROW * 0.6) / (2 * math.sin(math.pi / count)) if count > 1 else 0.0
    spoke = across + ARROW if isinstance(topology.layout, Star) else 0.0
    least = max(chord, spoke, 1.0)
    return Need(least, least + 0.2, "x", "distance of the nodes from the centre")
