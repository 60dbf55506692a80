"""Topologies that find their own layout, or that keep to a stated one where flows could not run straight in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

from tikzgen.base.errors import Problem, SpecError, quoted
from tikzgen.layout.attempt import Need, Plan
from tikzgen.layout.links.curved_links import Site
from tikzgen.layout.scene import Piece
from tikzgen.layout.topology.braces import braced
from tikzgen.layout.topology.level_labels import named_levels
from tikzgen.layout.topology.nested.layers import layered
from tikzgen.layout.topology.nested.nested_graph import Graph
from tikzgen.layout.topology.nested.nested_layout import laid_out
from tikzgen.layout.topology.nested.stretch import stretches
from tikzgen.layout.topology.nested_paper import Paper, stops_of
from tikzgen.layout.topology.places import runs_down
from tikzgen.layout.topology.side_notes import noted
from tikzgen.layout.topology.topology_graph import topology_graph
from tikzgen.model.figure import Panel
from tikzgen.model.topology import Topology

_LEAST = 0.4  # of a distance: so far may it shrink, and lines beside each other stay two
_GAPS = {
    "colsep": ("x", "width of the free paper between columns"),
    "rowsep": ("y", "height of the free paper between rows"),
}


def nested_spacing(plan: Plan, panel: Panel, part: Topology) -> dict[str, Need]:
    """The distances that a topology uses: 1 cm where nothing presses."""
    graph = topology_graph(plan, panel, part)
    used = stretches(graph, laid_out(graph))
    return {
        way.name: Need(_LEAST, 1.0, "x" if way.name == "colsep" else "y", _GAPS[way.name][1])
        for way in used
        if way.free
    }


def nested_topology(plan: Plan, panel: Panel, part: Topology, points: Mapping[str, tuple[float, ...]]) -> Piece:
    """The topology around its upper left corner."""
    graph = topology_graph(plan, panel, part)
    _refuse_bent(plan, part, graph)
    _refuse_wishes(plan, part, graph)
    paper = Paper(plan, panel.id, part, graph, laid_out(graph))
    linked = bool(plan.figure.links)
    piece = Piece(
        items=tuple(paper.items(points)),
        extent=paper.extent(),
        outlines=dict(paper.outlines(points)) if linked else {},
        texts=tuple(paper.texts()) if linked else (),
    )
    piece = named_levels(plan, panel.id, part, paper.net.mark, piece, paper.boxes(), down=runs_down(part))
    if part.notes:
        piece = noted(plan, panel.id, part, paper.net.mark, piece, paper.taken())
    return braced(plan, panel.id, part, paper.net.mark, piece, paper.boxes())


def _refuse_wishes(plan: Plan, part: Topology, graph: Graph) -> None:
    """A pin that does not hold, and an order that is none, are not passed over."""
    layers = {name: layered(graph, name) for name in graph.containers}
    found = {member: depth for rows in layers.values() for depth, row in enumerate(rows) for member in row}
    for name, level, (what, place, _) in part.pins:
        if found[name] != level:
            last = len(layers[graph.parents[name]]) - 1
            message = f"{quoted(name)} cannot stand in level {level}: the last one here is {last}"
            _refuse(
                plan,
                part,
                message,
                f"{what}[{place}].pin",
                "levels count from 0; pin it to another one, or others to those between",
            )
    for index, kept in enumerate(graph.keep):
        rows = {name: (graph.parents[name], found[name]) for name in kept}
        stray = next((name for name in kept if rows[name] != rows[kept[0]]), "")
        if stray:
            message = f"{quoted(kept[0])} and {quoted(stray)} do not stand in one level, so there is no order to keep"
            _refuse(plan, part, message, f"layout.keep[{index}]", "pin both to one level")


def nested_sites(
    plan: Plan, panel: str, part: Topology, points: Mapping[str, tuple[float, ...]]
) -> Iterator[tuple[str, Site]]:
    """What links can end on, by reference, where lines turn right angles."""
    for node in (*part.nodes, *part.groups):
        yield node.id, Site(plan.name(panel, node.id), turn="level")
    for flow, name, place in stops_of(plan, panel, part, points):
        yield f"{flow.id}@{place:g}", Site(name, turn="point")


def _bent(graph: Graph) -> list[int]:
    """The numbers of the lines that were to run straight, and cannot without passing through something."""
    ways = laid_out(graph).ways
    return [index for index, line in enumerate(graph.lines) if line.straight and len(ways[index].points) > 2]


def _refuse_bent(plan: Plan, part: Topology, graph: Graph) -> None:
    """A flow that was to run straight is not drawn otherwise."""
    for index in _bent(graph):
        flow = part.flows[index]
        message = f"cannot run straight from {quoted(flow.source)} to {quoted(flow.target)}: others stand between"
        hint = "use route: auto, or state a layout in which it can"
        _refuse(plan, part, message, f"flows[{part.place_of('flows', index)}].route", hint)


def _refuse(plan: Plan, part: Topology, message: str, path: str, hint: str) -> NoReturn:
    panel, content = next((panel, place) for panel, place, one in plan.figure.parts(Topology) if one is part)
    raise SpecError([Problem(message, f"panels[{panel}].content[{content}].{path}", hint=hint)])
