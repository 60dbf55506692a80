"""Meshes: edges from each of several nodes to each of several others, which share a trunk.

A placement has one junction for each mesh instead of its edges (F. J. Newbery, "Edge Concentration", 1989). A routing
has one edge from a hub to each other node of the mesh. The route between two nodes follows both of their edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import dist

from tikzgen.base.plane import Point
from tikzgen.base.record import replace
from tikzgen.layout.topology.nested.layers import assign_layers
from tikzgen.layout.topology.nested.nested_graph import (
    ROOT,
    Graph,
    GraphCells,
    GraphEdge,
    GraphMesh,
    Layers,
    Leaf,
    Route,
)
from tikzgen.layout.topology.nested.placed_nodes import Placed
from tikzgen.layout.topology.nested.placement_with_lines import Layout

_TRACK_CM = 0.3  # cm between the trunks of one mesh
_SAME_CM = 1e-4  # cm: points that are closer are one
_ROWS_LIMIT = 3  # rows or columns of a mesh, from which it has no position between them
_TRACKS_LIMIT = 1000  # more than the number of trunks of one mesh
_JUNCTION = "trunk"  # first word of the ids of junctions; ids of nodes have no spaces


def share_trunks(graph: Graph) -> Graph:
    """Return the graph for routing, in which edges from a hub replace the edges of each mesh."""
    lines = [line for line in graph.lines if not line.mesh]
    meshes: dict[frozenset[frozenset[str]], GraphMesh] = {}
    for members in _list_bundles(graph):
        every = [graph.lines[index] for index in members]
        hub, labeled = every[0].source, graph.lines[_find_labeled(graph, members)]
        for name in _list_nodes(graph, members)[1:]:
            plain = replace(every[0], source=hub, target=name, label=(0.0, 0.0), marked=False)
            lines.append(labeled if name == labeled.target else plain)
        sides = tuple(dict.fromkeys(line.source for line in every)), tuple(dict.fromkeys(line.target for line in every))
        key = frozenset(map(frozenset, sides))
        known = meshes.get(key, GraphMesh(sides))
        label = max(known.label[0], labeled.label[0]), max(known.label[1], labeled.label[1])
        meshes[key] = replace(known, label=label, tracks=known.tracks + 1)
    return replace(graph, lines=tuple(lines), meshes=tuple(meshes.values()))


def _list_bundles(graph: Graph) -> list[list[int]]:
    """Return the indices of the edges of each bundle in a mesh."""
    found: dict[int, list[int]] = {}
    for index, line in enumerate(graph.lines):
        if line.mesh:
            found.setdefault(line.bundle, []).append(index)
    return list(found.values())


def _list_nodes(graph: Graph, members: Sequence[int]) -> list[str]:
    """Return the nodes of a bundle, its hub first."""
    ends = [graph.lines[index].ends for index in members]
    return list(dict.fromkeys((*(source for source, _ in ends), *(target for _, target in ends))))


def _find_labeled(graph: Graph, members: Sequence[int]) -> int:
    """Return the index of the edge that has the label of a bundle; it starts at the hub."""
    hub = graph.lines[members[0]].source
    return next(index for index in reversed(members) if graph.lines[index].source == hub)


def add_junctions(graph: Graph) -> Graph:
    """Return the graph for placement: the edges of each mesh are replaced by edges to and from a junction.

    A few direct edges replace them where a junction has no position: in frames that are like other frames, and in
    stated cells.
    """
    if not graph.meshes:
        return graph
    lines = [line for line in graph.lines if not line.mesh]
    leaves, containers = [*graph.leaves], dict(graph.containers)
    direct = replace(graph, lines=(*lines, *(line for mesh in graph.meshes for line in _list_direct_edges(mesh))))
    models = {frame.like for frame in graph.frames if frame.like}
    cells = graph.cells
    for number, mesh in enumerate(graph.meshes, 1):
        name, half = f"{_JUNCTION} {number}", (mesh.tracks - 1) * _TRACK_CM / 2
        held = _find_container(graph, mesh)
        frame = containers[held]
        sides = tuple(tuple(_find_members(graph, held, side)) for side in mesh.sides)
        wider, inner = cells and _add_cell(cells, name, mesh.sides), frame.cells and _add_cell(frame.cells, name, sides)
        if frame.like or held in models or (cells and not wider) or (frame.cells and not inner):
            lines += _list_direct_edges(mesh)
            continue
        layers = frame.layers
        if not layers and any(pinned in frame.members for pinned, _ in graph.pins):
            layers = assign_layers(direct, held)
        cells = wider
        containers[held] = replace(
            frame,
            members=(*frame.members, name),
            cells=inner,
            layers=_add_layer(layers, name, sides) if layers else (),
        )
        leaves.append(Leaf(name, (-half, -half, half, half), (-half, -half, half, half)))
        first, second = mesh.sides
        ends = [*((one, name) for one in first), *((name, one) for one in second if one not in first)]
        tracks = range(-number * _TRACKS_LIMIT, mesh.tracks - number * _TRACKS_LIMIT)
        lines += [GraphEdge(*pair, bundle=track, mesh=True) for pair in ends for track in tracks]
        lines[-1] = replace(lines[-1], label=mesh.label)
    return replace(
        graph,
        leaves=tuple(leaves),
        root=containers[ROOT],
        frames=tuple(containers[frame.id] for frame in graph.frames),
        lines=tuple(lines),
        cells=cells,
        meshes=(),
    )


def _list_direct_edges(mesh: GraphMesh) -> list[GraphEdge]:
    """Return edges between the sides of a mesh that give the same layers as all of its edges."""
    first, second = mesh.sides
    pairs = dict.fromkeys([*((first[0], one) for one in second), *((one, second[0]) for one in first)])
    return [GraphEdge(*pair, label=mesh.label, bundle=1, mesh=True) for pair in pairs if pair[0] != pair[1]]


def _find_container(graph: Graph, mesh: GraphMesh) -> str:
    """Return the innermost container of all nodes of a mesh."""
    first, second = mesh.sides
    around = [[*graph.above(name)] for name in (*first, *second)]
    return next(name for name in around[0] if all(name in each for each in around))


def _find_members(graph: Graph, held: str, names: Sequence[str]) -> list[str]:
    """Return the members of a container that are or contain some nodes."""
    chains = [[name, *graph.above(name)] for name in names]
    return list(dict.fromkeys(chain[chain.index(held) - 1] for chain in chains))


def _add_layer(layers: Layers, name: str, sides: Sequence[Sequence[str]]) -> Layers:
    """Return stated layers with a junction between the sides of its mesh, or else after both."""
    depths = [[place for place, layer in enumerate(layers) if {*layer} & {*side}] for side in sides]
    (_, last), (start, end) = sorted((min(each), max(each)) for each in depths)
    place = 1 + (last if last < start else max(last, end))
    return *layers[:place], (name,), *layers[place:]


def _add_cell(cells: GraphCells, name: str, sides: Sequence[Sequence[str]]) -> GraphCells | None:
    """Return stated cells with a junction after the first of at most two rows, or columns, of a mesh."""
    where = {one: at for one, at in cells.places if any(one in side for side in sides)}
    for axis in (1, 0) if cells.spread is None else (1 - cells.spread,):
        rows = sorted({at[axis] for at in where.values()})
        if len(rows) < _ROWS_LIMIT and not cells.around:
            others = [at[1 - axis] for at in where.values()]
            middle = sum(others) / len(others)
            across = middle if cells.spread is not None else min(others, key=lambda at: abs(at - middle))
            at = (across, rows[0] + 0.5) if axis else (rows[0] + 0.5, across)
            return replace(cells, places=(*cells.places, (name, at)))
    return None


def drop_junctions(graph: Graph, placed: Placed) -> Placed:
    """Return a placement without junctions among its nodes."""
    if not graph.meshes:
        return placed
    anchors = {name: at for name, at in placed.anchors.items() if name in graph.parents}
    names = (f"{_JUNCTION} {number}" for number in range(1, len(graph.meshes) + 1))
    return replace(placed, anchors=anchors, junctions=tuple(placed.anchors.get(name) for name in names))


def restore_edges(graph: Graph, layout: Layout) -> Layout:
    """Return a layout of the graph for routing as one of the whole graph.

    Each bundle has its label and its step number once.
    """
    spokes = iter(zip(layout.ways, layout.texts, layout.marks, strict=True))
    found = {index: next(spokes) for index, line in enumerate(graph.lines) if not line.mesh}
    for members in _list_bundles(graph):
        ways: dict[str, Route] = {}
        labeled = _find_labeled(graph, members)
        for name in _list_nodes(graph, members)[1:]:
            spoke = next(spokes)
            ways[name] = spoke[0]
            if name == graph.lines[labeled].target:
                found[labeled] = spoke
        for index in members:
            source, target = graph.lines[index].ends
            found.setdefault(index, (_join_routes(ways.get(source), ways.get(target)), None, None))
    every = [found[index] for index in range(len(graph.lines))]
    return replace(
        layout,
        ways=tuple(way for way, _, _ in every),
        texts=tuple(text for _, text, _ in every),
        marks=tuple(mark for _, _, mark in every),
    )


def _join_routes(one: Route | None, other: Route | None) -> Route:
    """Return the route between two nodes over their hub, without the parts that it passes twice.

    Both routes start at the hub. None represents the route of the hub itself.
    """
    back = one and Route(one.points[::-1], one.sides[::-1], one.forced)
    if back is None or other is None:
        found = back or other
        assert found
        return found
    points: list[Point] = []
    for point in (*back.points, *other.points):
        while len(points) > 1 and _is_level(points[-2], points[-1], point):
            points.pop()
        if not points or dist(points[-1], point) > _SAME_CM:
            points.append(point)
    return Route(tuple(points), (back.sides[0], other.sides[1]), back.forced or other.forced)


def _is_level(*points: Point) -> bool:
    """Return whether points are on one horizontal or vertical line."""
    return any(max(ats) - min(ats) < _SAME_CM for ats in zip(*points, strict=True))
