"""Similar containers: grouping, equal sizes, equal arrangements, and equal gaps for labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tikzgen.base.plane import Point
from tikzgen.base.record import replace
from tikzgen.layout.topology.nested.containers import arrange
from tikzgen.layout.topology.nested.nested_graph import ROOT, Graph, Layers
from tikzgen.layout.topology.nested.placed_nodes import Arrangement, Placed
from tikzgen.layout.topology.nested.places_in_layers import LaidOutContainer

Arrangements = Mapping[str, Arrangement]
"""The arrangement of each container, by its name."""


def group_similar_containers(graph: Graph) -> list[list[str]]:
    """Group the containers that should have the same layout, the root first.

    They have the same parent, or similar parents, and equally many members with the same numbers of edges.
    """
    families: dict[tuple[object, ...], list[str]] = {}
    keys: dict[str, tuple[object, ...]] = {}

    def key(name: str) -> tuple[object, ...]:
        if name not in keys:
            frame = graph.containers[name]
            inside = [leaf.id for leaf in graph.leaves if name in graph.holders[leaf.id]]
            lines = [one.ends for one in graph.lines if {one.source, one.target} <= set(inside)]
            starts, ends = Counter(one for one, _ in lines), Counter(one for _, one in lines)
            joined = tuple(sorted((starts[leaf], ends[leaf]) for leaf in inside))
            own = name == ROOT or frame.fold or (frame.direction and not frame.layers)
            stated = frame.direction, tuple(map(len, frame.layers))
            # containers of different parents may differ if a width must be filled
            around = "" if own else graph.parents[name]
            parent = (around,) if own or graph.fill else key(around)
            keys[name] = (name,) if own else (parent, joined, len(frame.members), len(graph.links[name]), stated)
        return keys[name]

    for name in graph.containers:
        families.setdefault(key(name), []).append(name)
    for name, frame in graph.containers.items():
        if frame.like:
            model = _find_model(graph, name)
            for family in families.values():
                if name in family:
                    family.remove(name)
            next(family for family in families.values() if model in family).append(name)
    ordered = [family for family in families.values() if family]
    ordered.sort(key=lambda family: family[0] != ROOT)
    return ordered


def place_with_equal_sizes(
    graph: Graph, ways: Arrangements, families: list[list[str]], known: dict[tuple[object, ...], LaidOutContainer]
) -> Placed:
    """Place all nodes; similar containers have one size."""
    found = arrange(graph, ways, {}, known)
    least: dict[str, Point] = {}
    for family in families:
        boxes = [found.frames[name] for name in family if name != ROOT]
        if len(boxes) > 1:
            wide, tall = max(box[2] - box[0] for box in boxes), max(box[3] - box[1] for box in boxes)
            if (
                min(box[2] - box[0] for box in boxes) < wide - 1e-6
                or min(box[3] - box[1] for box in boxes) < tall - 1e-6
            ):
                least.update((name, (wide, tall)) for name in family)
    return arrange(graph, ways, least, known) if least else found


def copy_arrangement(graph: Graph, start: Mapping[str, Arrangement], name: str) -> Arrangement:
    """Return the arrangement of the container that this one is declared to be like, member for member."""
    model = _find_model(graph, name)
    members = dict(zip(graph.containers[model].members, graph.containers[name].members, strict=True))
    way = start[model]
    cells = way.cells and replace(way.cells, places=tuple((members[one], at) for one, at in way.cells.places))
    kept = tuple((members[one], at) for one, at in way.kept)
    layers = tuple(tuple(members[one] for one in layer) for layer in way.layers)
    return replace(way, layers=layers, cells=cells, kept=kept)


def _find_model(graph: Graph, name: str) -> str:
    """Return the container at the end of the chain of `like`."""
    seen = {name}
    while (like := graph.containers[name].like) and like not in seen:
        seen.add(like)
        name = like
    return name


def label_gaps_of(graph: Graph, alike: Mapping[str, Layers]) -> tuple[Point, ...]:
    """Return width and height, in cm, that labels need after each layer of similar containers."""
    found: dict[int, Point] = {}
    for name, layers in alike.items() if len(alike) > 1 else ():
        depth = {member: place for place, layer in enumerate(layers) for member in layer}
        for one, other, index in graph.links[name]:
            (wide, tall), places = graph.lines[index].label, sorted((depth[one], depth[other]))
            for place in range(*places):
                most = found.get(place, (0.0, 0.0))
                found[place] = max(most[0], wide), max(most[1], tall)
    return tuple(found.get(place, (0.0, 0.0)) for place in range(max(found, default=-1) + 1))
