"""How flows run: from which side of a node, how far apart, bent or straight, and where their labels stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from tikzgen.layout.extent import Extent
from tikzgen.layout.length import ZERO, Length
from tikzgen.layout.topology.avoid_nodes import detours, settled
from tikzgen.layout.topology.bends import arc_bend, fan_bend, part_curves
from tikzgen.layout.topology.flow_outline import anchor, reach, turned
from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.square_flows import between, courses
from tikzgen.layout.topology.topology_items import Edge
from tikzgen.layout.topology.topology_macros import flow_label
from tikzgen.model.topology import Flow, Levels, Tree

__all__ = ["route"]

_APART = 0.3  # cm between parallel flows
_BESIDE = 0.12  # cm between a label on a flow and the flow beside it
_EDGE = 0.2  # cm that flows keep from the corners of their nodes, both together
_OPPOSITE = {"east": "west", "west": "east", "north": "south", "south": "north"}


def sides(net: Network, flow: Flow) -> tuple[str, str]:
    """The sides on which a flow leaves its source and reaches its target."""
    source, target = net.where[flow.source], net.where[flow.target]
    (x0, y0), (x1, y1) = net.center(flow.source), net.center(flow.target)
    a, b = net.shapes[flow.source], net.shapes[flow.target]
    layout = net.topology.layout
    levelled = isinstance(layout, (Levels, Tree)) and source.level != target.level
    downwards = isinstance(layout, Tree) or (isinstance(layout, Levels) and layout.direction == "down")
    gap_x = abs(x1 - x0) - (a.width + b.width) / 2
    gap_y = abs(y1 - y0) - (a.height + b.height) / 2
    across = not downwards if levelled else gap_x >= gap_y
    side = ("east" if x1 > x0 else "west") if across else ("north" if y1 > y0 else "south")
    return side, _OPPOSITE[side]


def _blocked(net: Network, flow: Flow) -> bool:
    """Whether another entity stands between the two, on the same row or column."""
    source, target = net.where[flow.source], net.where[flow.target]
    for line, low, high in (
        (("x", source.x), source.y, target.y) if source.x == target.x else (None, 0.0, 0.0),
        (("y", source.y), source.x, target.x) if source.y == target.y else (None, 0.0, 0.0),
    ):
        if line is not None:
            places = net.lines[line]
            low, high = min(low, high), max(low, high)
            if bisect_left(places, high - 1e-9) - bisect_right(places, low + 1e-9) > 0:
                return True
    return False


def _routes(net: Network) -> list[str]:
    """Decide how each flow runs: loop, bend, arc over what is in the way, or straight beside its twin."""
    flows = net.topology.flows
    pairs: dict[frozenset[str], list[Flow]] = {}
    for flow in flows:
        pairs.setdefault(frozenset((flow.source, flow.target)), []).append(flow)
    found = []
    for flow in flows:
        twins = pairs[frozenset((flow.source, flow.target))]
        if flow.source == flow.target:
            found.append("loop")
        elif flow.route != "auto":
            found.append(flow.route)
        elif _blocked(net, flow):
            found.append("arc")
        elif len(twins) == 2 and twins[0].source != twins[1].source:
            both_boxes = flow.source in net.boxes and flow.target in net.boxes
            found.append("straight" if both_boxes else "bend")
        else:
            found.append("straight")
    return found


def route(net: Network) -> tuple[list[Edge], list[Extent]]:
    """Every flow as an edge, with the extents of labels and arcs that reach beyond the entities."""
    flows = net.topology.flows
    routes = _routes(net)
    ends = [sides(net, flow) for flow in flows]
    turning = courses(net, routes, ends)
    for index, how in enumerate(routes):
        if how in ("elbow", "bus") and index not in turning:
            routes[index] = "arc" if _blocked(net, flows[index]) else "straight"
    bend = fan_bend(net, flows, routes, ends)
    around = detours(net, flows, routes, ends)
    for index, detour in around.items():
        ends[index] = detour.sides
        if routes[index] != "arc":
            routes[index] = "bend" if detour.bend else "straight"
    usual = [_bend(net, flow, how, bend) for flow, how in zip(flows, routes, strict=True)]
    bends = part_curves(flows, [around[index].bend if index in around else each for index, each in enumerate(usual)])
    lanes = _parallel(net, flows, routes)
    inner = between(flows, routes)
    shifts = _ports(net, flows, routes, ends)
    edges = []
    for index, flow in enumerate(flows):
        look = net.plan.figure.kind(flow.kind)
        how = routes[index]
        out, into = ends[index]
        if how == "arc" and index not in around:
            out = into = "north" if out in ("east", "west") else "east"
        apart = lanes[index]
        source_shift, target_shift = (
            _shift(side, shift + apart) for side, shift in zip((out, into), shifts[index], strict=True)
        )
        course = turning.get(index)
        if course is not None:
            (out, into), (source_shift, target_shift) = course.sides, course.shifts
        offset = course is not None or how == "straight"
        macro = net.plan.labels.macro(net.panel, flow_label(flow, index, net.mark)) if flow.label else ""
        edge = Edge(
            style=look.tikz_style(flow.kind),
            source=anchor(net, flow.source, out if how != "loop" else ""),
            target=anchor(net, flow.target, into if how != "loop" else ""),
            source_shift=source_shift if offset else (ZERO, ZERO),
            target_shift=target_shift if offset else (ZERO, ZERO),
            route=how,
            bend=bends[index],
            turn=course.turn if course else "",
            hub=course.hub if course else "",
            trunk=course.trunk if course else (ZERO, ZERO),
            label=macro,
            label_style=look.color,
            side=course.side
            if course and flow.side == "auto"
            else _label_side(net, flow, how, apart, around[index].bend if index in around else 0),
            pos=course.pos if course else _label_pos(net, flow, how),
            arrow=flow.direction,
            points=_points(net, flow, index),
            step=str(flow.step or ""),
            inline=bool(flow.label) and flow.side == "auto" and index in inner,
        )
        edges.append(edge)
    edges = settled(net, edges)
    extents: list[Extent] = []
    for index, (flow, edge) in enumerate(zip(flows, edges, strict=True)):
        course = turning.get(index)
        extents.extend(reach(net, flow, edge) if course is None else turned(net, flow, edge, course))
    return edges, extents


def _bend(net: Network, flow: Flow, how: str, fan: int) -> int:
    """How far a flow bends where nothing makes it take another way."""
    return fan if how == "bend" else arc_bend(net, flow) if how == "arc" else 0


def _shift(side: str, amount: Length) -> tuple[Length, Length]:
    return (amount, ZERO) if side in ("north", "south") else (ZERO, amount)


def _parallel(net: Network, flows: Sequence[Flow], routes: Sequence[str]) -> list[float]:
    """How far each straight flow is set off from the line between its nodes, in cm, so that twins run side by side."""
    groups: dict[frozenset[str], list[int]] = {}
    for index, flow in enumerate(flows):
        if routes[index] == "straight":
            groups.setdefault(frozenset((flow.source, flow.target)), []).append(index)
    found = [0.0] * len(flows)
    for members in groups.values():
        apart = _gap(net, [flows[index] for index in members])
        for place, index in enumerate(members):
            found[index] = (place - (len(members) - 1) / 2) * apart
    return found


def _gap(net: Network, flows: Sequence[Flow]) -> float:
    """How far apart twins run, in cm: upright ones leave room for the labels that stand on the inner ones."""
    upright = sides(net, flows[0])[0] in ("north", "south")
    inner = [net.plan.measure(flow.label).width for flow in flows[1:-1] if flow.label]
    if not upright or not inner:
        return _APART
    room = min(net.shapes[name].width for name in (flows[0].source, flows[0].target)) - _EDGE
    return max(_APART, min(max(inner) / 2 + _BESIDE, room / (len(flows) - 1)))


def _ports(
    net: Network, flows: Sequence[Flow], routes: Sequence[str], ends: Sequence[tuple[str, str]]
) -> list[list[Length]]:
    """Spread the straight flows that meet on one side of a box along that side, nearest to where they come from."""
    shifts = [[ZERO, ZERO] for _ in flows]
    meeting: dict[tuple[str, str], list[tuple[int, int, str]]] = {}
    for index, flow in enumerate(flows):
        if routes[index] != "straight":
            continue
        for end, (name, other) in enumerate(((flow.source, flow.target), (flow.target, flow.source))):
            if name in net.boxes:
                meeting.setdefault((name, ends[index][end]), []).append((index, end, other))
    for (name, side), arrivals in meeting.items():
        if len({other for _, _, other in arrivals}) < 2:
            continue
        axis = 0 if side in ("north", "south") else 1
        half = (net.shapes[name].width if axis == 0 else net.shapes[name].height) / 2
        offsets = {other: net.where[other].at[axis] - net.where[name].at[axis] for _, _, other in arrivals}
        farthest = max(abs(offset.at(net.plan.values)) for offset in offsets.values())
        factor = min(1.0, max(half - 2 * _APART, half * 0.4) / farthest) if farthest else 1.0
        for index, end, other in arrivals:
            shifts[index][end] = offsets[other] * round(factor, 3)
    return shifts


def _label_side(net: Network, flow: Flow, how: str, apart: float, bend: int) -> str:
    """Labels stand on the outer side: of a bend, of a pair, of the whole bundle."""
    if flow.side != "auto":
        return flow.side
    if how in ("bend", "loop"):
        return "left" if bend >= 0 else "right"
    (x0, y0), (x1, y1) = net.center(flow.source), net.center(flow.target)
    if how == "arc":  # it rises over what is in the way: above a row, or to the right of a column
        return "left" if (x1 > x0 if y0 == y1 else y1 < y0) else "right"
    vertical = sides(net, flow)[0] in ("north", "south")
    if vertical:
        middle = (x0 + x1) / 2 + (apart or 0.0)
        outer_is_west = middle <= net.middle[0] if not apart else apart < 0
        return "left" if outer_is_west == (y1 > y0) else "right"
    outer_is_north = (y0 + y1) / 2 + apart >= net.middle[1] - 1e-9 if not apart else apart > 0
    return "left" if outer_is_north == (x1 > x0) else "right"


def _label_pos(net: Network, flow: Flow, how: str) -> float:
    """Labels of a fan stand nearer to its many ends: there it is wide, and the one end has its caption."""
    if how != "bend" or not isinstance(net.topology.layout, Levels):
        return 0.5
    here, there = (net.peers[net.where[name].level] for name in (flow.source, flow.target))
    return 0.5 if here == there else 0.38 if here > there else 0.62


def _points(net: Network, flow: Flow, index: int) -> tuple[tuple[float, str], ...]:
    """The points along this flow that links end on, with the names of their coordinates."""
    if not flow.id:
        return ()
    wanted = net.points.get(flow.id, ())
    base = net.plan.name(net.panel, flow.id)
    return tuple((at, base if len(wanted) == 1 else f"{base}-{place + 1}") for place, at in enumerate(wanted))
