"""What flows add to the extent of a panel: their curves, their labels and their numbers, as TikZ sets them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tikzgen.layout.constants import SHEET, STEP_AT
from tikzgen.layout.extent import Extent
from tikzgen.layout.length import ZERO, Length
from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.square_flows import Course
from tikzgen.layout.topology.topology_items import Edge
from tikzgen.model.entities import Dots
from tikzgen.model.topology import Flow
from tikzgen.plane.cubics import LOOSENESS, arms, bow_arms, weights
from tikzgen.plane.units import CM_PER_PT

__all__ = ["Point", "anchor", "controls", "label_place", "outline", "reach", "stops", "turned", "way"]

Point = tuple[Length, Length]

_LOOP = (105, 75)  # degrees, `loop above` of the same library: where it leaves and where it comes back,
_LOOP_LOOSENESS = 8  # how much looser it is,
_LOOP_LEAST = 0.5  # and how near (cm) its control points may be
_ROUND = 3 * CM_PER_PT  # cm round a flow's label: the 3pt of the template
_STEP_SIZE, _STEP_ROUND, _STEP_LINE = 6, 1 * CM_PER_PT, 0.5 * CM_PER_PT  # of the style `stepmark`
_LEVEL = 0.05  # how slanting TikZ still takes a line for level or upright when it places a label beside it
_ICON = 1 * CM_PER_PT  # cm round an icon: the 1pt of its style
_OUTLINES = {"icon": 0.4, "box": 0.6, "highlighted": 1.4}  # pt; anchors are half of it outside


def anchor(net: Network, name: str, side: str) -> str:
    """Where a flow meets a side of a node: below its caption, where that is under the icon."""
    node = net.plan.name(net.panel, name)
    if not side:
        return node
    return f"{node}-label.south" if side == "south" and net.captioned(name) else f"{node}.{side}"


def reach(net: Network, flow: Flow, edge: Edge) -> list[Extent]:
    """What a flow's curve, label and number add to the extent of the panel. Straight lines run between the nodes."""
    if edge.route == "straight" and not edge.label and not edge.step:
        return []
    path = way(net, flow, edge)
    stroke = net.plan.figure.kind(flow.kind).width * CM_PER_PT / 2
    found = []
    if len(path) == 4:
        found += [Extent(x, y, x, y).grown(stroke) for x, y in path[1:3]]
    if edge.label:
        found.append(_label(net, flow, edge, path))
    if edge.step:
        found.append(_step(net, edge, path))
    return found


def turned(net: Network, flow: Flow, edge: Edge, course: Course) -> list[Extent]:
    """What an elbow or a bus adds: its corners, and its label beside one leg."""
    found = [Extent(x, y, x, y) for x, y in course.spots]
    if edge.label:
        size = net.plan.measure(flow.label)
        width, height = size.width + 2 * _ROUND, size.height + size.depth + 2 * _ROUND
        x, y = course.label
        if edge.inline:
            return [*found, Extent(x - width / 2, y - height / 2, x + width / 2, y + height / 2)]
        beyond = course.beyond == (edge.side == course.side)
        if course.level:
            low = y if beyond else y - height
            found.append(Extent(x - width / 2, low, x + width / 2, low + height))
        else:
            left = x if beyond else x - width
            found.append(Extent(left, y - height / 2, left + width, y + height / 2))
    if edge.step:
        found.append(_step(net, edge, way(net, flow, edge)))
    return found


def _step(net: Network, edge: Edge, path: list[Point]) -> Extent:
    """Where the number of a flow stands."""
    size = net.plan.measure(edge.step, size=_STEP_SIZE)
    wide, tall = size.width / 2 + _STEP_ROUND, (size.height + size.depth) / 2 + _STEP_ROUND
    radius = math.hypot(wide, tall) + _STEP_LINE / 2
    at = (0.5 if edge.label else edge.pos) if edge.turn else STEP_AT if edge.label else 0.5
    x, y = _along(path, at)
    if edge.route == "loop":  # whose style places what stands on it
        y = y + radius
    return Extent(x, y, x, y).grown(radius)


def outline(net: Network, name: str) -> Extent:
    """Where the anchors of a node are."""
    (x, y), (wide, tall) = net.where[name].at, _half(net, name)
    return Extent(x - wide, y - tall, x + wide, y + tall)


def label_place(net: Network, flow: Flow, edge: Edge) -> Extent:
    """Where the label of a flow without a corner stands."""
    return _label(net, flow, edge, way(net, flow, edge))


def stops(net: Network, flow: Flow, edge: Edge) -> Iterator[tuple[str, Extent]]:
    """The points along a flow that links end on, by name."""
    path = way(net, flow, edge) if edge.points else []
    for at, name in edge.points:
        x, y = _along(path, at)
        yield name, Extent(x, y, x, y)


def controls(source: Point, target: Point, reach: tuple[tuple[float, float], tuple[float, float]]) -> list[Point]:
    """The four points of a curve whose control points are so far from its ends."""
    (x0, y0), (x3, y3), ((x1, y1), (x2, y2)) = source, target, reach
    return [source, (x0 + x1, y0 + y1), (x3 + x2, y3 + y2), target]


