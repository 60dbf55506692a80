"""Flows of level and upright legs: an elbow has one corner; a bus joins or leaves a trunk that many flows share."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from tikzgen.base.record import Record
from tikzgen.layout.length import ZERO, Length
from tikzgen.layout.topology.network import Network
from tikzgen.model.topology import Flow, Line

__all__ = ["Course", "between", "courses"]

GAP = 0.5  # cm between the side of a node and the trunk beside it
_APART = 0.3  # cm between flows that join the same two nodes
_HEAD = 0.35  # cm: an arrow shorter than this is all head

Point = tuple[Length, Length]
Sides = tuple[str, str]


class Course(Record):
    """How a flow runs: the sides that it leaves and reaches, how far its ends are set off along them, where it turns.

    It turns by `turn`, TikZ's `-|` or `|-`, with its label at `pos` of that, on the `side` of its direction. A bus has
    a corner more: `trunk` away from its source or target, the `hub`. `spots` are the points that it reaches besides
    its ends; `label` is the point on the leg that has the label above or right of it (`beyond`), or on the other side.
    """

    sides: Sides
    shifts: tuple[Point, Point]
    turn: str
    pos: float
    side: str
    label: Point
    level: bool
    beyond: bool
    hub: str = ""
    trunk: Point = (ZERO, ZERO)
    spots: tuple[Point, ...] = ()


def courses(net: Network, routes: Sequence[str], ends: Sequence[Sides]) -> dict[int, Course]:
    """The course of every elbow and bus by its place; a flow that needs no corner has none."""
    flows = net.topology.flows
    meant = [index for index, how in enumerate(routes) if how in ("elbow", "bus")]
    meeting = Counter(end for index in meant for end in _arrivals(flows[index], ends[index]))
    groups: dict[tuple[str, frozenset[str]], list[int]] = {}
    for index in meant:
        flow = flows[index]
        groups.setdefault((routes[index], frozenset((flow.source, flow.target))), []).append(index)
    found: dict[int, Course] = {}
    for (how, _), members in groups.items():
        together = [flows[index] for index in members]
        spread = _spread(net, together)
        # the innermost trunk stays where it is, the others move outwards
        lift = _lift(net, together) + (spread - 1) * (len(members) - 1) / 2 * _APART
        for place, index in enumerate(members):
            apart = (place - (len(members) - 1) / 2) * _APART
            flow = flows[index]
            course = _elbow(net, flow, apart) if how == "elbow" else _bus(net, flow, apart, lift, spread)
            if course is None and not _aligned(net, flow):
                course = _through(net, flow, ends[index], meeting, apart)
            if course is not None:
                found[index] = course
    return found


def between(flows: Sequence[Flow], routes: Sequence[str]) -> frozenset[int]:
    """The flows that have others of their kind of route on both sides, between the same two nodes."""
    groups: dict[tuple[str, frozenset[str]], list[int]] = {}
    for index, flow in enumerate(flows):
        if routes[index] in ("straight", "elbow", "bus"):
            groups.setdefault((routes[index], frozenset((flow.source, flow.target))), []).append(index)
    return frozenset(index for members in groups.values() for index in members[1:-1])


def _arrivals(flow: Flow, sides: Sides) -> tuple[tuple[str, str], tuple[str, str]]:
    return (flow.source, sides[0]), (flow.target, sides[1])


def _side(positive: bool, axis: str) -> str:
    return ("east" if positive else "west") if axis == "x" else ("north" if positive else "south")


def _foot(net: Network, name: str, side: str, shift: Point) -> Point:
    """The point on a node's side that a flow leaves or reaches."""
    (x, y), shape = net.where[name].at, net.shapes[name]
    dx = {"east": shape.width / 2, "west": -shape.width / 2}.get(side, 0.0)
    dy = {"north": shape.height / 2, "south": -shape.height / 2 - shape.below}.get(side, 0.0)
    return x + shift[0] + dx, y + shift[1] + dy


def _between(one: Length, other: Length) -> Length:
    return (one + other) * 0.5


def _left(net: Network, start: Length, goal: Length, *, level: bool, beyond: bool) -> str:
    """On which side of a leg's direction its label stands."""
    forward = goal.at(net.plan.values) > start.at(net.plan.values)
    return "left" if (forward == beyond) == level else "right"


