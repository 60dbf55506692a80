"""Rendering over a file keeps the layers, the order and the places of what has not changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from topology_figures import list_absolute_points

from tikzgen import Figure, load, loads
from tikzgen.compile.figure_jobs import figure_source
from tikzgen.emit.figure_files import find_layout, keep_layout_of
from tikzgen.emit.render_figure import render
from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.model.topology import LayoutRecord, Topology, read_layout_record
from tikzgen.spec.embedded_spec import extract_spec

CASES = ROOT / "tests" / "cases" / "topologies"
SPECS = [*sorted(CASES.glob("*.yaml")), *sorted((ROOT / "examples").glob("*.yaml"))]
WITH_NODES = [path for path in SPECS if any(load(path).parts(Topology))]
EDITED = ("serving", "retrieval", "kafka", "ray", "pools", "microservice", "rlhf-async", "spark")
"""Topologies of this name to change; the first two are examples."""
Spec = dict[str, Any]


def read(name: str) -> Spec:
    folder = CASES if (CASES / f"{name}.yaml").exists() else ROOT / "examples"
    data: Spec = YAML(typ="safe").load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    return data


def content_of(spec: Spec) -> Spec:
    content = spec["panels"][0]["content"]
    found: Spec = content[0] if isinstance(content, list) else content
    return found


def spec_of(spec: Mapping[str, Any]) -> Figure:
    return loads(json.dumps(spec))


def places(figure: Figure) -> tuple[dict[str, tuple[float, float]], LayoutRecord | None]:
    """Return the position of each recorded member in its container, and the record."""
    record = render(figure).scene.layout_record  # type: ignore[union-attr]
    found = {}
    for container in record.topologies[0].containers if record else ():
        for depth, layer in enumerate(container.layers):
            for place, member in enumerate(layer):
                at = (container.along[depth], container.across[depth][place]) if container.along else (depth, place)
                found[member] = at
    return found, record


@cache
def places_of(name: str) -> tuple[dict[str, tuple[float, float]], LayoutRecord | None]:
    """Return the positions in a topology as it is, and the record."""
    return places(spec_of(read(name)))


@pytest.mark.parametrize("path", WITH_NODES, ids=lambda path: path.stem)
def test_rendering_again_over_the_file_changes_nothing(path: Path) -> None:
    """Nor do flows and frames, which follow the nodes, have a point to correct after a node is moved."""
    first = render(load(path))
    tex = first.tex
    again = load(path).keep_layout(first.scene.layout_record)  # type: ignore[union-attr]
    assert again.tex() == tex
    inside = loads(extract_spec(tex) or "")
    if inside != load(path):
        assert inside.tex().partition(r"\end{document}")[0] == tex.partition(r"\end{document}")[0]
    assert list_absolute_points(tex, "flows", "frames") == []


CHANGES: dict[str, Callable[[Spec, Random], object]] = {
    "add a node": lambda spec, random: (
        spec["nodes"].append({"kind": "node", "id": "znew", "label": "New box"}),
        spec["flows"].append({"source": random.choice(spec["nodes"][:-1])["id"], "target": "znew"}),
    ),
    "add a flow": lambda spec, random: spec["flows"].append(
        dict(zip(("source", "target"), random.sample([node["id"] for node in spec["nodes"]], 2), strict=True))
    ),
    "remove a flow": lambda spec, random: spec["flows"].pop(random.randrange(len(spec["flows"]))),
    "a longer label": lambda spec, random: random.choice(spec["nodes"]).update(label="A longer label"),
    "a label of a flow": lambda spec, random: random.choice(spec["flows"]).update(label="new text"),
    "other order of nodes": lambda spec, random: spec["nodes"].insert(0, spec["nodes"].pop(2)),
    "other order of flows": lambda spec, random: spec["flows"].insert(0, spec["flows"].pop()),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", EDITED)
def test_a_change_keeps_layers_and_order(name: str, change: str) -> None:
    spec = read(name)
    if change == "add a node" and "levels" in (content_of(spec).get("layout") or {}):
        return  # its levels are stated
    before, record = places_of(name)
    CHANGES[change](content_of(spec), Random(f"{name} {change}"))
    after, now = places(spec_of(spec).keep_layout(record))
    assert record and now
    known = {container.group: container.layers for container in record.topologies[0].containers}
    for container in now.topologies[0].containers:
        old = [[one for one in layer if one in before] for layer in container.layers]
        assert [layer for layer in old if layer] == [[*layer] for layer in known[container.group]]
    assert {*before} <= {*after}


@pytest.mark.parametrize("name", ("serving", "retrieval", "ray", "pools", "rlhf-async", "kafka", "microservice"))
def test_a_hint_for_a_label_or_an_order_moves_nothing(name: str) -> None:
    spec = read(name)
    before, record = places_of(name)
    for flow in content_of(spec)["flows"]:
        if flow.get("label"):
            flow["side"] = "left"
    assert places(spec_of(spec).keep_layout(record))[0] == before


def test_an_order_to_keep_changes_only_this_order() -> None:
    spec = read("retrieval")
    before, record = places_of("retrieval")
    content_of(spec)["layout"] = {"type": "auto", "keep": [["embed", "cache"]]}
    after, _ = places(spec_of(spec).keep_layout(record))
    assert after["embed"] < after["cache"] and before["cache"] < before["embed"]
    assert {one: at[0] for one, at in after.items()} == {one: at[0] for one, at in before.items()}


def test_another_width_is_laid_out_anew() -> None:
    spec = read("retrieval")
    _, record = places_of("retrieval")
    narrow = spec_of({**spec, "width": 8.4})
    assert narrow.model_copy().keep_layout(record).tex() == narrow.tex()


@pytest.mark.parametrize(("name", "other"), (("a3c", "gfs"), ("feature-store", "rlhf-async"), ("kafka", "serving")))
def test_another_figure_in_the_same_file_is_laid_out_anew(name: str, other: str) -> None:
    _, record = places_of(name)
    assert spec_of(read(other)).keep_layout(record).tex() == spec_of(read(other)).tex()


def test_layers_that_do_not_fit_a_stated_height_are_found_anew() -> None:
    spec = {**read("retrieval"), "height": 7.0}
    low = spec_of(spec).tex()
    members = [node["id"] for node in content_of(spec)["nodes"]]
    column = {"down": True, "layers": [[member] for member in members]}
    topology = {"panel": "main", "cost": 1000, "size": 100, "faults": 1000, "containers": [column]}
    record = read_layout_record({"height": 7, "type_size": 6, "tall": 7, "topologies": [topology]})
    assert record is not None
    assert spec_of(spec).keep_layout(record).tex() == low


def test_files_keep_the_layout_unless_anew(tmp_path: Path) -> None:
    spec, tex = read("retrieval"), tmp_path / "fig.tex"
    spec_of(spec).save(tex)
    kept = find_layout(tex)
    content_of(spec)["nodes"].insert(0, content_of(spec)["nodes"].pop(3))
    fresh = spec_of(spec).tex()
    saved = spec_of(spec).save(tex).read_text(encoding="utf-8")
    assert saved != fresh
    assert find_layout(tex)["topologies"] == kept["topologies"]
    assert spec_of(spec).save(tex, anew=True).read_text(encoding="utf-8") == fresh


def test_a_spec_is_built_and_shown_with_the_layout_of_its_file(tmp_path: Path) -> None:
    spec, path = read("retrieval"), tmp_path / "fig.yaml"
    spec_of(spec).save(path.with_suffix(".tex"))
    content_of(spec)["nodes"].append({"kind": "node", "id": "znew", "label": "New box"})
    content_of(spec)["flows"].append({"source": "web", "target": "znew"})
    path.write_text(json.dumps(spec), encoding="utf-8")
    kept = spec_of(spec).save(path.with_suffix(".tex")).read_text(encoding="utf-8").partition(r"\end{document}")[0]
    assert SpecReading(path).render_result.tex.partition(r"\end{document}")[0] == kept
    source = figure_source(path, lambda file, *_: load(file))
    assert source().partition(r"\end{document}")[0] == kept
    path.with_suffix(".tex").unlink()
    assert SpecReading(path).render_result.tex.partition(r"\end{document}")[0] != kept


def test_an_edit_keeps_the_layout() -> None:
    figure = spec_of(read("retrieval"))
    before, _ = places_of("retrieval")
    after, _ = places(figure.edit("add-flow", "web", "join"))
    assert after == before


BAD = [
    {"topologies": 5},
    {"type_size": 8, "tall": 3, "topologies": [{"panel": "main", "cost": 1, "size": 0}]},
    *(
        {"type_size": 8, "tall": 3, "topologies": [{"panel": "main", "cost": 1, "size": 3, "containers": [layers]}]}
        for layers in (
            {"layers": [["a", "a"]]},
            {"layers": [["a"], []]},
            {"layers": [["a"]], "along": [0, 1], "across": [[0]]},
            {"layers": [["a"]], "along": [1e9], "across": [[0]]},
        )
    ),
]


@pytest.mark.parametrize("data", BAD)
def test_an_invalid_record_counts_as_none(data: Mapping[str, Any]) -> None:
    assert read_layout_record(data) is None


@given(
    st.permutations(["web", "gate", "cache", "embed", "index", "join", "pool", "r1", "nobody"]),
    st.integers(1, 8),
    st.booleans(),
)
def test_any_valid_record_gives_a_figure_that_keeps_its_own(names: list[str], cut: int, empty: bool) -> None:
    layers = {"layers": [names[:cut], names[cut:]]}
    containers = [layers, *([{"group": "pool", "layers": [["nobody"]]}] if empty else [])]
    topology = {"panel": "main", "cost": 1000, "size": 100, "faults": 1000, "containers": containers}
    record = read_layout_record({"type_size": 6, "tall": 100, "topologies": [topology]})
    assert record is not None
    figure = spec_of(read("retrieval")).keep_layout(record)
    made = render(figure)
    assert made.scene is not None
    if made.scene.layout_record is not None:
        again = render(spec_of(read("retrieval")).keep_layout(made.scene.layout_record))
        assert again.tex == made.tex


def test_a_file_without_a_figure_has_no_layout(tmp_path: Path) -> None:
    (tmp_path / "fig.tex").write_text('\\documentclass{article} % "layout": {', encoding="utf-8")
    figure = load(WITH_NODES[0])
    assert keep_layout_of(tmp_path / "fig.tex", figure).layout_record is None
    assert keep_layout_of(tmp_path / "none.tex", figure).layout_record is None