def way(net: Network, flow: Flow, edge: Edge) -> list[Point]:
    """The points of the path: two of a line, three around a corner, four of a curve with its control points."""
    values = net.plan.values
    if edge.route == "loop":
        return _loop(net, flow)
    source = _end(net, flow.source, edge.source, edge.source_shift)
    target = _end(net, flow.target, edge.target, edge.target_shift)
    if edge.turn:
        if edge.hub == "source":
            source = _end(net, flow.source, edge.source, edge.trunk)
        elif edge.hub == "target":
            target = _end(net, flow.target, edge.target, edge.trunk)
        return [source, (target[0], source[1]) if edge.turn == "-|" else (source[0], target[1]), target]
    if edge.bend:
        dx, dy = (target[0] - source[0]).at(values), (target[1] - source[1]).at(values)
        return controls(source, target, bow_arms(dx, dy, edge.bend))
    return [source, target]


def _half(net: Network, name: str) -> tuple[float, float]:
    """Half the width and height of a node out to its anchors, in cm."""
    shape, boxed = net.shapes[name], name in net.boxes
    node = net.nodes[name]
    state = getattr(node, "state", "")
    line = _OUTLINES.get(state, _OUTLINES["box" if boxed else "icon"]) * CM_PER_PT / 2
    stack = 0.0 if isinstance(node, Dots) else SHEET * (node.replicas - 1) * boxed
    around = line - stack + (0.0 if boxed else _ICON)
    return shape.width / 2 + around, shape.height / 2 + around


def _end(net: Network, name: str, end: str, shift: Point) -> Point:
    """Where a flow meets a node: one of its anchors, or the lower edge of its caption."""
    x, y = net.where[name].at
    wide, tall = _half(net, name)
    if end.endswith("-label.south"):
        return x + shift[0], y - (net.shapes[name].height / 2 + net.shapes[name].below) + shift[1]
    dx, dy = {"east": (wide, 0.0), "west": (-wide, 0.0), "north": (0.0, tall), "south": (0.0, -tall)}[
        end.rpartition(".")[2]
    ]
    return x + dx + shift[0], y + dy + shift[1]


def _loop(net: Network, flow: Flow) -> list[Point]:
    """A loop above a node, from border to border: it grows with the height of the node."""
    x, y = net.where[flow.source].at
    wide, tall = _half(net, flow.source)
    aside = min(wide, tall / math.tan(math.radians(_LOOP[1])))
    distance = max(_LOOP_LEAST, LOOSENESS * _LOOP_LOOSENESS * 2 * aside)
    return controls((x - aside, y + tall), (x + aside, y + tall), arms(_LOOP, distance))


def _along(path: list[Point], at: float) -> Point:
    """The point at a share of the path, as TikZ's `pos` finds it."""
    x, y = ZERO, ZERO
    for weight, point in zip(_weights(len(path), at), path, strict=True):
        x, y = x + point[0] * weight, y + point[1] * weight
    return x, y


def _weights(count: int, at: float) -> tuple[float, ...]:
    if count == 2:
        return 1 - at, at
    if count == 3:  # each leg is half of the way
        return (1 - 2 * at, 2 * at, 0.0) if at < 0.5 else (0.0, 2 - 2 * at, 2 * at - 1)
    return weights(at)


def _heading(net: Network, path: list[Point], at: float) -> tuple[float, float]:
    """The direction of the path there, as a vector of length 1 (or 0 where the path goes nowhere)."""
    if len(path) == 3:
        path = path[:2] if at < 0.5 else path[1:]
    if len(path) == 2:
        near, far = path
    else:
        near, far = _along(path, at - 1e-3), _along(path, at + 1e-3)
    dx, dy = ((far[axis] - near[axis]).at(net.plan.values) for axis in (0, 1))
    length = math.hypot(dx, dy)
    return (dx / length, dy / length) if length > 1e-9 else (0.0, 0.0)


def _label(net: Network, flow: Flow, edge: Edge, path: list[Point]) -> Extent:
    """Where a label stands: with a corner or the middle of a side on its point of the path, as TikZ's `auto` does."""
    size = net.plan.measure(flow.label)
    width, height = size.width + 2 * _ROUND, size.height + size.depth + 2 * _ROUND
    x, y = _along(path, edge.pos)
    if edge.inline:
        return Extent(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    turn = 1 if edge.side == "left" else -1
    dx, dy = (turn * part for part in _heading(net, path, edge.pos))
    upwards = 1 if dx > _LEVEL else -1 if dx < -_LEVEL else 0
    leftwards = 1 if dy > _LEVEL else -1 if dy < -_LEVEL else 0
    if not upwards and not leftwards:
        leftwards = -1
    # TikZ sets it half a line off the path, which the margin around the figure holds
    x, y = x - leftwards * width / 2, y + upwards * height / 2
    return Extent(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