def _free(net: Network, axis: str, line: float, low: float, high: float) -> bool:
    """Whether no entity stands on this line between two places, the second one included."""
    places = net.lines.get((axis, line), [])
    if low < high:
        return bisect_right(places, high + 1e-9) == bisect_right(places, low + 1e-9)
    return bisect_left(places, high - 1e-9) == bisect_left(places, low - 1e-9)


def _elbow(net: Network, flow: Flow, apart: float) -> Course | None:
    """One corner, on whichever of the two ways no entity stands; level first where both are free."""
    (x0, y0), (x1, y1) = net.center(flow.source), net.center(flow.target)
    source, target = net.shapes[flow.source], net.shapes[flow.target]
    here, there = net.where[flow.source], net.where[flow.target]
    wide, tall = abs(x1 - x0) - _HEAD, abs(y1 - y0) - _HEAD
    level_first = wide > source.width / 2 and tall > target.height / 2 + target.below
    upright_first = tall > source.height / 2 + source.below and wide > target.width / 2
    level_free = _free(net, "y", here.y, here.x, there.x) and _free(net, "x", there.x, there.y, here.y)
    upright_free = _free(net, "x", here.x, here.y, there.y) and _free(net, "y", there.y, there.x, here.x)
    east, north = x1 > x0, y1 > y0
    if level_first and level_free:
        sides = _side(east, "x"), _side(not north, "y")
        # the corner moves outwards, so that flows beside each other neither touch nor cross
        shifts = (ZERO, Length(-apart if north else apart)), (Length(apart if east else -apart), ZERO)
        start, goal = _feet(net, flow, sides, shifts)
        beyond = (apart >= 0) != north
        side = _left(net, start[0], goal[0], level=True, beyond=beyond)
        corner = goal[0], start[1]
        return Course(
            sides, shifts, "-|", 0.25, side, (_between(start[0], goal[0]), start[1]), True, beyond, spots=(corner,)
        )
    if upright_first and upright_free:
        sides = _side(north, "y"), _side(not east, "x")
        shifts = (Length(-apart if east else apart), ZERO), (ZERO, Length(apart if north else -apart))
        start, goal = _feet(net, flow, sides, shifts)
        beyond = (apart >= 0) == north
        side = _left(net, start[0], goal[0], level=True, beyond=beyond)
        corner = start[0], goal[1]
        return Course(
            sides, shifts, "|-", 0.75, side, (_between(start[0], goal[0]), goal[1]), True, beyond, spots=(corner,)
        )
    return None


def _feet(net: Network, flow: Flow, sides: Sides, shifts: tuple[Point, Point]) -> tuple[Point, Point]:
    return _foot(net, flow.source, sides[0], shifts[0]), _foot(net, flow.target, sides[1], shifts[1])


def _aligned(net: Network, flow: Flow) -> bool:
    here, there = net.where[flow.source], net.where[flow.target]
    return here.x == there.x or here.y == there.y


def _bus(net: Network, flow: Flow, apart: float, lift: float, spread: float) -> Course | None:
    """Within a row or column that is all there is, or has an entity in the way: round it."""
    if not _aligned(net, flow):
        return None
    here, there = net.where[flow.source], net.where[flow.target]
    level = here.y == there.y
    axis, line, ends = ("y", here.y, (here.x, there.x)) if level else ("x", here.x, (here.y, there.y))
    between = any(min(ends) < place < max(ends) for place in net.lines[axis, line])
    around = between or isinstance(net.topology.layout, Line)
    return _over(net, flow, apart, lift, spread, level=level) if around else None


