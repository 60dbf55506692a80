"""How flows run: curves of any length compile, and flows of level and upright legs keep apart."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from conftest import NIGHTLY, some
from topology_figures import topology_figure
from topology_judge import seen, worst

from tikzgen import Figure, Flow, Panel, Topology, loads, recipes
from tikzgen.base.errors import SpecError
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.layout import layout
from tikzgen.layout.topology.nested import arrangements, bus_geometry, nested_layout, placement_with_lines
from tikzgen.layout.topology.routing import routes
from tikzgen.layout.topology.topology_items import FlowItem
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.topology.entities import Node
from tikzgen.model.topology.topology_layouts import Arrangement, Grid, Levels, Line, Star

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


def ways(figure: Figure) -> list[FlowItem]:
    return [item for item in layout(figure, icons_of_figure(figure)).items if isinstance(item, FlowItem)]


@pytest.mark.tex
@pytest.mark.parametrize("workers", [40, 64, 100, 200] if NIGHTLY else [64])
def test_any_number_of_workers_compiles(workers: int) -> None:
    assert compile_tex(recipes.data_parallel(workers={"count": workers, "show": workers}).tex()).pdf


@pytest.mark.parametrize("route", ["bus", "elbow"])
@pytest.mark.parametrize("arrangement", some(ARRANGEMENTS, 2))
def test_level_and_upright_legs_pass_through_nothing_and_keep_apart(arrangement: str, route: str) -> None:
    drawn = figure(arrangement, route)
    (part,) = drawn.panels[0].content
    assert isinstance(part, Topology)
    assert worst(drawn.tex(), part) == []


@pytest.mark.parametrize("arrangement", ["row", "column", "grid"])
def test_flows_with_corners_leave_entities_where_they_were_stated_to_be(arrangement: str) -> None:
    shapes = draw(figure(arrangement, "elbow").tex()).nodes
    xs, ys = ([round(shapes[name].anchor("center")[axis]) for name in "abcde"] for axis in (0, 1))
    columns, rows = {"row": (5, 1), "column": (1, 5), "grid": (2, 3)}[arrangement]
    assert (len({*xs}), len({*ys})) == (columns, rows)
    assert xs[:columns] == sorted(xs[:columns]) and ys == sorted(ys, reverse=True)


def test_a_bus_shares_its_trunk() -> None:
    fan = [way for way in ways(figure("right", "bus")) if way.source == "a.east" and way.target in ("c.west", "d.west")]
    corners = [way.corners[0][1] for way in fan]
    assert len({way.source_shift for way in fan}) == 1
    assert len({(corner.anchor, corner.shift[0]) for corner in corners}) == 1


@pytest.mark.parametrize("route", ["elbow", "bus"])
def test_what_turns_right_angles_stands_in_one_frame_at_most(route: str) -> None:
    facts = {
        "nodes": [{"kind": "node", "id": name} for name in "ab"],
        "groups": [{"id": "one", "members": ["a", "b"]}, {"id": "two", "members": ["b"]}],
        "flows": [{"source": "a", "target": "b", "route": route}],
        "layout": {"type": "row"},
    }
    with pytest.raises(ValueError, match='"b" is already in group "one"'):
        Topology.model_validate(facts)


@pytest.mark.parametrize("route", ["auto", "bend"])
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_no_curve_lies_on_another_one(arrangement: str, route: str) -> None:
    """Several flows between the same two nodes are seen, there and back, over what is in their way, too."""
    pairs = [*PAIRS, *PAIRS, *((target, source) for source, target in PAIRS)]
    flows = [Flow(source=source, target=target, route=route) for source, target in pairs]
    (part,) = figure(arrangement, route).panels[0].content
    again = part.model_copy(update={"flows": flows})
    curves = Counter(
        (way.source, way.target, way.bend) if way.source < way.target else (way.target, way.source, -way.bend)
        for way in ways(Figure(panels=[Panel(content=[again])]))
        if way.bend
    )
    assert curves or route == "auto"
    assert set(curves.values()) <= {1}


@pytest.mark.parametrize("workers", [3, 6])
def test_short_lines_there_and_back_at_icons_are_seen_to_be_two(workers: int) -> None:
    names = [f"w{number}" for number in range(workers)]
    nodes = [Node(id=name, icon="gpu") for name in ("switch", *names)]
    pairs = [pair for name in names for pair in ((name, "switch"), ("switch", name))]
    flows = [Flow(source=source, target=target) for source, target in pairs]
    star = Topology(nodes=nodes, flows=flows, layout=Star(center="switch"))
    ends = ends_of(Figure(panels=[Panel(content=[star])]))
    assert len(ends) == 4 * workers


def ends_of(figure: Figure) -> set[tuple[int, int]]:
    """Where lines end, in tenths of a mm."""
    (part,) = figure.panels[0].content
    assert isinstance(part, Topology)
    return {
        (round(x * 100), round(y * 100))
        for _, _, way in seen(draw(figure.tex()), part).lines
        for x, y in (way[0], way[-1])
    }


def test_a_straight_flow_that_cannot_be_is_refused() -> None:
    nodes = [{"kind": "node", "id": name, "label": "a long name"} for name in "abc"]
    flows = [{"source": "a", "target": "b"}, {"source": "b", "target": "c"}, {"source": "a", "target": "c"}]
    flows[2]["route"] = "straight"
    facts = {"nodes": nodes, "flows": flows, "layout": {"type": "auto", "direction": "right"}}
    with pytest.raises(SpecError, match='straight route from "a" to "c" crosses node "b"'):
        topology_figure(**facts).tex()


def test_straight_flows_stay_straight_in_the_layout_that_was_stated() -> None:
    """They slant, for the frame moves what it does not hold."""
    nodes = [{"kind": "node", "id": name, "label": "a long name"} for name in "abcde"]
    ends = ("ab", "bc", "ac", "ce", "bd")
    flows = [{"source": one, "target": other, "route": "straight"} for one, other in ends]
    groups = [{"id": "all", "members": ["d", "e"]}]
    tex = topology_figure(nodes=nodes, flows=flows, groups=groups, layout={"type": "grid", "columns": 2}).tex()
    assert re.findall(r"-\||\|-", tex) == []
    assert len(re.findall(r"\\draw\[data\]", tex)) == len(flows)


@pytest.mark.parametrize("layout", [{"type": "row"}, {"type": "levels", "levels": [["a"], ["b"], ["c"]]}], ids=str)
def test_a_straight_flow_is_not_drawn_through_what_it_does_not_join(layout: dict[str, Any]) -> None:
    nodes = [{"kind": "node", "id": name, "label": "a long name"} for name in "abc"]
    with pytest.raises(SpecError, match='straight route from "a" to "c" crosses node "b"'):
        topology_figure(nodes=nodes, flows=[{"source": "a", "target": "c", "route": "straight"}], layout=layout).tex()


NESTED = (arrangements, nested_layout, placement_with_lines, routes)


def test_a_bus_tries_few_places_of_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, plain = [], bus_geometry._bar

    def note(*given: Any) -> Any:
        tried.append(given)
        return plain(*given)

    monkeypatch.setattr(bus_geometry, "_bar", note)
    kept = [each for module in NESTED for each in vars(module).values() if hasattr(each, "cache_clear")]
    for each in kept:  # another test may have laid this graph out
        each.cache_clear()
    loads("recipe: serving-system\nprefill: 8\ndecode: 24\n").tex()
    assert 0 < len(tried) < 3000


SIDED = """
panels:
- content:
    type: topology
    layout: LAYOUT
    nodes:
    - {kind: node, id: a, label: AAA}
    - {kind: node, id: b, label: BBB}
    - {kind: node, id: c, label: CCC}
    - {kind: server, id: d, label: DDD}
    flows:
    - {source: a, target: b, from_side: top, to_side: bottom, label: one}
    - {source: a, target: c}
    - {source: b, target: d, from_side: bottom, to_side: right}
    - {source: c, target: d, to_side: left}
    - {source: d, target: a, kind: control, from_side: bottom, to_side: bottom}
