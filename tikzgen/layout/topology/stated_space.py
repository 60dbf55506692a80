"""Topologies with a stated layout in which all flows run clear; the distances separate centers."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.base.plane import compute_bounding_box, count_crossed_boxes
from tikzgen.base.record import replace
from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.symbolic_lengths import ZERO, ZERO_PAIR, Length, Pair, make_length
from tikzgen.layout.topology.choose_buses import find_meshes
from tikzgen.layout.topology.nested.nested_graph import Graph
from tikzgen.layout.topology.nested.placed_nodes import Placed
from tikzgen.layout.topology.nested.placement_with_lines import direct_layout
from tikzgen.layout.topology.node_sizes import EntitySize, shape_of
from tikzgen.layout.topology.places_by_rule import StatedCenter, needs, place_nodes, runs_down
from tikzgen.layout.topology.routing.routes import direct_routes
from tikzgen.layout.topology.topology_graph import below_anchor, topology_graph
from tikzgen.layout.topology.topology_positions import Paper
from tikzgen.model.panel_parts import Panel
from tikzgen.model.topology import Auto, Grid, Levels, Line, Topology

_ROUTED_FLOWS = 300  # flows: with more, a stated layout is kept without a check of its routes
_BROKEN = 1.25  # times the usual distance, from which nodes move apart; below it, only flow labels are wrapped
_SHARE = 0.6  # share of the level that a single box faces


def stands_as_stated(plan: LayoutAttempt, panel: Panel, part: Topology) -> bool:
    """Return whether a topology keeps its stated centers, because flows cross no node there.

    The check runs once per topology, at the default font size and distances of the figure. Captions that block flows
    are then as narrow as their icons.
    """
    if part.groups or part.asks or isinstance(part.arrangement, Auto) or find_meshes(part):
        return False
    plain = replace(
        plan, size=plan.figure.type_size, wrapped=frozenset(), limit=0.0, compact=False, spread=1.0, values={}
    )
    return plain.compute_once(lambda: _runs_clear(plain, panel, _at_rest(plain, part)), "stands as stated", id(part))


def _at_rest(plain: LayoutAttempt, part: Topology) -> Topology:
    """Return the topology without offsets of its nodes, which do not change how it is laid out."""

    def drop_offsets() -> Topology:
        nodes = [node.model_copy(update={"offset": (0.0, 0.0)}) for node in part.nodes]
        return part.model_copy(update={"nodes": nodes})

    return plain.compute_once(drop_offsets, "at rest", id(part)) if part.offsets else part


def _runs_clear(plain: LayoutAttempt, panel: Panel, part: Topology) -> bool:
    captions = frozenset(plain.name(panel.id, node.id) for node in part.nodes if getattr(node, "icon", None))
    routed = len(part.flows) <= _ROUTED_FLOWS and any(flow.route in ("auto", "straight") for flow in part.flows)
    tried = (plain, replace(plain, wrapped=captions)) if captions else (plain,)
    return not routed or any(_is_clear(one, panel, part) for one in tried)


def stated_spacing(plan: LayoutAttempt, panel: Panel, part: Topology) -> dict[str, DistanceNeed]:
    """Return the distances of a topology."""
    shapes, reach = _shapes(plan, panel, part)
    found = plan.compute_once(lambda: needs(plan, part, shapes, place_nodes(plan, part)), "needs", id(part), reach)
    wider = max(1.0, plan.spread / _BROKEN)
    return {name: replace(need, usual=need.usual * wider, tight=need.tight * wider) for name, need in found.items()}


def stated_paper(plan: LayoutAttempt, panel: Panel, part: Topology) -> Paper:
    """Return the topology with its stated positions and lengths."""
    shapes, where, graph, placed = _sizes_and_places(plan, panel, part)
    layout, long = direct_layout(graph, placed), _long(part)
    level = graph.dots if _in_rows(part) else frozenset()
    return Paper(plan, panel.id, part, shapes, where, graph, layout, {}, plan.values, long, level)


def title_line(paper: Paper) -> Length | None:
    """Return the line that titles are centered on, halfway between first and last column, or None."""
    if not isinstance(paper.part.arrangement, (Levels, Line)):
        return None
    xs = sorted((place.at[0] for place in paper.where.values()), key=lambda x: x.compute_cm(paper.plan.values))
    return (xs[0] + xs[-1]) * 0.5


def struck_captions(paper: Paper) -> frozenset[str]:
    """Return names of nodes whose wide captions are crossed by horizontal flows.

    Include all wide captions in the same columns, so that a column is consistent.
    """
    placed, by_id = paper.layout.placed, paper.graph.by_id
    wide = [name for name, shape in paper.shapes.items() if shape.below and shape.caption > shape.width]
    paths = [way.path for way in paper.layout.ways if wide and not any(side % 2 for side in way.sides)]
    struck = (
        name
        for name in wide
        if any(count_crossed_boxes(path, [placed.box(name, by_id[name].solids[-1])]) for path in paths)
    )
    columns = {paper.where[name].x for name in struck}
    return frozenset(paper.plan.name(paper.panel, name) for name in wide if paper.where[name].x in columns)


def _is_clear(plain: LayoutAttempt, panel: Panel, part: Topology) -> bool:
    usual = {name: need.usual for name, need in stated_spacing(plain, panel, part).items()}
    plan = replace(plain, values=usual)
    *_, graph, placed = _sizes_and_places(plan, panel, part)
    return direct_routes(graph, placed, (), stated=True, loosely=False) is not None


def _shapes(plan: LayoutAttempt, panel: Panel, part: Topology) -> tuple[Mapping[str, EntitySize], tuple[float, ...]]:
    """Return the sizes of nodes, and the lengths in cm of the boxes that scale with the distances."""
    long, level = _long(part), _in_rows(part)
    reach = tuple(wide.compute_cm(plan.values) for wide, _ in long.values()) if plan.values else ()

    def measure_shapes() -> dict[str, EntitySize]:
        return {
            node.id: shape_of(plan, panel.id, node, long.get(node.id, ZERO_PAIR), level=level) for node in part.nodes
        }

    return plan.compute_once(measure_shapes, "shapes", id(part), reach), reach


def _in_rows(part: Topology) -> bool:
    """Return whether the nodes that dots replace are in a row."""
    layout = part.arrangement
    return isinstance(layout, Grid) or getattr(layout, "type", "") == "row" or runs_down(part)


def _long(part: Topology) -> Mapping[str, Pair]:
    """Return the size of each box that is alone above or below a wider level, so that its flows are steep."""
    layout = part.arrangement
    if not isinstance(layout, Levels) or layout.direction != "down":
        return {}
    found = {}
    for index, level in enumerate(layout.rows):
        beside = [
            len(other) for other in (*layout.rows[max(index - 1, 0) : index], *layout.rows[index + 1 : index + 2])
        ]
        if len(level) == 1 and level[0] and any(beside):
            found[level[0]] = (make_length("colsep", _SHARE * (max(beside) - 1)), ZERO)
    return found


def _sizes_and_places(
    plan: LayoutAttempt, panel: Panel, part: Topology
) -> tuple[Mapping[str, EntitySize], Mapping[str, StatedCenter], Graph, Placed]:
    """Return the sizes and positions of nodes, and both in cm from the upper left corner."""
    (shapes, reach), where = _shapes(plan, panel, part), place_nodes(plan, part)
    graph = plan.compute_once(
        lambda: topology_graph(plan, panel, part, shapes), "graph", id(part), plan.figure.width, reach
    )
    centres = {
        name: (place.at[0].compute_cm(plan.values), place.at[1].compute_cm(plan.values))
        for name, place in where.items()
    }
    at = {name: (x, -y - below_anchor(shapes[name])) for name, (x, y) in centres.items()}
    whole = Placed(at, {}, 0.0, 0.0)
    boxes = [whole.box(leaf.id, leaf.foot) for leaf in graph.leaves]
    left, top, right, bottom = compute_bounding_box([corner for box in boxes for corner in (box[:2], box[2:])])
    at = {name: (x - left, y - top) for name, (x, y) in at.items()}
    return shapes, where, graph, Placed(at, {}, right - left, bottom - top)
