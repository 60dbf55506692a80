"""What speaks of a part by its name follows when that is called otherwise, and goes when it goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import example_tex

import tikzgen.edit
from tikzgen import Figure, load, loads
from tikzgen.edit.open_figure import Editing
from tikzgen.edit.operation_calls import from_words
from tikzgen.model.operations import names_of

WORKERS_AND_LANES = """\
panels:
- content:
  - type: topology
    nodes:
    - {kind: worker, id: w1, label: Left}
    - {kind: worker, id: w2, label: Right}
    - {kind: server, id: ps, label: Server}
    flows:
    - {source: w1, target: ps, kind: push}
    - {source: w2, target: ps, kind: push}
  - type: timeline
    lanes:
    - {id: g1, label: Left, worker: w1}
    - {id: g2, label: Right, worker: w2}
    spans:
    - {lane: g1, start: 0, duration: 3, phase: forward}
    - {lane: g2, start: 0, duration: 2, phase: forward}
"""
BY_GROUPS = "slides: {groups: {first: [w1], then: [g1-forward1, w2]}}\n"


def opened(spec: str, folder: Path) -> Editing:
    return tikzgen.edit.open(loads(spec).save(folder / "fig.tex"))


def saved(editing: Editing) -> Figure:
    return load(editing.save())


def test_a_lane_follows_its_worker(tmp_path: Path) -> None:
    figure = saved(opened(WORKERS_AND_LANES, tmp_path).rename_id("w1", "left"))
    assert [lane.worker for lane in figure.panels[0].content[1].lanes] == ["left", "w2"]
    figure = saved(tikzgen.edit.open(tmp_path / "fig.tex").remove_worker("left"))
    assert [lane.id for lane in figure.panels[0].content[1].lanes] == ["g2"]


def test_slides_follow_what_is_called_otherwise(tmp_path: Path) -> None:
    editing = opened(WORKERS_AND_LANES + BY_GROUPS, tmp_path).rename_id("w1", "left").rename_id("g1", "one")
    assert saved(editing).slides.groups == {"first": ["left"], "then": ["one-forward1", "w2"]}


def test_slides_leave_what_goes(tmp_path: Path) -> None:
    editing = opened(WORKERS_AND_LANES + BY_GROUPS, tmp_path).remove_worker("w1")
    assert saved(editing).slides.groups == {"then": ["w2"]}


def test_slides_of_nothing_go(tmp_path: Path) -> None:
    spec = WORKERS_AND_LANES + "slides: {groups: {first: [w1]}}\n"
    assert saved(opened(spec, tmp_path).remove_worker("w1")).slides is None


def test_slides_of_a_recipe_follow(tmp_path: Path) -> None:
    spec = "recipe: two-phase-commit\nslides: {groups: {first: [w1], then: [w2]}}\n"
    figure = saved(opened(spec, tmp_path).rename_id("w1", "alice"))
    assert figure.slides.groups == {"first": ["alice"], "then": ["w2"]}
    assert figure.origin is not None


@pytest.mark.parametrize("name", ["w1", "ps", "data"])
def test_a_name_that_the_contract_of_a_recipe_fixes_stays(name: str, tmp_path: Path) -> None:
    editing = opened("recipe: data-parallel\n", tmp_path)
    with pytest.raises(tikzgen.EditRefused, match=f'fixes the name "{name}"') as refused:
        editing.rename_id(name, "chief")
    assert refused.value.code == "fixed-name"
    assert f"rename-node {name}" in refused.value.nearest
    assert saved(editing.rename_node(name, "Chief")).origin is not None


def test_only_names_that_may_change_are_shown() -> None:
    def shown(more: str = "") -> set[str]:
        return {*names_of(loads("recipe: data-parallel\n" + more))["named"]}

    assert not shown() & {"w1", "ps", "data"}
    assert shown("overrides: [{do: add-node, node: spare, label: Spare}]\n") == {*shown(), "spare"}
    assert {"a", "b"} <= shown("overrides: [{do: add-node, node: a, label: A}, {do: add-node, node: b, label: B}]\n")


def test_a_node_that_the_author_adds_to_a_recipe_is_renamed(tmp_path: Path) -> None:
    editing = opened("recipe: data-parallel\noverrides: [{do: rename-id, old: w2, new: chief}]\n", tmp_path)
    editing.add_node("disk", label="Disk").add_flow("chief", "disk")
    figure = saved(editing.rename_id("disk", "store").rename_id("chief", "w2"))
    assert {"store", "w2"} <= {node.id for node in figure.panels[0].content[0].nodes}


@pytest.mark.parametrize("worker", ["", "w3"])
def test_slides_of_a_recipe_leave_the_last_worker(worker: str, tmp_path: Path) -> None:
    spec = "recipe: data-parallel\nslides: {groups: {first: [w1], then: [w2, w3]}}\n"
    figure = saved(opened(spec, tmp_path).remove_worker(worker))
    assert figure.slides.groups == {"first": ["w1"], "then": ["w2"]}


def test_a_lane_is_labelled_like_its_new_worker(tmp_path: Path) -> None:
    figure = saved(opened(WORKERS_AND_LANES, tmp_path).add_worker("Edge"))
    assert [lane.label for lane in figure.panels[0].content[1].lanes] == ["Left", "Right", "Edge"]


CHAIN = """\
panels:
- content:
    type: topology
    nodes:
    - {kind: node, id: web, label: Web}
    - {kind: node, id: queue, label: Queue}
    - {kind: node, id: mail, label: Mail}
    - {kind: worker, id: w1, label: Worker 1}
    - {kind: worker, id: w2, label: Worker 2}
    flows:
    - {source: web, target: queue, kind: data, label: orders}
    - {source: queue, target: w1, kind: data}
    - {source: queue, target: w2, kind: data}
    - {source: w1, target: mail, kind: control, label: sent}
    - {source: w2, target: mail, kind: control}
    - {source: w1, target: w2, kind: message, label: token}
    - {source: w2, target: w1, kind: message}
