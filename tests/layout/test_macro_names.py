"""Names of macros: they depend on the ids of an element alone, and distinct elements have distinct macros."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tikzgen import Figure
from tikzgen.layout.scene import collect, spell_identifier
from tikzgen.layout.time.timeline_facts import facts_of_timelines

WORKERS = [{"id": "w1", "kind": "worker", "label": "first"}, {"id": "w2", "kind": "worker", "label": "second"}]


def name_macros(*panels: list[dict[str, Any]]) -> dict[str, set[str]]:
    """Return the macros of each text in a figure of these panels."""
    figure = Figure(panels=[{"id": f"p{index}", "content": content} for index, content in enumerate(panels)])
    found: dict[str, set[str]] = {}
    for slot in collect(figure, facts_of_timelines(figure)).slots:
        found.setdefault(str(slot.text), set()).add(slot.macro)
    return found


def make_topology(flows: list[dict[str, Any]], nodes: list[dict[str, Any]] = WORKERS) -> list[dict[str, Any]]:
    return [{"type": "topology", "nodes": nodes, "flows": flows}]


def make_timeline(lanes: list[str], spans: list[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """Return a timeline with these lanes, and spans of lane, phase and label, one after another."""
    rows = [
        {"lane": lane, "start": index, "duration": 1, "phase": phase, "label": label}
        for index, (lane, phase, label) in enumerate(spans)
        if lane in lanes
    ]
    return [{"type": "timeline", "lanes": [{"id": lane, "label": f"lane {lane}"} for lane in lanes], "spans": rows}]


def test_the_label_of_a_flow_has_a_macro_of_its_ends_and_its_kind() -> None:
    flows = [
        {"source": "w1", "target": "w2", "kind": "gradient", "label": "there"},
        {"source": "w2", "target": "w1", "kind": "data", "label": "back"},
        {"source": "w1", "target": "w2", "kind": "gradient", "label": "again"},
    ]
    found = name_macros(make_topology(flows))
    assert found["there"] == {"workeronetoworkertwogradientlabel"}
    assert found["back"] == {"workertwotoworkeronedatalabel"}
    assert found["again"] == {"workeronetoworkertwogradientlabeltwo"}


def test_the_label_of_a_span_keeps_its_macro_when_a_sibling_goes() -> None:
    spans = [("g0", "forward", "F"), ("g1", "forward", "F"), ("g1", "backward", "B")]
    assert name_macros(make_timeline(["g0", "g1"], spans))["B"] == {"gonebackwardonetext"}
    assert name_macros(make_timeline(["g0", "g1"], spans))["F"] == {"gzeroforwardonetext", "goneforwardonetext"}


@pytest.mark.parametrize("texts", [("first", "first"), ("first", "other")], ids=["equal", "different"])
def test_panels_share_the_macro_of_an_id_while_the_text_is_equal(texts: tuple[str, str]) -> None:
    panels = [make_topology([], [{"id": "w1", "kind": "worker", "label": text}]) for text in texts]
    found = name_macros(*panels)
    assert found["first"] == {"workeronelabel"}
    assert texts == ("first", "first") or found["other"] == {"poneworkeronelabel"}


@pytest.mark.parametrize("name", ["new", "h", "v"])
def test_a_macro_of_tex_is_not_redefined(name: str) -> None:
    node = {"id": name, "kind": "server", "label": "text", "rule": "$w$", "icon": None}
    taken = {"newlabel", "hrule", "vrule"}
    assert not taken & set().union(*name_macros(make_topology([], [node])).values())


# Ids that differ only in what macros leave out or write in words.
SIMILAR_IDS = (
    "w1",
    "w-1",
    "w01",
    "worker1",
    "workerone",
    "worker-1",
    "wone",
    "WONE",
    "w1-1",
    "w11",
    "w1sub",
    "one",
    "w",
)


@given(st.lists(st.sampled_from(SIMILAR_IDS), min_size=2, unique=True), st.data())
def test_distinct_ids_have_distinct_macros(ids: list[str], data: st.DataObject) -> None:
    nodes = [{"id": one, "kind": "worker", "label": f"text {one}", "sublabel": f"below {one}"} for one in ids]
    ends = st.lists(st.sampled_from(ids), min_size=2, max_size=2, unique=True)
    flows = [
        {"source": source, "target": target, "label": f"flow {index}"}
        for index, (source, target) in enumerate(data.draw(st.lists(ends, max_size=4)))
    ]
    macros = [macro for found in name_macros(make_topology(flows, nodes)).values() for macro in found]
    assert len(macros) == len(set(macros)) == 2 * len(nodes) + len(flows)


_IDS = st.from_regex(r"[a-z]{1,3}[0-9]{0,2}(-[a-z]{1,2}[0-9]?)?", fullmatch=True)
_DISTINCT_IDS = st.lists(_IDS, min_size=2, max_size=5, unique_by=spell_identifier)


def assert_kept(more: dict[str, set[str]], less: dict[str, set[str]]) -> None:
    assert less.items() <= more.items()


@given(_DISTINCT_IDS, st.data())
def test_a_node_or_flow_that_goes_renames_no_other_macro(ids: list[str], data: st.DataObject) -> None:
    pairs = [(source, target) for source in ids for target in ids if source != target]
    ends = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=5, unique=True))
    nodes = [{"id": one, "label": f"text {one}"} for one in ids]
    flows = [{"source": one, "target": two, "label": f"from {one} to {two}"} for one, two in ends]
    whole = name_macros(make_topology(flows, nodes))
    for index in range(len(flows)):
        assert_kept(whole, name_macros(make_topology(flows[:index] + flows[index + 1 :], nodes)))
    for gone in nodes:
        left = [flow for flow in flows if gone["id"] not in (flow["source"], flow["target"])]
        assert_kept(whole, name_macros(make_topology(left, [node for node in nodes if node is not gone])))
    assert_kept(name_macros(make_topology(flows, nodes), make_topology([], nodes[1:])), whole)


@given(_DISTINCT_IDS, st.data())
def test_a_lane_or_span_that_goes_renames_no_other_macro(lanes: list[str], data: st.DataObject) -> None:
    phases = ("forward", "backward", "input-grad")
    cells = st.tuples(st.sampled_from(lanes), st.sampled_from(phases))
    spans = [
        (lane, phase, data.draw(st.sampled_from(["same", f"{lane} {phase}"])))
        for lane, phase in data.draw(st.lists(cells, min_size=1, max_size=6, unique=True))
    ]
    whole = name_macros(make_timeline(lanes, spans))
    smaller = [make_timeline(lanes, spans[:index] + spans[index + 1 :]) for index in range(len(spans))]
    smaller += [make_timeline([lane for lane in lanes if lane != gone], spans) for gone in lanes]
    for part in smaller:
        for text, macros in name_macros(part).items():
            assert macros <= whole[text]
