"""Several operations in one call: the result must keep the rules, not the state between two operations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import some

from tikzgen import Figure, load, loads
from tikzgen.edit.session import Session
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations import iterate_entries, read_operation
from tikzgen.recipe.recipe_names import NEEDS, RECIPES

SPANS = """\
panels:
- content:
  - type: timeline
    lanes: [{id: g0, label: GPU 0}, {id: g1, label: GPU 1}]
    spans:
    - {lane: g0, start: 0, duration: 2, phase: forward, label: F, id: a}
    - {lane: g0, start: 2, duration: 3, phase: backward, label: B, id: b}
    - {lane: g1, start: 2, duration: 2, phase: forward, label: G, id: c}
    dependencies: [{source: a, target: c}]
"""
NODES = """\
panels:
- content:
  - type: topology
    nodes: [{id: x, label: X, icon: gpu}, {id: y, label: Y, icon: database}, {id: z, label: Z}]
    groups: [{id: g, label: G, members: [x]}, {id: h, label: H, members: [y]}]
    flows: [{source: x, target: y, label: go}, {source: y, target: z}]
"""


def edit(spec: str, words: str, folder: Path) -> Figure:
    """Return a figure after operations in one call."""
    path = loads(spec).save(folder / "fig.tex")
    done = run("edit", str(path), *words.split())
    assert done.status == 0, done.err
    figure = load(path)
    assert figure.tex() == path.read_text(encoding="utf-8")
    return figure


@pytest.mark.parametrize(
    ("words", "starts"),
    [
        ("set-span a start=3 + set-span b start=0 + set-span c start=5", {"a": 3, "b": 0, "c": 5}),
        ("set-span a start=2 + set-span b start=4 + set-span c start=6", {"a": 2, "b": 4, "c": 6}),
        ("set-span a duration=4 + set-span b start=4 + set-span c start=4", {"a": 0, "b": 4, "c": 4}),
        ("add-span g0 start=2 duration=1 phase=update id=d + set-span b start=3", {"a": 0, "b": 3, "c": 2, "d": 2}),
    ],
    ids=["swapped", "shifted", "longer", "added"],
)
def test_spans_may_overlap_between_two_operations(words: str, starts: dict[str, int], tmp_path: Path) -> None:
    timeline = edit(SPANS, words, tmp_path).panels[0].content[0]
    assert {span.id: span.start for span in timeline.spans} == starts


def test_spans_that_overlap_in_the_end_are_refused(tmp_path: Path) -> None:
    path = loads(SPANS).save(tmp_path / "fig.tex")
    before = path.read_text(encoding="utf-8")
    done = run("edit", str(path), "set-span", "a", "start=3", "+", "set-span", "b", "start=1")
    assert done.status == 1
    assert "set-span: refused: panels[0].content[0].spans[1].start: overlaps spans[0]" in done.err
    assert path.read_text(encoding="utf-8") == before


def test_ids_of_spans_and_lanes_swap(tmp_path: Path) -> None:
    words = "rename-id a=b + rename-id b=a + rename-id g0=g1 + rename-id g1=g0"
    timeline = edit(SPANS, words, tmp_path).panels[0].content[0]
    assert [(lane.id, lane.label) for lane in timeline.lanes] == [("g1", "GPU 0"), ("g0", "GPU 1")]
    assert [(span.id, span.label, span.lane) for span in timeline.spans] == [
        ("b", "F", "g1"),
        ("a", "B", "g1"),
        ("c", "G", "g0"),
    ]
    assert [(each.source, each.target) for each in timeline.dependencies] == [("b", "c")]


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        ("rename-id x=y + rename-id y=x", {"y": "X", "x": "Y", "z": "Z"}),
        ("rename-id x=y + rename-id y=z + rename-id z=x", {"y": "X", "z": "Y", "x": "Z"}),
        ("rename-id x=y + rename-id y=w", {"y": "X", "w": "Y", "z": "Z"}),
        ("rename-id g=h + rename-id h=g", {"x": "X", "y": "Y", "z": "Z"}),
        ("rename-node x=Y + rename-node y=X", {"x": "Y", "y": "X", "z": "Z"}),
    ],
    ids=["two", "three", "chain", "frames", "labels"],
)
def test_ids_and_labels_of_nodes_swap(words: str, labels: dict[str, str], tmp_path: Path) -> None:
    topology = edit(NODES, words, tmp_path).panels[0].content[0]
    assert {node.id: node.label for node in topology.nodes} == labels
    name = {label: node for node, label in labels.items()}
    ends = [(name["X"], name["Y"]), (name["Y"], name["Z"])] if "node" not in words else [("x", "y"), ("y", "z")]
    assert [(flow.source, flow.target) for flow in topology.flows] == ends


def test_icons_of_two_nodes_swap(tmp_path: Path) -> None:
    topology = edit(NODES, "swap-icon x database + swap-icon y gpu", tmp_path).panels[0].content[0]
    assert [node.icon for node in topology.nodes[:2]] == ["database", "gpu"]


def test_an_id_that_stays_in_use_is_refused(tmp_path: Path) -> None:
    path = loads(NODES).save(tmp_path / "fig.tex")
    done = run("edit", str(path), "rename-id", "x=y", "+", "rename-node", "y=Q")
    assert done.status == 1
    assert 'rename-id: refused: there is a "y" already' in done.err


def list_labels(figure: FigureModel) -> dict[tuple[int, str, str], str]:
    """Return the labels of nodes, lanes, lifelines and frames by panel, list and id, or lanes."""
    return {
        (number, field, str(getattr(entry, "id", None) or entry.lanes)): str(entry.label)
        for number, _, part in figure.parts(Content)
        for field, _, entry in iterate_entries(part)
        if field in ("nodes", "lanes", "lifelines", "groups") and hasattr(entry, "label")
    }


WITHOUT_WORKERS = ("serving", "two-phase-commit", "paxos", "raft-election", "raft-replication", "all-reduce")
REFUSED = {("3d-parallel", "add-lane"), ("3d-parallel", "add-worker")}
REFUSED |= {(name, "add-worker") for name in WITHOUT_WORKERS}
ARRAYS = [
    *("sharding", "ring-steps", "attention-mask", "block-table"),
    *("replicated-log", "memory-bars", "partitions", "dispatch"),
]
REFUSED |= {(name, operation) for name in ARRAYS for operation in ("add-lane", "add-worker")}
ADDED = [
    (name, operation)
    for name in RECIPES.list_entry_names()
    if name not in NEEDS
    for operation in ("add-lane", "add-worker")
    if (name, operation) not in REFUSED
]


@pytest.mark.parametrize("others", [(), (("palette", {"palette": "dark"}), ("set-title", {"title": "T"}))], ids=len)
@pytest.mark.parametrize(("recipe", "operation"), some(ADDED, 12))
def test_the_label_of_one_more_is_that_of_the_new_id(recipe: str, operation: str, others: tuple[Any, ...]) -> None:
    session = Session(loads(f"recipe: {recipe}\n").tex(), "fig.tex")
    before = list_labels(loads(f"recipe: {recipe}\n"))
    calls = [(operation, {"label": "One more"}), *others]
    outcomes = session.apply_all([read_operation(*call) for call in calls])
    assert [outcome.status for outcome in outcomes] == ["applied"] * len(calls)
    after = list_labels(loads(json.dumps(session.description)))
    assert {key: after[key] for key in before if key in after} == {key: before[key] for key in before if key in after}
    labeled = {key[1:] for key, label in after.items() if key not in before and label == "One more"}
    assert len(labeled) == 1  # the same id in every panel


WRONG_ARGUMENTS = {
    "recolor x otpurpl": 'color: "otpurpl" is not a color (try: did you mean "otpurple"?)',
    "set-node x state=broken": "state: \"broken\" should be 'normal', ",
    "set-node x offset=1": "offset takes 2 values with a comma between them, not 1",
    "palette blue": "palette: \"blue\" should be 'light' or 'dark'",
    "width wide": 'unknown width "wide" (try: write 8.4, 8.4cm, 3.25in, or column or text of a venue',
}


@pytest.mark.parametrize("words", WRONG_ARGUMENTS)
def test_a_wrong_argument_is_named_with_the_values_that_are_possible(words: str, tmp_path: Path) -> None:
    path = loads(NODES).save(tmp_path / "fig.tex")
    done = run("edit", str(path), *words.split())
    message = done.err.replace(f"{path}: ", "").strip()
    assert done.status == 1
    assert WRONG_ARGUMENTS[words] in message
    assert len(message) <= 200
