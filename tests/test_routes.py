"""How flows run: curves of any length compile, and flows of level and upright legs keep apart."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from tikzgen import Figure, Flow, Panel, Topology, recipes
from tikzgen.compile.compile_tex import compile_tex
from tikzgen.icons import wanted
from tikzgen.layout import layout
from tikzgen.layout.topology.topology_items import Edge
from tikzgen.model.entities import Node
from tikzgen.model.topology import Arrangement, Grid, Levels, Line

FAN = [["a"], ["b", "c", "d"], ["e"]]
ARRANGEMENTS: dict[str, Arrangement] = {
    "right": Levels(levels=FAN),
    "down": Levels(levels=FAN, direction="down"),
    "row": Line(),
    "column": Line(type="column"),
    "grid": Grid(columns=2),
}
PAIRS = [("a", "b"), ("b", "a"), ("a", "c"), ("a", "d"), ("b", "e"), ("e", "b"), ("c", "e"), ("d", "e"), ("d", "e")]


def figure(arrangement: str, route: str) -> Figure:
    flows = [
        Flow(source=source, target=target, route=route, id=f"f{number}", label=f"flow {number}", step=number + 1)
        for number, (source, target) in enumerate(PAIRS)
    ]
    nodes = [Node(id=name, label=name.upper()) for name in "abcde"]
    return Figure(panels=[Panel(content=[Topology(nodes=nodes, flows=flows, layout=ARRANGEMENTS[arrangement])])])


def edges(figure: Figure) -> list[Edge]:
    return [item for item in layout(figure, wanted(figure)).items if isinstance(item, Edge)]


@pytest.mark.tex
@pytest.mark.parametrize("workers", [40, 64, 100, 200])
def test_any_number_of_workers_compiles(workers: int) -> None:
    assert compile_tex(recipes.data_parallel(workers=workers).tex()).pdf


@pytest.mark.tex
@pytest.mark.parametrize("route", ["bus", "elbow"])
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_level_and_upright_legs_compile(arrangement: str, route: str) -> None:
    assert compile_tex(figure(arrangement, route).tex()).pdf


@pytest.mark.parametrize("route", ["bus", "elbow"])
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_flows_between_the_same_two_nodes_keep_apart(arrangement: str, route: str) -> None:
    drawn = edges(figure(arrangement, route))
    for (one, first), (other, second) in combinations(zip(PAIRS, drawn, strict=True), 2):
        if set(one) == set(other) and first.turn and second.turn:
            ends = {(first.source, *first.source_shift), (first.target, *first.target_shift)}
            assert not ends & {(second.source, *second.source_shift), (second.target, *second.target_shift)}
            if first.hub and first.hub == second.hub and one == other:
                assert first.trunk != second.trunk


def test_an_elbow_turns_where_no_entity_stands() -> None:
    drawn = {(edge.source, edge.target): edge for edge in edges(figure("right", "elbow"))}
    assert drawn["a.north", "b.west"].turn == "|-"
    assert drawn["d.east", "e.south"].turn == "-|"
    assert drawn["a.east", "c.west"].route == "straight", "in one row there is nothing to turn for"


def test_a_bus_shares_its_trunk() -> None:
    drawn = edges(figure("right", "bus"))
    fan = [edge for edge in drawn if edge.source == "a.east" and edge.turn and edge.target != "b.west"]
    assert {(edge.hub, edge.trunk[0].constant) for edge in fan} == {("source", 0.5)}


@pytest.mark.parametrize("route", ["auto", "bend"])
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_no_curve_lies_on_another_one(arrangement: str, route: str) -> None:
    """Several flows between the same two nodes are seen, there and back, over what is in their way, too."""
    pairs = [*PAIRS, *PAIRS, *((target, source) for source, target in PAIRS)]
    flows = [Flow(source=source, target=target, route=route) for source, target in pairs]
    (part,) = figure(arrangement, route).panels[0].content
    again = part.model_copy(update={"flows": flows})
    curves = Counter(
        (edge.source, edge.target, edge.bend) if edge.source < edge.target else (edge.target, edge.source, -edge.bend)
        for edge in edges(Figure(panels=[Panel(content=[again])]))
        if edge.bend
    )
    assert curves or route == "auto"
    assert set(curves.values()) <= {1}
