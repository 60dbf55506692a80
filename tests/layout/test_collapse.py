"""`collapse`: of many that are alike some are drawn, with dots for the others; what tells something stays."""

from __future__ import annotations

import re
from typing import Any

import pytest
from topology_judge import faults

from tikzgen import Figure, loads, recipes
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.layout import choose_form
from tikzgen.model.topology.topology import Topology

NAMES = [f"w{number}" for number in range(1, 10)]


def figure(
    flows: list[dict[str, Any]], *others: str, links: list[dict[str, Any]] | None = None, **facts: Any
) -> Figure:
    entities = [{"kind": "worker", "id": name, "label": name} for name in NAMES]
    entities += [{"kind": "server", "id": name, "label": name} for name in others]
    facts = {"nodes": entities, "flows": flows, **facts}
    return Figure.model_validate({"panels": [{"content": {"type": "topology", **facts}}], "links": links or []})


def shown(made: Figure) -> Topology:
    (part,) = (part for _, _, part in choose_form(made).parts(Topology))
    return part


def names(part: Topology) -> list[str]:
    return [node.id for node in part.nodes]


def fan(**facts: Any) -> list[dict[str, Any]]:
    return [{"source": name, "target": "ps", **facts} for name in NAMES]


ROW = {"layout": {"type": "row"}}
LEVELS = {"type": "levels", "levels": [NAMES, ["ps"]]}


@pytest.mark.parametrize("layout", [{}, {"layout": LEVELS}, ROW], ids=["auto", "levels", "row"])
@pytest.mark.parametrize("most", [2, 4, 8])
def test_neighbours_that_are_alike_become_dots(most: int, layout: dict[str, Any]) -> None:
    made = figure(fan(), "ps", collapse=most, **layout)
    part = shown(made)
    assert names(part) == [*NAMES[: most - 1], "dots", NAMES[-1], "ps"]
    assert [flow.source for flow in part.flows] == [*NAMES[: most - 1], NAMES[-1]]
    assert {*names(part)} <= {*draw(made.tex()).nodes}
    assert layout == ROW or faults(made.tex(), part) == []  # in a row they are curves


def test_nine_of_nine_are_no_dots() -> None:
    assert names(shown(figure(fan(), "ps", collapse=9))) == [*NAMES, "ps"]


KEPT: list[tuple[str, dict[str, Any]]] = [
    ("a text on its flow", {"flows": [dict(one, label="x" * (one["source"] == "w6")) for one in fan()]}),
    ("a number on its flow", {"flows": [dict(one, step=1 if one["source"] == "w6" else None) for one in fan()]}),
    ("a link", {"flows": fan(), "links": [{"source": "w6", "target": "ps"}]}),
    ("a link to its flow", {"flows": [dict(one, id=f"f-{one['source']}") for one in fan()],
                            "links": [{"source": "f-w6@0.5", "target": "w1"}]}),
    ("being the centre", {"flows": fan(), "layout": {"type": "star", "center": "w6"}}),
]  # fmt: skip


@pytest.mark.parametrize(("why", "facts"), KEPT, ids=[why for why, _ in KEPT])
def test_what_tells_something_stays(why: str, facts: dict[str, Any]) -> None:
    assert names(shown(figure(facts.pop("flows"), "ps", collapse=3, **facts))) == (
        ["w1", "w2", "w3-dots", "w6", "w7-dots", "w9", "ps"]
    )


def test_texts_that_all_have_tell_nothing_of_one() -> None:
    both = [*fan(label="result", step=2), *({"source": "ps", "target": name, "label": "task"} for name in NAMES)]
    made = figure(both, "ps", collapse=4)
    assert names(shown(made)) == ["w1", "w2", "w3", "dots", "w9", "ps"]
    assert [flow.label for flow in shown(made).flows] == 4 * ["result"] + 4 * ["task"]


def test_what_looks_otherwise_is_not_like_the_others() -> None:
    made = figure(fan(), "ps", collapse=3)
    nodes = [
        dict(node.model_dump(), state="failed" if node.id == "w5" else "normal")
        for node in made.panels[0].content[0].nodes
    ]  # type: ignore[union-attr, attr-defined]
    other = Figure.model_validate(
        {"panels": [{"content": {"type": "topology", "nodes": nodes, "flows": fan(), "collapse": 3}}]}
    )
    assert names(shown(other)) == ["w1", "w2", "w3-dots", "w4", "w5", "w6", "w7", "w8-dots", "w9", "ps"]


def test_a_ring_stays_closed() -> None:
    flows = [{"source": one, "target": other} for one, other in zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True)]
    part = shown(figure(flows, collapse=4, layout={"type": "ring"}))
    assert names(part) == ["w1", "w2", "w3", "dots", "w9"]
    assert [(flow.source, flow.target) for flow in part.flows] == [
        ("w1", "w2"), ("w2", "w3"), ("w3", "dots"), ("dots", "w9"), ("w9", "w1"),
    ]  # fmt: skip


def test_frames_have_dots_of_their_own() -> None:
    groups = [{"id": "pool", "members": NAMES[:8], "collapse": 3}, {"id": "all", "members": ["pool", "w9"]}]
    made = figure(fan(), "ps", groups=groups)
    part = shown(made)
    assert part.groups[0].members == ["w1", "w2", "dots", "w8"]
    assert faults(made.tex(), part) == []


def test_the_spec_keeps_all_of_them() -> None:
    made = figure(fan(), "ps", collapse=4)
    assert names(made.panels[0].content[0]) == [*NAMES, "ps"]  # type: ignore[arg-type]
    assert '"w5"' in made.tex().partition(r"\end{document}")[2]


@pytest.mark.parametrize(
    ("count", "show", "drawn_ones"), [(8, None, 8), (9, None, 4), (64, None, 4), (9, 9, 9), (64, 3, 3)]
)
def test_recipes_draw_few_of_many(count: int, show: int | None, drawn_ones: int) -> None:
    workers = {"count": count, "show": show}
    for made in (
        recipes.data_parallel(workers=workers),
        recipes.parameter_server(workers=workers, modes=["synchronous"]),
    ):
        nodes = {*re.findall(r"\((w[0-9]+)\) at", made.tex())}
        assert len(nodes) == drawn_ones
        assert f"w{count}" in nodes


@pytest.mark.parametrize(
    ("recipe", "direction", "style"),
    [
        ("local-sgd", "right", "omitted"),
        ("local-sgd", "up", "omitted level"),
        ("two-phase-commit", "right", "omitted"),
        ("two-phase-commit", "down", "omitted level"),
        ("data-parallel", "", "omitted"),
    ],
)
def test_dots_look_alike_in_every_kind(recipe: str, direction: str, style: str) -> None:
    turned = f"direction: {direction}\n" if direction else ""
    tex = loads(f"recipe: {recipe}\nworkers: 64\n{turned}").tex()
    assert tex.count(f"\\node[{style}") == 1
