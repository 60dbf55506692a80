"""Positions of nodes by stated layouts, as multiples of the distances, and minimum distances."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count, pairwise

from tikzgen.base.record import Record, replace
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.symbolic_lengths import Pair, make_length
from tikzgen.layout.topology.node_sizes import EntitySize
from tikzgen.layout.topology.topology_macros import flow_text
from tikzgen.model.looks import TEXT_WIDE, width_in_cm
from tikzgen.model.topology import Arrangement, Grid, Levels, Line, Ring, Row, Star, Topology, Tree

ARROW = 1.1  # cm; a shorter arrow resembles a dot between two boxes
_SHORTEST = 0.5  # cm of an arrow at least, even for stated distances
_BESIDE_BOXES = 0.9  # cm between boxes above each other, if levels follow to the right
_STEEP_SHARE = 1.0 / TEXT_WIDE  # of the width, added to the distance of rows, so that flows are not flat
_SLANTING = 1.5  # times the length of an arrow and its label, for a horizontal flow if other flows are diagonal


class StatedCenter(Record):
    """A center as multiples of two parameters, or a separate `spot`, and its level.

    An `offset` in cm moves it, to the right and up.
    """

    x: float
    y: float
    level: int = 0
    x_unit: str = "colsep"
    y_unit: str = "rowsep"
    spot: Pair | None = None
    offset: tuple[float, float] = (0.0, 0.0)

    @property
    def at(self) -> Pair:
        if self.spot is not None:
            return self.spot
        x, y = make_length(self.x_unit, self.x), make_length(self.y_unit, self.y)
        return x + self.offset[0], y + self.offset[1]


def _in_levels(levels: Sequence[Row], direction: str) -> dict[str, StatedCenter]:
    """Place levels in sequence, each centered on the same axis."""
    found = {}
    for depth, names in enumerate(levels):
        for index, name in enumerate(names):
            across = (len(names) - 1) / 2 - index
            if name is None:
                continue
            found[name] = (
                StatedCenter(depth, across, depth) if direction == "right" else StatedCenter(-across, -depth, depth)
            )
    return found


def _on_circle(names: Sequence[str]) -> dict[str, StatedCenter]:
    found = {}
    for index, name in enumerate(names):
        angle = math.pi / 2 - index * 2 * math.pi / len(names)
        found[name] = StatedCenter(round(math.cos(angle), 4), round(math.sin(angle), 4), 1, "radius", "radius")
    return found


def _on_ellipse(names: Sequence[str]) -> dict[str, StatedCenter]:
    return {name: replace(place, y=place.y / 2, y_unit="ringheight") for name, place in _on_circle(names).items()}


def _tree_levels(names: Sequence[str], pairs: Sequence[tuple[str, str]], root: str) -> dict[str, StatedCenter]:
    children: dict[str, list[str]] = {name: [] for name in names}
    depth = {root: 0}
    reached = [root]
    for name in reached:
        for source, target in pairs:
            if source == name and target not in depth:
                depth[target] = depth[name] + 1
                children[name].append(target)
                reached.append(target)
    branches, stack = [], [root]  # preorder from right to left: each node before its children
    while stack:
        branches.append(stack.pop())
        stack.extend(children[branches[-1]])
    loose = [name for name in names if name not in depth]
    x: dict[str, float] = {}
    leaves = count()
    for name in (*reversed(branches), *loose):
        below = children[name]
        x[name] = (x[below[0]] + x[below[-1]]) / 2 if below else float(next(leaves))
    # nodes that no flow reaches are on the level of the root, to the right
    return {name: StatedCenter(x[name] - x[root], -depth.get(name, 0), depth.get(name, 0)) for name in x}


def place_nodes(plan: LayoutAttempt, topology: Topology) -> dict[str, StatedCenter]:
    """Return the position of each node by id; it is the same in each attempt at a layout."""

    def find_places() -> dict[str, StatedCenter]:
        pairs = [(flow.source, flow.target) for flow in topology.flows]
        found = arrange_nodes(topology.arrangement, [node.id for node in topology.nodes], pairs)
        return found | {name: replace(found[name], offset=offset) for name, offset in topology.offsets.items()}

    return plan.compute_once(find_places, "places", id(topology))


def arrange_nodes(
    layout: Arrangement, names: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> dict[str, StatedCenter]:
    """Return the position of each name by a layout; a tree follows the `pairs` that flows join."""
    match layout:
        case Levels():
            return _in_levels(layout.rows, layout.direction)
        case Grid():
            rows = enumerate(layout.rows(names))
            return {name: StatedCenter(x, -y, y) for y, row in rows for x, name in enumerate(row) if name is not None}
        case Ring():
            return _on_ellipse(names)
        case Star():
            around = _on_circle([name for name in names if name != layout.center])
            return {layout.center: StatedCenter(0, 0, 0, "radius", "radius"), **around}
        case Tree():
            return _tree_levels(names, pairs, layout.root)
        case Line(type="column"):
            return {name: StatedCenter(0, -index) for index, name in enumerate(names)}
    return {name: StatedCenter(index, 0) for index, name in enumerate(names)}


def needs(
    plan: LayoutAttempt, topology: Topology, shapes: Mapping[str, EntitySize], where: Mapping[str, StatedCenter]
) -> dict[str, DistanceNeed]:
    """Return the distances of a topology, with their minimum and usual values."""
    layout = topology.arrangement
    if isinstance(layout, Star) and len(topology.nodes) == 1:
        return {}
    if isinstance(layout, Star):
        return {"radius": _radius(shapes, where)}
    if isinstance(layout, Ring):
        return _ring(plan, topology, shapes, where)
    found: dict[str, DistanceNeed] = {}
    if any(place.x for place in where.values()):  # also true for a single level after an empty one
        found["colsep"] = _columns(plan, topology, shapes, where)
    if any(place.y for place in where.values()):
        found["rowsep"] = _rows(plan, topology, shapes, where)
    return found


def runs_down(topology: Topology) -> bool:
    """Return whether levels follow each other downward, with their nodes in rows."""
    layout = topology.arrangement
    return isinstance(layout, Tree) or (isinstance(layout, Levels) and layout.direction == "down")


def _has_icons(topology: Topology) -> bool:
    return any(getattr(node, "form", "") == "icon" for node in topology.nodes)


def _columns(
    plan: LayoutAttempt, topology: Topology, shapes: Mapping[str, EntitySize], where: Mapping[str, StatedCenter]
) -> DistanceNeed:
    """Return the distance of columns: room for the flows between them, or for their labels."""
    layout, down = topology.arrangement, runs_down(topology)
    level = [flow for flow in topology.flows if where[flow.source].y == where[flow.target].y]
    beside = level if down else topology.flows
    words = max((flow_text(plan, flow)[0].width for flow in beside if flow.label), default=0.0)
    marks = 0.4 if any(flow.step for flow in beside) else 0.0
    marks += 0.6 if any(flow.route in ("bus", "elbow") for flow in beside) else 0.0  # for a trunk between columns
    busy = {where[flow.source].y for flow in beside}
    between = _room_between(plan, topology, where) if down else 0.0

    def spread(beyond: float, arrow: float = ARROW, share: float = 1.0, apart: float = 0.16) -> float:
        """Return the minimum distance with flows longer than their labels by `beyond` cm, or than a share."""

        def gap(left: str, right: str) -> float:
            linked = beside if not down else where[left].y in busy
            return max(arrow, share * words + marks + beyond) if linked else apart

        return max(_spread(shapes, where, "x", gap, whole=not down), between)

    least, usual = spread(_BEYOND[0]), spread(_BEYOND[1]) + 0.4
    if isinstance(layout, Levels) and not down and _has_icons(topology):
        usual = max(4.6, usual)  # the template's own
    slanting = any(where[flow.source].y != where[flow.target].y for flow in beside)
    # two flows in opposite directions separate only in the middle
    arrow, share = (_SLANTING * ARROW, _SLANTING) if slanting else (_SHORTEST, 1.0)
    firm = spread(_BEYOND[0], arrow, share, apart=0.25)
    return DistanceNeed(least, usual, "x", _COLSEP.get(getattr(layout, "direction", ""), _COLSEP[""]), firm=firm)


def _rows(
    plan: LayoutAttempt, topology: Topology, shapes: Mapping[str, EntitySize], where: Mapping[str, StatedCenter]
) -> DistanceNeed:
    """Return the distance of rows, with room for the flows between them."""
    layout = topology.arrangement
    across = [flow for flow in topology.flows if where[flow.source].y != where[flow.target].y]
    text = max((flow_text(plan, flow)[0].height for flow in across if flow.label), default=0.0)

    def least_of(free: float, *, whole: bool) -> float:
        return _spread(shapes, where, "y", lambda upper, lower: free, whole=whole)

    if isinstance(layout, Levels) and layout.direction == "right":
        least = least_of(0.25, whole=False)
        firm = least_of(text + 0.2, whole=False) if text else least
        if _has_icons(topology):
            usual = 2.5 if max(map(len, layout.rows)) <= 4 else 1.9  # the template's own
        else:
            usual = max(shape.height for shape in shapes.values()) + _BESIDE_BOXES
        usual = max(usual, least)
        return DistanceNeed(least, usual, "y", "vertical gap between adjacent GPU workers", firm=firm)
    least = least_of(ARROW if across else 0.25, whole=True)
    firm = least_of(max(ARROW, text + 0.5) if text else _SHORTEST, whole=True) if across else least
    width = plan.figure.width
    steep = _STEEP_SHARE * (TEXT_WIDE if width is None else min(width_in_cm(width), TEXT_WIDE))
    return DistanceNeed(least, least + (steep if across else 0.2), "y", "vertical gap between rows", firm=firm)


_BEYOND = (0.3, 0.5)  # cm by which flows are longer than their labels: for a short width, and usually
_COLSEP = {
    "right": "horizontal gap between the three stages (data -> workers -> server)",
    "down": "horizontal gap between neighbors in a level",
    "": "horizontal gap between neighboring columns",
}


def _room_between(plan: LayoutAttempt, topology: Topology, where: Mapping[str, StatedCenter]) -> float:
    """Return the minimum distance of neighbors in a level that leaves room for their flow labels."""
    sides: dict[str, list[float]] = {}
    pairs: dict[frozenset[str], int] = {}
    for flow in topology.flows:
        lower = min(flow.source, flow.target, key=lambda name: where[name].y)
        twin = pairs.setdefault(frozenset((flow.source, flow.target)), 0)
        pairs[frozenset((flow.source, flow.target))] += 1
        if flow.label:
            room = sides.setdefault(lower, [0.0, 0.0])
            room[min(twin, 1)] = max(room[min(twin, 1)], flow_text(plan, flow)[0].width)
    least = 0.0
    for left, right in pairwise(sorted(where, key=lambda name: (where[name].y, where[name].x))):
        if where[left].y == where[right].y:
            room_right, room_left = sides.get(left, (0.0, 0.0))[1], sides.get(right, (0.0, 0.0))[0]
            if room_right or room_left:
                least = max(least, (room_right + room_left + 0.75) / max(where[right].x - where[left].x, 0.5))
    return least


def _spread(
    shapes: Mapping[str, EntitySize],
    where: Mapping[str, StatedCenter],
    axis: str,
    gap: Callable[[str, str], float],
    *,
    whole: bool,
) -> float:
    """Return the minimum distance of neighbors with `gap` cm between them.

    `whole` separates entire rows or columns.
    """
    at = {name: place.x if axis == "x" else -place.y for name, place in where.items()}
    halves = {
        name: (shape.span / 2,) * 2 if axis == "x" else (shape.height / 2, shape.height / 2 + shape.below)
        for name, shape in shapes.items()
    }
    lines: dict[float, list[str]] = {}
    for name, place in where.items():
        lines.setdefault(place.y if axis == "x" else place.x, []).append(name)
    if whole:  # the widest of each column (or the tallest of each row)
        peers = ([name for name in where if at[name] == place] for place in dict.fromkeys(at.values()))
        lines[math.inf] = [max(names, key=lambda name: sum(halves[name])) for names in peers]
    least = 0.5
    for names in lines.values():
        for first, second in pairwise(sorted(names, key=at.__getitem__)):
            room = halves[first][1] + halves[second][0] + gap(first, second)
            least = max(least, room / max(at[second] - at[first], 0.5))
    return least


def _radius(shapes: Mapping[str, EntitySize], where: Mapping[str, StatedCenter]) -> DistanceNeed:
    """Return the distance of nodes from the center of a star or a ring, with room for flows."""
    at = {name: (place.x, place.y) for name, place in where.items()}
    around = [name for name in where if math.hypot(*at[name]) > _CENTER_SHARE]
    pairs = [*zip(around, [*around[1:], *around[:1]], strict=True)] if len(around) > 1 else []
    spokes = [(center, name) for center in where if center not in around for name in around]

    def separate(spoke: float, chord: float) -> float:
        """Return the radius with `spoke` cm from the center to the nodes, and `chord` cm between neighbors."""
        found = 1.0
        for gap, joined in ((spoke, spokes), (chord, pairs)):
            for one, other in joined:
                x, y = at[other][0] - at[one][0], at[other][1] - at[one][1]
                inside = _reach_border(shapes[one], x, y) + _reach_border(shapes[other], x, y)
                found = max(found, (inside + gap) / math.hypot(x, y))
        return found

    least = separate(_SPOKE_GAPS[0], _CHORD_GAP)
    usual = separate(_SPOKE_GAPS[1], ARROW) + 0.2
    return DistanceNeed(least, usual, "x", "distance of the nodes from the center", firm=separate(0.4, 0.25))


def _reach_border(shape: EntitySize, x: float, y: float) -> float:
    """Return the distance in cm from the middle of a node to its border in the direction (x, y)."""
    wide, tall, far = shape.span / 2, (shape.height + shape.below) / 2, math.hypot(x, y)
    return min(wide * far / abs(x) if x else math.inf, tall * far / abs(y) if y else math.inf)


_CENTER_SHARE = 1e-6  # of the radius: nearer nodes are the center
_SPOKE_GAPS = (0.7, ARROW)  # cm from the center of a star to its nodes, at least and usually
_CHORD_GAP = 0.6 * ARROW  # cm between neighbors on a circle
_CIRCLE_ENTITIES = 6  # more nodes are on an ellipse, fewer on a circle unless the width stretches it
_BESIDE = 0.45  # cm between neighbors on an ellipse


def _ring(
    plan: LayoutAttempt, topology: Topology, shapes: Mapping[str, EntitySize], where: Mapping[str, StatedCenter]
) -> dict[str, DistanceNeed]:
    """Return a ring's half width and its height.

    Neighbors near the top are clear side by side, other neighbors are clear above each other.
    """
    circle = {name: replace(place, y=2 * place.y) for name, place in where.items()}
    radius, own = _radius(shapes, circle), plan.figure.spacing.radius
    wide = max(shape.span for shape in shapes.values()) + _BESIDE
    high = max(shape.height + shape.below for shape in shapes.values()) + _BESIDE
    names = list(where)
    pairs = [(where[one], where[other]) for one, other in zip(names, [*names[1:], *names[:1]], strict=True)]
    gaps = [(abs(one.x - other.x), abs(one.y - other.y)) for one, other in pairs]

    def height(across: float) -> float:
        return max((high / up for aside, up in gaps if up > 1e-3 and aside * across < wide - 1e-6), default=0.0)

    if len(names) > _CIRCLE_ENTITIES:
        # pairs with a small height are side by side, even in a tall ring
        least, usual = (
            wide / max(aside for aside, _ in gaps),
            max(wide / aside for aside, up in gaps if aside >= 2 * up),
        )
        radius = replace(radius, least=least, usual=usual, firm=least)
        tall = DistanceNeed(height(usual), height(own or usual), "y", _HIGH, height(own or radius.least))
    else:
        tall = DistanceNeed(height(radius.least), 2 * (own or radius.usual), "y", _HIGH)
    has_width = any(place.x for place in where.values())  # one or two nodes are above each other
    return {"radius": radius, "ringheight": tall} if has_width else {"ringheight": tall}


_HIGH = "height of the ring, from its lowest nodes to its highest"
