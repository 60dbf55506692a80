"""Graph of a topology: sizes of its nodes, frames and labels in cm, and its stated layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor

from tikzgen.base.plane import CM_PER_PT, Box, Compass, Point, is_level
from tikzgen.base.record import NOTHING, replace
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.constants import LABEL_INNER_PT, MARGIN
from tikzgen.layout.symbolic_lengths import ZERO_PAIR, make_box_around
from tikzgen.layout.topology.choose_buses import list_circles, shared_trunks
from tikzgen.layout.topology.nested.nested_graph import (
    CLOSE_PAD,
    PAD,
    ROOT,
    Graph,
    GraphCells,
    GraphFrame,
    Leaf,
)
from tikzgen.layout.topology.nested.nested_graph import GraphEdge as Wire
from tikzgen.layout.topology.nested.nested_layout import laid_out
from tikzgen.layout.topology.node_cells import find_part_sides
from tikzgen.layout.topology.node_items import part_box
from tikzgen.layout.topology.node_sizes import EntitySize, half_of, shape_of
from tikzgen.layout.topology.places_by_rule import StatedCenter, arrange_nodes, place_nodes, runs_down
from tikzgen.layout.topology.shapes.port_spans import PortSpan
from tikzgen.layout.topology.topology_macros import flow_text
from tikzgen.model.addresses import PartEnd
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import TEXT_WIDE, width_in_cm
from tikzgen.model.panel_parts import Panel
from tikzgen.model.topology import (
    SHAPES,
    AnyEntity,
    Arrangement,
    Auto,
    Dots,
    Entity,
    Flow,
    Grid,
    Group,
    Levels,
    Line,
    Ring,
    Star,
    Topology,
    Tree,
)

_HIGHEST = 20.4  # cm; default maximum height, as of the text of a page
_BASE = 0.6  # cm from the line of anchors to the lower edge of icons, so that their captions align
_TITLE = 0.6  # cm of a figure's height for its title
_OUTSIDE = 0.03  # cm of padding of a caption's TikZ node
_PANELS = 0.9  # cm between panels
_STEP = 0.25  # cm: widths that are nearly the same have one layout
_SIDES: tuple[Compass, ...] = ("east", "south", "west", "north")
_BORDERS: dict[str | None, int] = {"right": 0, "bottom": 1, "left": 2, "top": 3}
_CORNERS = {"top": "north", "top right": "north east"}
_CORNERS |= {"bottom left": "south west", "bottom": "south", "bottom right": "south east"}
_DIRECT = ("auto", "straight")  # routes of flows that may run straight from side to side in a stated layout
_ROUND = LABEL_INNER_PT * CM_PER_PT  # cm around the label of a frame


def topology_graph(
    plan: LayoutAttempt, panel: Panel, part: Topology, shapes: Mapping[str, EntitySize] = NOTHING
) -> Graph:
    """Return the graph of a topology; `shapes` are the sizes of nodes, if known."""
    figure = plan.figure
    beside = _count_sharing_width(figure, panel)
    whole = width_in_cm(figure.width) if figure.width is not None else TEXT_WIDE
    loops = {str(flow.source): flow for flow in part.flows if flow.source == flow.target}
    leaves = tuple(_leaf(plan, panel.id, node, shapes, loops.get(node.id)) for node in part.nodes)
    first = {node.id: place for place, node in enumerate(part.nodes)}
    for group in part.frames:
        first[group.id] = min(first[member] for member in group.members)
    held = {member for group in part.groups for member in group.members}
    ranks, direction = _ranks(plan, part)
    loose = sorted((name for name in first if name not in held), key=first.__getitem__)
    layout = part.arrangement
    bars = part.layout.bars if isinstance(part.layout, Levels) else frozenset()
    firm = bool(bars or (isinstance(part.layout, Levels) and any(part.layout.labels)))
    graph = Graph(
        leaves,
        GraphFrame(
            ROOT,
            tuple(loose),
            direction=direction or (_open(layout.direction) if isinstance(layout, Auto) else ""),
            layers=_layers(part, loose, ranks),
            fold=int(firm),
        ),
        tuple(_frame(plan, part, group, ranks, direction) for group in part.frames),
        plan.compute_once(lambda: tuple(_lines(plan, panel.id, part)), "lines", id(part)),
        floor((whole - 2 * MARGIN - _PANELS * (beside - 1)) / beside / _STEP) * _STEP,
        _HIGHEST if plan.height_goal is None else plan.height_goal - _TITLE,
        figure.width is not None,
        None if any(group.layout or group.like for group in part.groups) else _cells(layout, place_nodes(plan, part)),
        tuple((name, level) for name, level, _ in part.pins),
        tuple(tuple(kept) for kept, _ in part.orders),
        tuple(tuple(names) for each, _ in part.autos for names in each.same),
        tuple((int(hint.word == "above"), hint.name, hint.of) for each, _ in part.autos for hint in each.hints),
        slanting=not isinstance(layout, Auto) and all(flow.route in _DIRECT for flow in part.flows),
        compact=plan.compact,
    )
    if plan.earlier is not None:
        index = next(place for place, each in enumerate(panel.content) if each is part)
        graph = replace(graph, recorded=plan.earlier.find(panel.id, index))
    if (figure.width is not None or (plan.limit and plan.wrapped)) and beside == 1 and figure.spacing.colsep is None:
        graph = replace(graph, paper=graph.width)
    return _with_bars(graph, bars, axis=0 if runs_down(part) else 1) if bars else graph


def _with_bars(graph: Graph, bars: frozenset[str], *, axis: int) -> Graph:
    """Return the graph with each bar as long as the other boxes and frames together, along an axis."""
    placed = laid_out(graph).placed
    boxes = [placed.box(leaf.id, leaf.foot) for leaf in graph.leaves if leaf.id not in bars]
    boxes += placed.frames.values()
    low, high = min(box[axis] for box in boxes), max(box[axis + 2] for box in boxes)

    def long(leaf: Leaf) -> Leaf:
        at = placed.anchors[leaf.id][axis]
        return leaf.long(axis, max(at - low, high - at))

    return replace(graph, leaves=tuple(long(leaf) if leaf.id in bars else leaf for leaf in graph.leaves))


def _open(direction: str) -> str:
    return "" if direction == "auto" else direction


def _frame(plan: LayoutAttempt, part: Topology, group: Group, ranks: Mapping[str, int], direction: str) -> GraphFrame:
    """Return a frame with its own layout, or with the levels of the topology that its members are in."""
    corner = _CORNERS.get(group.label_at, "north west")
    pad = CLOSE_PAD if plan.compact else PAD
    title, like = _title(plan, group.label), group.like or ""
    found = GraphFrame(group.id, tuple(group.members), title, like=like, corner=corner, pad=pad)
    layout, members = group.layout, found.members
    if group.id in part.whole_frames and layout is None:
        return found
    if layout is None:
        return replace(found, direction=direction, layers=_layers(part, group.members, ranks))
    if isinstance(layout, Auto):
        return replace(found, direction=_open(layout.direction))
    where = arrange_nodes(layout, members, _joined_in(part, group))
    if cells := _cells(layout, where):
        return replace(found, cells=cells)
    rows: dict[int, list[str]] = {}
    for name in sorted(members, key=lambda name: (where[name].x, -where[name].y)):
        rows.setdefault(where[name].level, []).append(name)
    runs = _open(layout.direction) if isinstance(layout, Levels) else "down"
    return replace(found, direction=runs, layers=tuple(tuple(rows[level]) for level in sorted(rows)), fold=1)


def _joined_in(part: Topology, group: Group) -> list[tuple[str, str]]:
    """Return the pairs of members of a group that flows join, directly or through nested members."""
    holder = {name: name for name in group.members}
    for frame in reversed(part.frames):
        holder |= dict.fromkeys(frame.members, holder[frame.id]) if frame.id in holder else {}
    pairs = ((holder.get(flow.source), holder.get(flow.target)) for flow in part.flows)
    return [(one, other) for one, other in pairs if one and other and one != other]


def _count_sharing_width(figure: FigureModel, panel: Panel) -> int:
    """Return the number of parts that share the width.

    They are the parts in the row of panels. If the width is free, they are topologies of all panels, so that a topology
    has the same layout in each of them.
    """
    panels = (figure.columns or len(figure.panels)) if figure.arrange == "row" else 1
    if figure.width is not None:
        return panels * (len(panel.content) if panel.arrange != "column" else 1)
    rows = (one.content for one in figure.panels if one.arrange != "column")
    return panels * max([1, *(sum(isinstance(part, Topology) for part in row) for row in rows)])


def _ranks(plan: LayoutAttempt, part: Topology) -> tuple[dict[str, int], str]:
    """Return the stated level of each node, in the order of levels, and the direction to the next level."""
    layout = part.arrangement
    if isinstance(layout, Levels):
        levels = layout.rows
        return {name: depth for depth, level in enumerate(levels) for name in level if name}, _open(layout.direction)
    if isinstance(layout, Line):
        direction = "right" if layout.type == "row" else "down"
        return {node.id: place for place, node in enumerate(part.nodes)}, direction
    if isinstance(layout, (Grid, Tree)):
        return {name: place.level for name, place in place_nodes(plan, part).items()}, "down"
    return {}, ""


def _cells(layout: Arrangement, where: Mapping[str, StatedCenter]) -> GraphCells | None:
    """Return the stated columns and rows, or the positions on a circle."""
    holes = isinstance(layout, Levels) and any(None in level for level in layout.rows)
    if isinstance(layout, (Auto, Tree)) or (isinstance(layout, Levels) and not (holes or layout.bars)):
        return None
    found = tuple((name, (place.x, -place.y)) for name, place in where.items())
    spread = int(layout.direction == "right") if isinstance(layout, Levels) else None
    return GraphCells(found, around=isinstance(layout, (Ring, Star)), spread=spread)


def _layers(part: Topology, members: Sequence[str], ranks: Mapping[str, int]) -> tuple[tuple[str, ...], ...]:
    """Return the members of a container in stated levels; a group is in the level of its first member."""
    if not ranks:
        return ()
    inside = {group.id: group.members for group in part.groups}
    order = {name: place for place, name in enumerate(ranks)}

    def first(name: str) -> str:
        return min(map(first, inside[name]), key=order.__getitem__) if name in inside else name

    found: dict[int, list[str]] = {}
    for name in sorted(members, key=lambda name: order[first(name)]):
        found.setdefault(ranks[first(name)], []).append(name)
    return tuple(tuple(found[depth]) for depth in sorted(found))


def _title(plan: LayoutAttempt, label: str) -> Point:
    size = plan.measure(label) if label else None
    return (round(size.width + 2 * _ROUND, 4), round(size.height + size.depth + 2 * _ROUND, 4)) if size else (0.0, 0.0)


def _lines(plan: LayoutAttempt, panel: str, part: Topology) -> Iterator[Wire]:
    circles = list_circles(part)
    for flow, trunk in zip(part.flows, shared_trunks(part), strict=True):
        size = flow_text(plan, flow)[0] if flow.label else None
        label = (round(size.width, 4), round(size.height + size.depth, 4)) if size else (0.0, 0.0)
        side = "" if flow.side == "auto" else flow.side
        yield Wire(
            str(flow.source),
            str(flow.target),
            label,
            trunk.bundle,
            marked=flow.step is not None,
            straight=flow.route == "straight",
            woven=trunk.woven
            or (flow.route == "auto" and any(one.issuperset((flow.source, flow.target)) for one in circles)),
            alike=trunk.alike,
            mesh=trunk.mesh,
            complete=trunk.complete,
            bent=flow.route == "bend",
            side=side,
            label_at=flow.label_at,
            spans=(_span_of(plan, panel, part, flow.source), _span_of(plan, panel, part, flow.target)),
            sides=(_BORDERS.get(flow.from_side), _BORDERS.get(flow.to_side)),
            feedback=flow.feedback,
        )


def _span_of(plan: LayoutAttempt, panel: str, part: Topology, end: str) -> PortSpan | None:
    return span_of_part(plan, panel, part, end) if isinstance(end, PartEnd) else None


def span_of_part(plan: LayoutAttempt, panel: str, part: Topology, end: PartEnd) -> PortSpan:
    """Return where flows may end at a part of a node."""
    node, index = next(node for node in part.nodes if node.id == end), part.index_of_part(end.address)
    assert isinstance(node, Entity) and index is not None
    shape = shape_of(plan, panel, node)
    around = make_box_around(ZERO_PAIR, *half_of(node, shape))
    left, bottom, right, top = part_box(plan, panel, node, shape, index, around).measure_box(plan.values)
    sides, middle = find_part_sides(node), below_anchor(shape)
    low, high = (middle - top, middle - bottom) if not is_level(sides[0]) else (left, right)
    return PortSpan(tuple(map(_SIDES.index, sides)), round(low, 4), round(high, 4))


def _leaf(
    plan: LayoutAttempt, panel: str, node: AnyEntity, shapes: Mapping[str, EntitySize], flow: Flow | None
) -> Leaf:
    """Return a node around its anchor: the middle of a box, or a fixed height above the base of an icon.

    `flow` is its flow to itself, if any.
    """
    shape = shapes.get(node.id) or shape_of(plan, panel, node)
    if isinstance(node, Dots) and not shapes:  # room for a vertical and a horizontal run of dots
        shape = replace(shape, width=max(shape.width, shape.height), height=max(shape.width, shape.height))
    wide, tall = half_of(node, shape)
    middle, loop = below_anchor(shape), 0.0
    if flow:
        size = flow_text(plan, flow)[0] if flow.label else None
        loop = 0.55 + (size.height + size.depth + 0.2 if size else 0.0)
    half = max(wide, shape.span / 2)
    body = (-wide, middle - tall, wide, middle + tall)
    top = min(body[1], middle - shape.height / 2)  # top of the stacked copies, which are above the box
    foot = (-half, top - loop, half, body[3] + (shape.below + _OUTSIDE if shape.below else 0.0))
    look = f"{node.kind} {node.icon} {node.shape}" if isinstance(node, Entity) and node.kind != "node" else ""
    dots = isinstance(node, Dots)
    return Leaf(
        node.id,
        _round_box(body),
        _round_box(foot),
        SHAPES[shape.form].port_share,
        dots,
        look,
        caption=round(shape.caption, 4) if shape.below else 0.0,
        icon=getattr(node, "form", "") == "icon",
        offset=(node.offset[0], -node.offset[1]) if isinstance(node, Entity) else (0.0, 0.0),
    )


def _round_box(box: Box) -> Box:
    return round(box[0], 4), round(box[1], 4), round(box[2], 4), round(box[3], 4)


def below_anchor(shape: EntitySize) -> float:
    """Return the distance of the middle of a node below its anchor, in cm."""
    return _BASE - shape.height / 2 if shape.below else 0.0