"""


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ("web", [("queue", "w1", ""), ("queue", "w2", ""), ("w1", "mail", "sent"), ("w2", "mail", "")]),
        ("w1", [("web", "queue", "orders"), ("queue", "w2", ""), ("w2", "mail", "sent")]),
    ],
)
def test_the_text_of_a_flow_that_goes_stays_among_flows_like_it(
    gone: str, left: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    """It speaks for all of its kind between the like, and for no other."""
    flows = saved(opened(CHAIN, tmp_path).remove_node(gone)).panels[0].content[0].flows
    assert [(flow.source, flow.target, flow.label) for flow in flows if flow.kind != "message"] == left


def test_a_figure_stays_open_once_it_is_saved(tmp_path: Path) -> None:
    editing = opened(CHAIN, tmp_path)
    editing.remove_node("web").save()
    assert saved(editing.rename_node("queue", "Orders")).panels[0].content[0].nodes[0].label == "Orders"
    assert editing.diff() == ""


OWN_CODE = """\
  \\draw[otblue] (w2.south) -- (0,0 |- w2.north);
  \\draw (w2-label) -- +(1,1) node {\\workertwolabel, not \\workerthreelabel (w2)};
"""
RENAMED = {
    "one": (
        "rename-id w2=gpu",
        ["(gpu.south) -- (0,0 |- gpu.north)", "(gpu-label) -- +(1,1) node {\\gpulabel, not \\workerthreelabel (w2)}"],
        "(gpu.north)",
    ),
    "two": (
        "rename-id w2=w3 + rename-id w3=w2",
        [
            "(w3.south) -- (0,0 |- w3.north)",
            "(w3-label) -- +(1,1) node {\\workerthreelabel, not \\workertwolabel (w2)}",
        ],
        "(w3.north)",
    ),
    "in turn": (
        "rename-id w2=x + rename-id w3=w2 + rename-id x=w3",
        [
            "(w3.south) -- (0,0 |- w3.north)",
            "(w3-label) -- +(1,1) node {\\workerthreelabel, not \\workertwolabel (w2)}",
        ],
        "(w3.north)",
    ),
}


@pytest.mark.parametrize("name", RENAMED)
def test_manual_code_follows_the_names_of_nodes_and_labels(name: str) -> None:
    """Code of the author that refers to a node or to its label keeps its element."""
    words, there, end = RENAMED[name]
    text = example_tex("cluster").read_text(encoding="utf-8").replace("  % title\n", OWN_CODE + "  % title\n", 1)
    flow = "\\draw[msg, <->] ([xshift=-0.111cm]net-label.south)"
    assert flow in text
    editing = Editing(Path("fig.tex"), text.replace(flow, flow.replace("msg", "msg, very thick"), 1).encode())
    assert {each.status for each in editing.attempt_all(from_words(words.split()))} == {"applied"}
    after = editing.text()
    assert all(each in after for each in there)
    (row,) = (row for row in after.splitlines() if "very thick" in row)
    assert row.endswith(f"-- {end};")


def test_manual_code_follows_the_names_of_spans(tmp_path: Path) -> None:
    path = loads(WORKERS_AND_LANES).save(tmp_path / "fig.tex")
    own = "  \\draw (g1-forward1.south) -- (w1) node {\\gonelanelabel};\n\\end{tikzpicture}%\n\\endgroup"
    text = path.read_text(encoding="utf-8")
    assert "\\gonelanelabel" in text
    path.write_text(text.replace("\\end{tikzpicture}%\n\\endgroup", own, 1), encoding="utf-8")
    tikzgen.edit.open(path).rename_id("g1", "first").rename_id("w1", "left").save()
    assert "(first-forward1.south) -- (left) node {\\firstlanelabel};" in path.read_text(encoding="utf-8")