def _lift(net: Network, flows: Sequence[Flow]) -> float:
    """How much farther from a row or column its trunks run, so that the labels of the inner ones stand below them."""
    inner = [net.plan.measure(flow.label) for flow in flows[: len(flows) // 2] if flow.label]
    (_, y0), (_, y1) = net.center(flows[0].source), net.center(flows[0].target)
    size = max((size.height + size.depth if abs(y1 - y0) < 1e-6 else size.width for size in inner), default=0.0)
    return max(0.0, size + 2 * _APART - GAP) if inner else 0.0


def _spread(net: Network, flows: Sequence[Flow]) -> float:
    """How many times farther apart than their ends trunks run, so that labels on upright ones keep off the others."""
    (_, y0), (_, y1) = net.center(flows[0].source), net.center(flows[0].target)
    inner = [net.plan.measure(flow.label).width for flow in flows[1:-1] if flow.label]
    if not inner or abs(y1 - y0) < 1e-6:
        return 1.0
    return round(max(1.0, (max(inner) / 2 + _APART / 2) / _APART), 3)


def _through(net: Network, flow: Flow, sides: Sides, meeting: Counter[tuple[str, str]], apart: float) -> Course:
    """Between two rows or columns, along a trunk before the side where most flows meet."""
    level = sides[0] in ("east", "west")
    here, there = (meeting[end] for end in _arrivals(flow, sides))
    # a tie goes to the same node for both directions
    first = here > there or (here == there and sides[0] in ("east", "south"))
    hub, leaf = (flow.source, flow.target) if first else (flow.target, flow.source)
    side = sides[0] if first else sides[1]
    (hub_x, hub_y), (leaf_x, leaf_y) = net.center(hub), net.center(leaf)
    # two trunks run side by side; their branches turn so that they do not cross each other
    branch = apart if (leaf_y > hub_y if level else leaf_x > hub_x) else -apart
    gap = Length(-GAP + apart if side in ("west", "south") else GAP - apart)
    at_hub, at_leaf = ((ZERO, Length(one)) if level else (Length(one), ZERO) for one in (apart, branch))
    trunk = (gap, at_hub[1]) if level else (at_hub[0], gap)
    shifts = (at_hub, at_leaf) if first else (at_leaf, at_hub)
    start, goal = _feet(net, flow, sides, shifts)
    end = goal if first else start
    corner = _foot(net, hub, side, trunk)
    turn, pos = ("|-" if level == first else "-|"), (0.75 if first else 0.25)
    beyond = branch >= 0 if level else branch > 0
    if level:
        label = _between(corner[0], end[0]), end[1]
        where = _left(net, start[0], goal[0], level=True, beyond=beyond)
    else:
        label = end[0], _between(corner[1], end[1])
        where = _left(net, start[1], goal[1], level=False, beyond=beyond)
    return Course(sides, shifts, turn, pos, where, label, level, beyond, "source" if first else "target", trunk)


def _over(net: Network, flow: Flow, apart: float, lift: float, spread: float, *, level: bool) -> Course:
    """Along a row above it, along a column to its right: clear of captions and of the largest entity there."""
    line = net.where[flow.source].y if level else net.where[flow.source].x
    peers = [name for name, place in net.where.items() if (place.y if level else place.x) == line]
    own, its = (_across(net, name, level=level) for name in (flow.source, flow.target))
    hub = "source" if own >= its else "target"
    side = _side(True, "y" if level else "x")
    (x0, y0), (x1, y1) = net.center(flow.source), net.center(flow.target)
    # the outer one of two has its ends farther out as well
    outward = apart if (x0 < x1 if level else y0 < y1) else -apart
    gap = Length(
        GAP + lift + apart * spread + (max(_across(net, name, level=level) for name in peers) - max(own, its)) / 2
    )
    shifts = ((Length(-outward), ZERO), (Length(outward), ZERO))
    if not level:
        shifts = ((ZERO, Length(-outward)), (ZERO, Length(outward)))
    along = shifts[hub == "target"]
    trunk = (along[0], gap) if level else (gap, along[1])
    start, goal = _feet(net, flow, (side, side), shifts)
    foot = _foot(net, flow.source if hub == "source" else flow.target, side, trunk)
    first = hub == "source"
    beyond = apart >= 0
    if level:
        ends = (start[0], foot[1]), (goal[0], foot[1])
        label, where = (_between(start[0], goal[0]), foot[1]), _left(net, start[0], goal[0], level=True, beyond=beyond)
    else:
        ends = (foot[0], start[1]), (foot[0], goal[1])
        label, where = (foot[0], _between(start[1], goal[1])), _left(net, start[1], goal[1], level=False, beyond=beyond)
    turn = "-|" if level == first else "|-"
    pos = 0.25 if first else 0.75
    return Course((side, side), shifts, turn, pos, where, label, level, beyond, hub, trunk, ends)


def _across(net: Network, name: str, *, level: bool) -> float:
    shape = net.shapes[name]
    return shape.height if level else shape.span
