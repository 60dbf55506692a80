"""Distances that a hand changes: at half, once and twice `\\colsep`, and `\\rowsep`, no topology has a fault."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from conftest import ROOT, some
from topology_judge import faults, stretched

from tikzgen import Figure, load, loads
from tikzgen.base.errors import SpecError
from tikzgen.emit.render_figure import render
from tikzgen.layout import choose_form, layout
from tikzgen.model.looks import icons_of_figure
from tikzgen.model.operations.operations_table import read_operation
from tikzgen.model.topology.topology import Topology

WIDTHS = (None, 8.4)


def judged(figure: Figure) -> dict[tuple[float, float], list[str]]:
    """What is wrong in any of its topologies, by how far columns and rows are stretched."""
    tex, shown = render(figure).tex, choose_form(figure)
    parts = [(f"{shown.panels[at].id}-" * (len(shown.panels) > 1), part) for at, _, part in shown.parts(Topology)]
    wrong = {
        factors: [each for name, part in parts for each in faults(stretched(tex, *factors), part, name)]
        for factors in product((0.5, 1.0, 2.0), repeat=2)
    }
    return {factors: found for factors, found in wrong.items() if found}


def one_more(figure: Figure) -> Figure:
    return read_operation("add-worker", {}).change(figure)


LAYOUTS = ("row", "column", "grid", "ring", "star", "tree", "levels", "levels-down")
GROUPS = ("nested", "one", "none")


def topology(layout: str, groups: str, count: int) -> dict[str, Any]:
    """Data, so many workers and a server in a stated layout, with labels at all flows."""
    workers = [f"w{number + 1}" for number in range(count)]
    nodes = [
        {"kind": "data-source", "id": "d", "label": "data"},
        *({"kind": "worker", "id": name, "label": f"GPU {name[1:]}"} for name in workers),
        {"kind": "server", "id": "s", "label": "server"},
    ]
    chain = [{"source": one, "target": other, "label": "batch"} for one, other in pairwise(["d", *workers, "s"])]
    fan = [{"source": "d", "target": name, "label": "batch"} for name in workers]
    join = [{"source": name, "target": "s", "kind": "gradient", "label": "push"} for name in workers]
    levels = {"type": "levels", "levels": [["d"], workers, ["s"]]}
    pool = {"id": "pool", "label": "Pool", "members": workers}
    rack = {"id": "rack", "label": "Rack", "members": workers[:2]}
    arrangement, flows = {
        "row": ({"type": "row"}, chain),
        "column": ({"type": "column"}, chain),
        "grid": ({"type": "grid", "columns": 3}, chain),
        "ring": ({"type": "ring"}, chain),
        "star": ({"type": "star", "center": "s"}, join),
        "tree": ({"type": "tree", "root": "d"}, [*fan, {"source": "w2", "target": "s"}]),
        "levels": (levels, [*fan, *join]),
        "levels-down": ({**levels, "direction": "down"}, [*fan, *join]),
    }[layout]
    framed = {"none": [], "one": [pool], "nested": [rack, {**pool, "members": ["rack", *workers[2:]]}]}[groups]
    return {"type": "topology", "nodes": nodes, "flows": flows, "groups": framed, "layout": arrangement}


@pytest.mark.parametrize("groups", some(GROUPS, 3))
@pytest.mark.parametrize("layout", some(LAYOUTS, 2))
@pytest.mark.parametrize("count", some([3, 4], 2))
def test_stated_layouts_have_no_fault_at_any_distance(layout: str, groups: str, count: int) -> None:
    figure = Figure.model_validate({"panels": [{"content": topology(layout, groups, count)}]})
    for width in WIDTHS if count == 3 else (None,):
        try:
            assert judged(figure.model_copy(update={"width": width})) == {}, width
        except SpecError:
            assert layout == "row"  # five of them are wider than a column


@pytest.mark.parametrize(
    ("layout", "inner", "more"),
    some([("column", "star", 1), ("grid", "star", 1), ("grid", "ring", 0), ("column", "ring", 1)]),
)
def test_frames_whose_flows_slant_have_no_fault_at_any_distance(layout: str, inner: str, more: int) -> None:
    """What a slanting flow would strike when free paper stretches keeps as it is."""
    part = topology(layout, "one", 3)
    part["groups"][0]["layout"] = {"type": inner, **({"center": "w1"} if inner == "star" else {})}
    figure = Figure.model_validate({"panels": [{"content": part}]})
    for width in WIDTHS:
        made = figure.model_copy(update={"width": width})
        assert judged(one_more(made) if more else made) == {}, width


RECIPES = {
    "cluster": ["nodes: 1", "nodes: 4"],
    "3d-parallel": ["tensor: 2\npipeline: 4\ndata: 2"],
    "rlhf": ["rollouts: 2\ntrainers: 1", "rollouts: 5\ntrainers: 4"],
    "serving-system": ["prefill: 5\ndecode: 6"],
    "federated": ["clients: 1", "clients: 4"],
    "mapreduce": ["maps: 1\nreduces: 1", "maps: 6\nreduces: 3", "maps: 16\nreduces: 8"],
    "moe": ["experts: 2", "experts: 16"],
    "data-parallel": ["workers: 1", "workers: 2", "workers: 5", "workers: 12"],
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "facts"), [(name, facts) for name, many in RECIPES.items() for facts in many])
def test_recipes_have_no_fault_at_any_distance_nor_with_one_worker_more(name: str, facts: str) -> None:
    figure = loads(f"recipe: {name}\n{facts}\n", name="spec.yaml")
    for width in WIDTHS:
        made = figure.model_copy(update={"width": width})
        assert (judged(made), judged(one_more(made))) == ({}, {}), width


@pytest.mark.slow
@pytest.mark.parametrize("name", ["distributed-training", "parameter-server", "parameter-server-column"])
def test_examples_at_stated_centres_have_no_fault_at_any_distance(name: str) -> None:
    assert judged(load(ROOT / "examples" / f"{name}.yaml")) == {}


@pytest.mark.slow
def test_flows_that_leave_a_diamond_beside_its_corners_run_through_nothing() -> None:
    figure = load(ROOT / "examples" / "retrieval.yaml")
    assert (judged(figure), judged(one_more(figure)), judged(figure.model_copy(update={"width": 17.8}))) == ({}, {}, {})


_NODES = ", ".join(f"{{kind: worker, id: w{number}, label: GPU {number}}}" for number in range(1, 5))
RING = f"panels: [{{content: {{type: topology, layout: {{type: ring}}, nodes: [{_NODES}]}}}}]"
FLOORS = [
    # spec, distance, stated value, its floor in the file, its floor in cm
    ("recipe: data-parallel", "colsep", None, r"3.72, 1.11*\rowsep", 3.72),
    ("recipe: data-parallel", "colsep", 3, r"3.72, 1.11*\rowsep", 3.72),
    ("recipe: data-parallel", "colsep", 9.5, r"3.72, 1.11*\rowsep", 3.72),
    ("recipe: data-parallel", "rowsep", None, "1.93", 1.93),
    ("recipe: data-parallel", "rowsep", 0.5, "1.93", 1.93),
    ("recipe: mapreduce", "colsep", 0.4, "2.92", 2.92),
    ("recipe: 3d-parallel", "rowsep", 0.1, "0.35", 0.35),
    (RING, "radius", 1, "2", 2.0),
    ("recipe: raft-election", "lifelinesep", 1, "1.47", 1.47),
    ("recipe: pipeline", "timeunit", 0.1, "0.12", 0.12),
]


@pytest.mark.parametrize(("spec", "name", "stated", "told", "cm"), FLOORS)
def test_a_distance_is_as_stated_and_its_floor_does_not_depend_on_its_own_value(
    spec: str, name: str, stated: float | None, told: str, cm: float
) -> None:
    figure = loads(spec + (f"\nspacing: {{{name}: {stated}}}\n" if stated else "\n"), name="spec.yaml")
    scene = layout(figure, icons_of_figure(figure, ()))
    (found,) = (each for each in scene.parameters if each.name == name)
    assert (str(found.floor), scene.floors_in_cm()[name]) == (told, cm)
    if stated:
        assert float(found.value) == stated
    overlap = f"{name} is {stated} cm: parts of the figure overlap below {cm:g} cm (set spacing.{name})"
    is_low = stated is not None and stated < cm
    assert [each for each in scene.notes if each.startswith(name)] == ([overlap] if is_low else [])


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "width"), [(1, 8.4), (4, None), (5, None)])
def test_panels_keep_apart_whichever_of_their_parts_grows(workers: int, width: float | None) -> None:
    """At twice the rows the topology is lower than the timeline beside it: both hold the next panel off."""
    figure = loads(f"recipe: parameter-server\nworkers: {workers}\n", name="spec.yaml")
    assert judged(figure.model_copy(update={"width": width})) == {}
