"""Scene items of flows; flows that differ in one member of a family share one loop."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from math import dist

from tikzgen.base.record import replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.scene.items import Item, NoteItem
from tikzgen.layout.symbolic_lengths import ZERO_PAIR
from tikzgen.layout.topology.flow_paths import FlowPath
from tikzgen.layout.topology.nested.flow_label_places import ON
from tikzgen.layout.topology.nested.nested_graph import Route as Route
from tikzgen.layout.topology.positions.flow_tracks import FlowTrack
from tikzgen.layout.topology.topology_items import Crossing, FlowItem, FlowLoopItem, PathPlace
from tikzgen.layout.topology.topology_macros import flow_text
from tikzgen.layout.topology.topology_positions import Paper
from tikzgen.model.topology import Flow, Topology

_ANCHORS = ("east", "south", "west", "north", "center")
_AUTO = ("auto, swap", "auto")
_OFF_TOLERANCE_CM = 5e-4
_FAR_CM = 30.0
"""TikZ computes `bend left` with sixteen times the distance: more than 36 cm is too large a dimension for TeX."""
_TURNED = ("south", "east", "north", "west")  # anchors of a rotated label, as seen on the page


def stops_of(
    plan: LayoutAttempt, panel: str, part: Topology, points: Mapping[str, tuple[float, ...]]
) -> Iterator[tuple[int, Flow, str, float]]:
    """Yield the points along flows that links end on: index, flow, name of the coordinate, share."""
    for index, flow in enumerate(part.flows):
        wanted, base = points.get(flow.id or "", ()), plan.name(panel, flow.id or "")
        for number, place in enumerate(wanted, 1):
            yield index, flow, base if len(wanted) == 1 else f"{base}-{number}", place


def flow_items(paper: Paper, points: Mapping[str, tuple[float, ...]]) -> list[Item]:
    """Return the items of all flows; combine flows of workers into loops unless the figure has slides."""
    stops: dict[int, list[tuple[str, float]]] = {}
    for index, _, name, share in stops_of(paper.plan, paper.panel, paper.part, points):
        stops.setdefault(index, []).append((name, share))
    ways = [_make_flow(paper, index, stops.get(index, ())) for index in range(len(paper.part.flows))]
    ways, over = _separate_labels(paper, ways)
    trunks = list(_iterate_trunk_items(paper))
    heading = [NoteItem("trunks of the flows that join all nodes of two sets")] if trunks else []
    workers = [node.id for node in paper.part.nodes if getattr(node, "kind", "") == "worker"]
    members = set() if paper.plan.figure.slides else {paper.plan.name(paper.panel, one) for one in workers}
    return _gather_loops(ways, [*heading, *trunks, *over], members)


def _make_flow(paper: Paper, index: int, stops: Sequence[tuple[str, float]]) -> FlowItem:
    """Return a flow with its labels."""
    flow, course = paper.part.flows[index], paper.layout.ways[index]
    look, spot, mark = paper.plan.figure.kind(flow.kind), paper.layout.texts[index], paper.layout.marks[index]
    snake = look.line == "snake"  # a loop is too small for waves, and they have no round corners
    source, target = _find_ends(paper, index)
    on_trunk = paper.graph.lines[index].mesh
    if on_trunk and not (stops or mark or spot):  # invisible, so that its way does not matter
        return FlowItem(look.tikz_style(flow.kind), source.anchor, target.anchor, arrow=flow.direction, on_trunk=True)
    direct = paper.layout.direct and len(course.points) == 2
    bend = 0 if _are_far(paper.layout.ways) else course.bend
    curved = flow.route in ("bend", "curved") and not direct and not snake
    path = None
    if not direct and not course.bend:
        path = FlowPath(paper, index, source, target, plain=snake or curved)
    corners: tuple[tuple[str, Crossing], ...] = path.corners if path else ()
    last = path.last if path else "--"
    if course.bend and not bend:
        corners, last = _controls(paper, index, source, target)

    def place(segment: int, share: float) -> PathPlace:
        return path.find_position(segment, share) if path else (len(corners), share)

    found = FlowItem(
        look.tikz_style(flow.kind) + (", decorate=false" if snake and flow.source == flow.target else ""),
        source.anchor,
        target.anchor,
        source.shift,
        target.shift,
        corners,
        last,
        flow.direction,
        on_trunk=on_trunk,
        curved=curved,
        bend=bend,
        step=str(flow.step or ""),
        points=tuple((name, place(*course.find_segment(share))) for name, share in stops),
    )
    if mark:
        found = replace(found, step_at=place(mark.segment, mark.share))
    if spot is None:
        return found
    turned = flow.label_at == "sloped" and (direct or spot.side in (0, 2))
    beside, x, y = not direct, *spot.at
    (x0, y0), (x1, y1) = course.points[spot.segment : spot.segment + 2]
    off = x - x0 - spot.share * (x1 - x0), y0 + spot.share * (y1 - y0) - y
    return replace(
        found,
        label=paper.plan.labels.find_macro(paper.panel, paper.flow_stems[index]),
        at=place(spot.segment, spot.share),
        anchor=_AUTO[spot.left] if not beside and spot.side != ON else (_TURNED if turned else _ANCHORS)[spot.side],
        off=off if beside and spot.side != ON and max(map(abs, off)) > _OFF_TOLERANCE_CM else None,
        turned=("rotate=90" if beside else "sloped") if turned else "",
        wrap=flow_text(paper.plan, flow)[1],
    )


def _find_ends(paper: Paper, index: int) -> tuple[FlowTrack, FlowTrack]:
    """Return the anchors at which a flow ends, with its shifts from them."""
    flow, course = paper.part.flows[index], paper.layout.ways[index]
    ends = ((flow.source, 0), (flow.target, -1))
    source, target = (FlowTrack(paper.anchor(name, course, end), paper.shift(name, index, end)) for name, end in ends)
    return source, target


_Corner = tuple[int, int]
"""The index of a flow, and of a point of its route that is not an end."""


def _iterate_trunk_items(paper: Paper) -> Iterator[FlowItem]:
    """Yield the lines of all meshes once: trunks, then a line between its trunk and each node."""
    bundles: dict[int, list[int]] = {}
    for index, line in enumerate(paper.graph.lines):
        if line.mesh:
            bundles.setdefault(line.bundle, []).append(index)
    for members in bundles.values():
        kind = paper.part.flows[members[0]].kind
        style = paper.plan.figure.kind(kind).tikz_style(kind)
        nearest = _find_nearest_corners(paper, members)
        for one, other in _iterate_bars(paper, members, nearest):
            start, goal = (_spell_corner(paper, corner) for corner in (one, other))
            yield FlowItem(style, start.anchor, goal.anchor, start.shift, goal.shift, arrow="none")
        heads: set[str] = set()
        for flow in (paper.part.flows[index] for index in members):
            heads |= {flow.target} if flow.direction in ("forward", "both") else set()
            heads |= {flow.source} if flow.direction in ("backward", "both") else set()
        for name, (_, corner, place) in nearest.items():
            start, goal = _spell_corner(paper, corner), _find_ends(paper, corner[0])[place]
            arrow = "forward" if name in heads else "none"
            yield FlowItem(style, start.anchor, goal.anchor, start.shift, goal.shift, arrow=arrow)


def _find_nearest_corners(paper: Paper, members: Sequence[int]) -> dict[str, tuple[float, _Corner, int]]:
    """Return the nearest corner of each node of a mesh: the distance, the corner, the end of its flow."""
    found: dict[str, tuple[float, _Corner, int]] = {}
    for index in members:
        flow, points = paper.part.flows[index], paper.layout.ways[index].points
        for place, (name, corner) in enumerate(((flow.source, 1), (flow.target, len(points) - 2))):
            if len(points) > 2:
                way = dist(points[-place], points[corner]), (index, corner), place
                found[name] = min(found.get(name, way), way)
    return found


def _iterate_bars(
    paper: Paper, members: Sequence[int], nearest: Mapping[str, tuple[float, _Corner, int]]
) -> Iterator[tuple[_Corner, _Corner]]:
    """Yield the ends of the segments between the nearest corners of nodes; segments that overlap are one."""
    ways = paper.layout.ways
    found: dict[tuple[int, float], list[tuple[float, float, _Corner, _Corner]]] = {}
    for index in members:
        flow = paper.part.flows[index]
        inner = ((index, corner) for corner in range(1, len(ways[index].points) - 1))
        corners = [nearest[flow.source][1], *inner, nearest[flow.target][1]]
        for pair in pairwise(corners):
            points = [ways[number].points[corner] for number, corner in pair]
            axis = int(abs(points[0][0] - points[1][0]) < abs(points[0][1] - points[1][1]))
            (low, one), (high, other) = sorted(
                (round(point[axis], 3), corner) for point, corner in zip(points, pair, strict=True)
            )
            if low < high:
                found.setdefault((axis, round(points[0][1 - axis], 3)), []).append((low, high, one, other))
    for bars in found.values():
        (_, reached, start, end), *others = sorted(bars)
        for low, high, one, other in others:
            if low > reached:
                yield start, end
                start, end, reached = one, other, high
            elif high > reached:
                end, reached = other, high
        yield start, end


def _spell_corner(paper: Paper, corner: _Corner) -> FlowTrack:
    """Return a corner of a route as TikZ writes it."""
    index, number = corner
    path = FlowPath(paper, index, *_find_ends(paper, index), plain=True)
    crossing = path.cross_at_corner(number)
    return FlowTrack(f"{crossing.anchor} |- {crossing.level_with}", crossing.shift)


def _are_far(ways: Sequence[Route]) -> bool:
    """Return whether the ends of a curve are so far apart that TikZ could not compute its `bend left`."""
    vectors = ([goal - start for start, goal in zip(*way.points, strict=True)] for way in ways if way.bend)
    return any(abs(length) > _FAR_CM for vector in vectors for length in vector)


def _controls(
    paper: Paper, index: int, source: FlowTrack, target: FlowTrack
) -> tuple[tuple[tuple[str, Crossing], ...], str]:
    """Return the control points of a curve with the words before them, and the word after them."""
    found = []
    for word, end, (x, y) in zip(
        (".. controls", "and"), (source, target), paper.find_control_shifts(index), strict=True
    ):
        found.append((word, Crossing(end.anchor, (end.shift[0] + x, end.shift[1] + y))))
    return tuple(found), ".."


def _separate_labels(paper: Paper, ways: Sequence[FlowItem]) -> tuple[list[FlowItem], list[FlowItem]]:
    """Split labels and steps from flows that share a trunk, because later flows would hide them.

    Return the flows, and items that draw only these labels and steps.
    """
    found, over = [*ways], []
    for index, (line, spot, way) in enumerate(zip(paper.graph.lines, paper.layout.texts, ways, strict=True)):
        on = spot is not None and spot.side == ON
        if line.bundle and (on or way.step):
            found[index] = replace(way, step="", label="" if on else way.label)
            over.append(replace(way, only_texts=True, points=(), label=way.label if on else ""))
    return found, over


def _gather_loops(ways: Sequence[FlowItem], over: Sequence[Item], members: Collection[str]) -> list[Item]:
    r"""Gather curves that differ only in one member of a family into one `\foreach`, with separate labels."""
    if any(way.bend and (way.source_shift, way.target_shift) != (ZERO_PAIR, ZERO_PAIR) for way in ways):
        return [*ways, *over]
    items: list[Item] = []
    labelled: list[Item] = [*over]
    runs: dict[str, list[FlowItem]] = {}
    for way in ways:
        member = next((name for end in (way.source, way.target) if (name := end.rpartition(".")[0]) in members), "")
        if way.bend and member and not way.points and not way.step:
            runs.setdefault(member, []).append(_abstract(way, member))
            if way.label:
                labelled.append(replace(way, only_texts=True))
        else:
            items.append(way)
    waiting: dict[tuple[FlowItem, ...], list[str]] = {}
    for member, shapes in runs.items():
        waiting.setdefault(tuple(shapes), []).append(member)
    items.extend(FlowLoopItem(tuple(names), shapes) for shapes, names in waiting.items())
    return [*items, *labelled]


def _abstract(way: FlowItem, member: str) -> FlowItem:
    """Return a flow with a placeholder for the member, and without its label."""
    source, target = (
        f"\\w.{end.rpartition('.')[2]}" if end.rpartition(".")[0] == member else end for end in (way.source, way.target)
    )
    return FlowItem(way.style, source, target, arrow=way.arrow, bend=way.bend)