"""
OUTWARD = {"left": (-1, 0), "right": (1, 0), "top": (0, 1), "bottom": (0, -1)}


@pytest.mark.parametrize(
    "layout", ["{type: auto}", "{type: row}", "{type: ring}", "{type: levels, levels: [[a, b], [c, d]]}"]
)
def test_a_flow_starts_and_ends_at_its_stated_sides(layout: str) -> None:
    figure = loads(SIDED.replace("LAYOUT", layout))
    (part,) = [part for _, _, part in figure.parts(Topology)]
    for flow, (_, _, way) in zip(part.flows, seen(draw(figure.tex()), part).lines, strict=True):
        for side, (first, second) in ((flow.from_side, way[:2]), (flow.to_side, way[:-3:-1])):
            if side is not None:
                x, y = second[0] - first[0], second[1] - first[1]
                assert (round(x / (abs(x) + abs(y))), round(y / (abs(x) + abs(y)))) == OUTWARD[side], (flow, way)
    assert figure.check() == ()


@pytest.mark.parametrize(
    ("flow", "told"),
    [
        ("{source: a, target: a, from_side: left}", "a loop starts and ends above its node"),
        ("{source: a, target: b, route: bus, to_side: left}", "a bus chooses its sides"),
        ("{source: 'c.part(1)', target: a, from_side: left}", "a part of a node has its own sides"),
    ],
)
def test_a_side_that_a_flow_cannot_have_is_refused(flow: str, told: str) -> None:
    nodes = "[{id: a}, {id: b}, {id: c, parts: [{label: x}, {label: y}]}]"
    with pytest.raises(SpecError, match=told):
        loads(f"panels: [{{content: {{type: topology, nodes: {nodes}, flows: [{flow}]}}}}]")
