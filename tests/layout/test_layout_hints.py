"""Hints of authors: sides of flows, feedback, shared layers and relative positions."""

from __future__ import annotations

from typing import Any

import pytest
from topology_figures import topology_figure

from tikzgen import Figure
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.model.topology import Topology

FLOWS = [("a", "b"), ("b", "c"), ("b", "d"), ("d", "a")]


def centers(figure: Figure, names: str = "abcd") -> dict[str, tuple[float, float]]:
    """Return the centers of nodes in pt, upward."""
    shapes = draw(figure.tex()).nodes
    return {name: shapes[name].anchor("center") for name in names}


def figure_of(layout: dict[str, Any], **changed: dict[str, Any]) -> Figure:
    flows = [{"source": one, "target": other, **changed.get(one + other, {})} for one, other in FLOWS]
    nodes = [{"kind": "node", "id": name, "label": name.upper()} for name in "abcd"]
    return topology_figure(nodes=nodes, flows=flows, layout={"type": "auto", **layout})


@pytest.mark.parametrize("direction", ["auto", "right"])
@pytest.mark.parametrize("pair", ["ab", "ba", "cd", "dc", "ca"])
def test_a_hint_places_one_node_left_of_another(pair: str, direction: str) -> None:
    one, other = pair
    at = centers(figure_of({"direction": direction, "hints": [{"left": one, "of": other}]}))
    assert at[one][0] < at[other][0]


@pytest.mark.parametrize("pair", ["ab", "ba", "cd", "dc"])
def test_a_hint_places_one_node_above_another(pair: str) -> None:
    one, other = pair
    at = centers(figure_of({"hints": [{"above": one, "of": other}]}))
    assert at[one][1] > at[other][1]


def test_hints_on_both_axes_hold_together() -> None:
    at = centers(figure_of({"hints": [{"left": "a", "of": "b"}, {"above": "d", "of": "c"}]}))
    assert at["a"][0] < at["b"][0] and at["d"][1] > at["c"][1]


def test_a_hint_between_frames_moves_the_frames() -> None:
    groups = [{"id": "one", "members": ["a", "b"]}, {"id": "two", "members": ["c", "d"]}]
    content = {"type": "topology", **_plain(), "groups": groups}
    for first, second in (("one", "d"), ("c", "a")):
        layout = {"type": "auto", "hints": [{"left": first, "of": second}]}
        at = centers(topology_figure(**{**content, "layout": layout}))
        left, right = ("ab", "cd") if first == "one" else ("cd", "ab")
        assert max(at[name][0] for name in left) < min(at[name][0] for name in right)


def _plain() -> dict[str, Any]:
    return {
        "nodes": [{"kind": "node", "id": name} for name in "abcd"],
        "flows": [{"source": one, "target": other} for one, other in FLOWS],
    }


@pytest.mark.parametrize(("direction", "axis"), [("right", 0), ("down", 1)])
def test_nodes_share_a_layer(direction: str, axis: int) -> None:
    at = centers(figure_of({"direction": direction, "same": [["b", "d"], ["a", "c"]]}))
    assert at["b"][axis] == pytest.approx(at["d"][axis]) and at["a"][axis] == pytest.approx(at["c"][axis])


def test_hints_order_nodes_without_flows() -> None:
    hints = [{"left": "c", "of": "a"}, {"left": "a", "of": "b"}]
    layout = {"type": "auto", "direction": "right", "hints": hints}
    at = centers(topology_figure(nodes=[{"kind": "node", "id": name} for name in "abc"], layout=layout), "abc")
    assert at["c"][0] < at["a"][0] < at["b"][0]


def test_feedback_makes_no_layers_and_a_flow_without_feedback_runs_forward() -> None:
    layout = {"direction": "right"}
    forward = centers(figure_of(layout, ab={"feedback": True}))
    assert forward["d"][0] < forward["a"][0] and forward["b"][0] < forward["d"][0]
    forward = centers(figure_of(layout, da={"feedback": False}))
    assert forward["d"][0] < forward["a"][0]


def test_feedback_runs_outside_of_the_layers() -> None:
    names = ["g1", "g2", "g3", "g4"]
    flows = [{"source": "i", "target": name, "route": "bus"} for name in names]
    flows += [{"source": name, "target": "u", "route": "bus"} for name in names]
    nodes = [{"kind": "node", "id": name, "label": name.upper()} for name in ("i", *names, "u")]

    def find_crossings(feedback: bool | None) -> list[str]:
        back = {"source": "u", "target": "i", "feedback": feedback}
        layout = {"type": "auto", "direction": "down"}
        figure = topology_figure(nodes=nodes, flows=[*flows, back], layout=layout)
        return [finding.code for finding in figure.check() if finding.code == "TG337"]

    assert find_crossings(None) and not find_crossings(True)


@pytest.mark.parametrize(
    ("source", "target", "sides"),
    [
        ("a.right", "b.top", ("right", "top")),
        ("a.west", "b.south", ("left", "bottom")),
        ("a", "b.left", (None, "left")),
    ],
)
def test_an_end_names_its_side(source: str, target: str, sides: tuple[str | None, str | None]) -> None:
    nodes = [{"kind": "node", "id": name} for name in "ab"]
    figure = topology_figure(nodes=nodes, flows=[{"source": source, "target": target}])
    (flow,) = (flow for _, _, part in figure.parts(Topology) for flow in part.flows)
    assert (flow.source, flow.target, flow.from_side, flow.to_side) == ("a", "b", *sides)


def test_a_side_that_both_forms_state_is_accepted() -> None:
    nodes = [{"kind": "node", "id": name} for name in "ab"]
    flows = [{"source": "a.right", "from_side": "right", "target": "b"}]
    (flow,) = (flow for _, _, part in topology_figure(nodes=nodes, flows=flows).parts(Topology) for flow in part.flows)
    assert flow.from_side == "right"
