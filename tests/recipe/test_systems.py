"""Recipes of systems: from one of each to thousands, at any width, nothing is in the way of anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import scaled
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from topology_judge import faults

from tikzgen import loads, recipes
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.lint.probe.look_at_figures import FigureToProbe, drawing_of, look_at
from tikzgen.model.topology.entities import Dots
from tikzgen.model.topology.topology import Topology

COUNTS = {
    "cluster": ("nodes", "gpus"),
    "3d-parallel": ("tensor", "data"),
    "rlhf": ("rollouts", "trainers"),
    "serving-system": ("prefill", "decode"),
    "federated": ("clients",),
    "mapreduce": ("maps", "reduces"),
    "moe": ("experts",),
}
SIZES = [1, 3, 8, 64]


def facts(name: str, count: int) -> dict[str, Any]:
    top = {"top": 1} if name == "moe" else {}
    return {"recipe": name, **dict.fromkeys(COUNTS[name], count), **top}


def topology(name: str, count: int) -> tuple[str, Topology]:
    figure = loads(str(facts(name, count)))
    ((_, _, part),) = figure.parts(Topology)
    return figure.tex(), part


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_systems_of_any_size_have_no_fault(name: str, tmp_path: Path) -> None:
    drawings: list[FigureToProbe] = []
    for count, width in [*((size, "null") for size in SIZES), (64, "8.4")]:
        spec = tmp_path / f"{name}-{count}.yaml"
        spec.write_text(str(facts(name, count)))
        drawing = drawing_of(SpecReading(spec, [f"width={width}"], drawn=True))
        assert drawing is not None
        drawings.append(drawing)
    looked = look_at(drawings, engine="none")
    assert (list(map(str, looked.findings)), looked.errors) == ([], [])


@settings(max_examples=scaled(160), deadline=None, derandomize=True, phases=[Phase.generate])
@given(name=st.sampled_from([*COUNTS]), count=st.integers(1, 64))
def test_no_line_passes_through_anything(name: str, count: int) -> None:
    assert faults(*topology(name, count)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_dots_stand_for_those_that_are_not_drawn(name: str) -> None:
    for count, dotted in ((2, False), (64, True)):
        _, part = topology(name, count)
        cells = any(cell.label == "⋯" for node in part.nodes for cell in getattr(node, "parts", ()))
        assert dotted == (cells or any(isinstance(node, Dots) for node in part.nodes))


def test_dots_stand_between_the_last_two() -> None:
    _, part = topology("federated", 64)
    assert part.groups[-1].members == ["site1", "c-dots", "site64"]


def test_ranks_count_on_from_stage_to_stage_and_from_replica_to_replica() -> None:
    part = recipes.parallel_3d(tensor=2, pipeline=3, data=2).panels[0].content[0]
    cells = [[int(cell.label) for cell in node.parts] for node in part.nodes]
    assert cells == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]


@pytest.mark.parametrize("decode", [0, 3])
def test_one_pool_does_both_where_none_decodes(decode: int) -> None:
    part = recipes.serving_system(prefill=2, decode=decode).panels[0].content[0]
    assert ("kv" in {node.id for node in part.nodes}) == bool(decode)
    assert {flow.source for flow in part.flows if flow.target == "clients"} == (
        {"d2", "d3", "d4"} if decode else {"p0", "p1"}
    )


def test_a_token_goes_to_no_more_experts_than_there_are() -> None:
    with pytest.raises(ValueError, match="a token cannot go to 3 of 2 experts"):
        recipes.moe(experts=2, top=3)
