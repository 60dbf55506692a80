"""Placement of a topology: by its stated layout if all flows run clear there, otherwise by search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NoReturn

from tikzgen.base.errors import Problem, SpecError, format_path, quote
from tikzgen.base.plane import Point, has_overlap, is_segment_across_box
from tikzgen.base.record import replace
from tikzgen.layout.attempt import Direction, DistanceNeed, LayoutAttempt
from tikzgen.layout.page.links_across import Site
from tikzgen.layout.scene.items import NoteItem
from tikzgen.layout.scene.scene import PlacedPart
from tikzgen.layout.symbolic_lengths import ZERO_PAIR, SymbolicBox, make_box_around
from tikzgen.layout.topology.beside_topology import add_braces, add_notes, named_levels
from tikzgen.layout.topology.clear_distances import clear_distances
from tikzgen.layout.topology.flow_items import flow_items, stops_of
from tikzgen.layout.topology.nested.layers import assign_layers
from tikzgen.layout.topology.nested.nested_graph import Graph, Leaf
from tikzgen.layout.topology.nested.nested_layout import laid_out, with_trunks
from tikzgen.layout.topology.nested.placed_nodes import RECORD_DIGITS, Arrangement, Placed
from tikzgen.layout.topology.node_sizes import shape_of
from tikzgen.layout.topology.places_by_rule import StatedCenter, runs_down
from tikzgen.layout.topology.stated_space import (
    stands_as_stated,
    stated_paper,
    stated_spacing,
    struck_captions,
    title_line,
)
from tikzgen.layout.topology.topology_graph import below_anchor, topology_graph
from tikzgen.layout.topology.topology_positions import Paper
from tikzgen.model.addresses import read_address
from tikzgen.model.content import Path
from tikzgen.model.panel_parts import Panel
from tikzgen.model.topology import Flow, LayersRecord, Topology, TopologyRecord

_FOLDED_WEIGHT = 0.5  # faults per stated layout that is folded or has broken levels
_NAMED_LIMIT = 3  # maximum number of labels without a clear position that a remark names
_FEW_ENTITIES = 4  # nodes: below this number, a curve may pass below the upper box
_LIFT = 40  # degrees
_UNDER = -30  # degrees
_TILT = 35  # degrees
_GAPS: dict[str, tuple[Direction, str]] = {
    "colsep": ("x", "width of the blank space between columns"),
    "rowsep": ("y", "height of the blank space between rows"),
}


def distances_of_topology(plan: LayoutAttempt, panel: Panel, part: Topology) -> dict[str, DistanceNeed]:
    """Return the distances of a topology: the blank space of its gaps, unless its layout was stated."""
    if stands_as_stated(plan, panel, part):
        return stated_spacing(plan, panel, part)
    graph = _graph_of(plan, panel, part)
    placed = laid_out(graph.at_rest).placed
    return {
        name: DistanceNeed(least, placed.blank, *_GAPS[name], most=placed.most_blank, firm=least)
        for axis, (name, least) in enumerate(zip(_GAPS, placed.least_blank, strict=True))
        if any(each[axis] or each[axis + 2] for each in placed.growth.values())
    }


def _graph_of(plan: LayoutAttempt, panel: Panel, part: Topology) -> Graph:
    """Return the graph of a topology, in which small complete sets of edges share trunks where they need one."""
    return with_trunks(topology_graph(plan, panel, part))


def topology(
    plan: LayoutAttempt,
    panel: Panel,
    part: Topology,
    points: Mapping[str, tuple[float, ...]],
    linked: Sequence[str] = (),
) -> PlacedPart:
    """Place the topology; its origin is its upper left corner, or the center of a stated layout.

    `points` are the shares of flows, and `linked` all addresses, at which links end.
    """
    stated = stands_as_stated(plan, panel, part)
    paper = stated_paper(plan, panel, part) if stated else _found_paper(plan, panel, part)
    boxes = paper.boxes()
    items = () if plan.rough else (*_without_room(paper), *paper.items(flow_items(paper, points)))
    piece = PlacedPart(items=items, extent=paper.extent())
    if stated:
        unplaced = len(paper.layout.unplaced_labels)
        piece = replace(piece, axis=title_line(paper), struck=struck_captions(paper), unplaced=unplaced)
    else:
        folded = tuple(_note_bands(part, paper.layout.placed))
        piece = replace(piece, items=(*folded, *items), faults=paper.layout.faults + _FOLDED_WEIGHT * len(folded))
    if not plan.rough:
        piece = replace(piece, least=tuple(clear_distances(paper, distances_of_topology(plan, panel, part))))
    if plan.figure.links:
        outlines = {plan.name(panel.id, name): box for name, box in boxes.items()}
        sites = {node.id: Site(plan.name(panel.id, node.id), turn="level") for node in (*part.nodes, *part.groups)}
        for address in map(read_address, linked):
            if part.index_of_part(address) is not None:
                name = plan.name(panel.id, part.name_node(address))
                sites[address.base], outlines[name] = Site(name), paper.part_box(address)
        for index, flow, name, place in stops_of(plan, panel.id, part, points):
            outlines[name] = make_box_around(paper.find_point_along(index, place))
            sites[f"{flow.id}@{place:g}"] = _stop(paper, flow, name, place) if stated else Site(name, turn="point")
        piece = replace(piece, outlines=outlines, texts=tuple(paper.texts()), sites=sites)
    piece = named_levels(plan, panel.id, part, paper.mark, piece, boxes, down=runs_down(part))
    if part.notes:
        piece = add_notes(plan, panel.id, part, paper.mark, piece, paper.taken_areas())
    return add_braces(plan, panel.id, part, paper.mark, piece, boxes)


def record_topology(plan: LayoutAttempt, panel: Panel, index: int, part: Topology) -> TopologyRecord | None:
    """Return the layers that the layout found; None for stated positions."""
    if stands_as_stated(plan, panel, part):
        return None
    graph = _graph_of(plan, panel, part).at_rest
    layout = laid_out(graph)
    placed = layout.placed
    own = (name for name, frame in graph.containers.items() if not (frame.cells or frame.like))
    arranged = {name: placed.arranged[name] for name in own if name in placed.arranged}
    if not arranged or placed.broken:
        return None
    hinted = sum(bool(graph.lines[number].side) for number in layout.unplaced_labels)  # a warning names them
    return TopologyRecord(
        panel=panel.id,
        index=index,
        gaps=next(iter(arranged.values())).loose,
        trunks=not layout.apart,
        faults=round(layout.faults - hinted, 2),
        cost=round(layout.cost, 2),
        size=graph.size,
        containers=tuple(_record_layers(name, way, placed.places.get(name, {})) for name, way in arranged.items()),
    )


def _record_layers(name: str, way: Arrangement, at: Mapping[str, Point]) -> LayersRecord:
    """Return the layers of a container with the positions that they had."""
    axis = int(way.down)
    return LayersRecord(
        group=name,
        down=way.down,
        fold=way.fold,
        winding=way.winding,
        broken=way.broken,
        layers=way.layers,
        along=tuple(round(at[layer[0]][axis], RECORD_DIGITS) for layer in way.layers if at),
        across=tuple(tuple(round(at[one][1 - axis], RECORD_DIGITS) for one in layer) for layer in way.layers if at),
    )


def _note_bands(part: Topology, placed: Placed) -> Iterator[NoteItem]:
    """Yield remarks on stated layouts that are folded or broken, with the fields that change it.

    No reason is stated: the search compares all arrangements by width, height and crossings.
    """

    def what(name: str) -> str:
        return f"group {quote(name)}" if name else f"layout: {part.arrangement.type}"

    for name, bands in placed.folded:
        told = f"{what(name)} is folded into {bands} bands (for one band, set a larger width, a height, or direction)"
        yield NoteItem(told, is_remark=True)
    for name in placed.broken:
        told = f"{what(name)} has levels in several rows (for one row each, set a larger width, or smaller levels)"
        yield NoteItem(told, is_remark=True)


def _without_room(paper: Paper) -> Iterator[NoteItem]:
    """Yield remarks on labels without a clear position, with the nodes that they overlap."""
    placed, unplaced = paper.layout.placed, paper.layout.unplaced_labels
    for number, spot in islice(unplaced.items(), _NAMED_LIMIT):
        flow = paper.part.flows[number]
        under = [
            quote(leaf.id)
            for leaf in paper.graph.leaves
            if any(has_overlap(spot.box, placed.box(leaf.id, solid)) for solid in leaf.solids)
        ]
        where = f": it overlaps {' and '.join(under)}" if under else ""
        what = f"the label of the flow from {quote(flow.source)} to {quote(flow.target)}"
        yield NoteItem(f"{what} has no free position{where}", is_remark=True)
    if len(unplaced) > _NAMED_LIMIT:
        yield NoteItem(f"labels of {len(unplaced) - _NAMED_LIMIT} more flows have no free position", is_remark=True)


def _stop(paper: Paper, flow: Flow, name: str, place: float) -> Site:
    """Return the site of a link that ends on a flow.

    The curve of the link arrives from above, over the label of the flow and clear of the lower box. It arrives from
    below if the upper box is wider than the level below it, and so blocks the link.
    """
    rise = paper.where[flow.target].y - paper.where[flow.source].y
    upper = (place > 0.5) == (rise > 0)
    lift = 0 if not rise else _UNDER if upper and len(paper.where) < _FEW_ENTITIES else _LIFT
    return Site(name, turn="point", lift=lift, tilt=0 if upper or not rise else _TILT)


def _found_paper(plan: LayoutAttempt, panel: Panel, part: Topology) -> Paper:
    """Return the layout found by search, in which each gap grows with the distances."""
    graph = _graph_of(plan, panel, part)
    layout, rest = laid_out(graph), laid_out(graph.at_rest)
    _refuse_bent(plan, part, graph)
    _refuse_wishes(plan, part, graph)
    placed = layout.placed
    level = frozenset(name for name in graph.dots if _in_row(graph, placed, name))
    distances = dict.fromkeys(_GAPS, placed.blank)
    bars = {leaf.id: _stretch_bar(graph, rest.placed, leaf) for leaf in graph.leaves if leaf.core}
    long = {name: (bar.right - bar.left, bar.top - bar.bottom) for name, bar in bars.items()}
    shapes = {
        node.id: shape_of(plan, panel.id, node, long.get(node.id, ZERO_PAIR), level=node.id in level)
        for node in part.nodes
    }
    where = {}
    for name, leaf in graph.by_id.items():
        x, y = placed.anchors[name]
        across, up = rest.placed.at(rest.placed.anchors[name], rest.placed.growth[name][:2])
        if bar := bars.get(name):
            across, up = bar.middle
        spot = across, up - below_anchor(shapes[name])
        if any(leaf.offset):  # an offset moves the node from its stated position
            (across, up), (dx, dy) = (each.round_constant() for each in spot), leaf.offset
            spot = across + dx, up - dy
        where[name] = StatedCenter(x, -y, spot=spot)
    frames = {name: placed.box_at(box, placed.growth[name]) for name, box in placed.frames.items()}
    return Paper(plan, panel.id, part, shapes, where, graph, layout, frames, distances, long, level)


def _stretch_bar(graph: Graph, placed: Placed, bar: Leaf) -> SymbolicBox:
    """Return the box of a bar: on its axis, it grows as far as the outermost other nodes and frames move."""
    (u, v), (left, top, right, bottom) = placed.growth[bar.id][:2], placed.box(bar.id, bar.body)
    axis = bar.long_axis
    others = [(placed.box(leaf.id, leaf.foot), placed.growth[leaf.id]) for leaf in graph.leaves if not leaf.core]
    others += [(box, placed.growth[name]) for name, box in placed.frames.items()]
    low = min(others, key=lambda each: each[0][axis])[1][axis]
    high = max(others, key=lambda each: each[0][axis + 2])[1][axis + 2]
    growth = (low, v, high, v) if axis == 0 else (u, low, u, high)
    return placed.box_at((left, top, right, bottom), growth)


def _in_row(graph: Graph, placed: Placed, dots: str) -> bool:
    """Return whether the member before the dots is to the left of them."""
    members = graph.containers[graph.parents[dots]].members
    before = members[max(members.index(dots) - 1, 0)]
    frame = placed.frames.get(before)
    right = frame[2] if frame else placed.anchors[before][0]
    return right < placed.anchors[dots][0] - 0.1


def _refuse_wishes(plan: LayoutAttempt, part: Topology, graph: Graph) -> None:
    """Raise an error for a pin, an order, a shared layer or a hint that the layout does not satisfy."""
    if not graph.has_wishes:
        return
    hinted = [(one, (*path, "hints", row)) for each, path in part.autos for row, one in enumerate(each.hints)]
    for index in laid_out(graph.at_rest).placed.list_broken_hints(graph):
        broken, path = hinted[index]
        word = "left of" if broken.word == "left" else "above"
        message = f"no layout was found with {quote(broken.name)} {word} {quote(broken.of)}"
        _refuse(plan, part, message, path, "remove the hint, or state the direction of the layout")
    down = {name for name, way in laid_out(graph.at_rest).placed.arranged.items() if way.down}
    layers = {name: assign_layers(graph, name, down=name in down) for name in graph.containers}
    found = {member: depth for rows in layers.values() for depth, row in enumerate(rows) for member in row}
    for name, level, path in part.pins:
        if found[name] != level:
            last = len(layers[graph.parents[name]]) - 1
            message, hint = f"the flows of {quote(name)} keep it in level {found[name]}", "pin it to another level"
            if level > last:
                message = f"level {level} does not exist, the last level is {last}"
                levels = "0" if not last else "0 or 1" if last == 1 else f"0 to {last}"
                hint = f"levels count from 0; choose {levels}"
            _refuse(plan, part, message, path, hint)
    shared = [(row, (*path, "same", place)) for each, path in part.autos for place, row in enumerate(each.same)]
    for kept, path in (*part.orders, *shared):
        rows = {name: (graph.parents[name], found[name]) for name in kept}
        stray = next((name for name in kept if rows[name] != rows[kept[0]]), "")
        if stray:
            message = f"{quote(kept[0])} and {quote(stray)} are in different levels, so they have no order to keep"
            hint = "pin both to one level"
            if path[-2] == "same":
                message = f"{quote(kept[0])} and {quote(stray)} are in different groups, and cannot share a layer"
                hint = "name members of one group"
            _refuse(plan, part, message, path, hint)


def _bent_lines(graph: Graph) -> list[int]:
    """Return the indices of lines stated as straight that must bend around an obstacle."""
    ways = laid_out(graph).ways
    return [index for index, line in enumerate(graph.lines) if line.straight and len(ways[index].points) > 2]


def _refuse_bent(plan: LayoutAttempt, part: Topology, graph: Graph) -> None:
    """Raise an error for a flow with `route: straight` that must bend."""
    for index in _bent_lines(graph):
        flow = part.flows[index]
        message = f"straight route from {quote(flow.source)} to {quote(flow.target)} crosses {_obstacle(graph, flow)}"
        hint = "use route: auto, or another layout"
        _refuse(plan, part, message, ("flows", part.place_of("flows", index), "route"), hint)


def _obstacle(graph: Graph, flow: Flow) -> str:
    """Return the node on the straight line between the ends of a flow."""
    placed = laid_out(graph).placed
    ends = placed.anchors[flow.source], placed.anchors[flow.target]
    for leaf in graph.by_id.values():
        (x, y), (left, top, right, bottom) = placed.anchors[leaf.id], leaf.body
        box = x + left, y + top, x + right, y + bottom
        if leaf.id not in (flow.source, flow.target) and is_segment_across_box(*ends, box):
            return f"node {quote(leaf.id)}"
    return "other flows"


def _refuse(plan: LayoutAttempt, part: Topology, message: str, path: Path, hint: str) -> NoReturn:
    panel, content = next((panel, place) for panel, place, one in plan.figure.parts(Topology) if one is part)
    raise SpecError([Problem(message, format_path(("panels", panel, "content", content, *path)), hint=hint)])
