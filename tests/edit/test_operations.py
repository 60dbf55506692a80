"""The table of operations and the contracts agree: what a contract names can be done, and nothing else can."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import KINDS, ROOT, SWEPT, example_tex, some
from ruamel.yaml import YAML

import tikzgen.edit
from tikzgen import load, loads, show
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.edit.allowed_operations import names_in, schema
from tikzgen.edit.operation_calls import OperationOutcome, from_words
from tikzgen.model.operations.operations_table import OPERATIONS, OVERRIDES, read_operation
from tikzgen.spec.embedded_spec import extract_spec
from tikzgen.spec.errors.field_docs import field_docs, first_line

TRIES: dict[str, list[dict[str, Any]]] = YAML(typ="safe").load(
    (ROOT / "tests/cases/operations/arguments.yaml").read_text(encoding="utf-8")
)
NAME = re.compile(r"@(\w+)(?:\[(-?\d+)\])?")


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """The arguments with the figure's own names; what it has none of is called `nope`."""
    if isinstance(value, dict):
        return {filled(key, names): filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, names) for each in value]
    if not isinstance(value, str):
        return value

    def named(match: re.Match[str]) -> str:
        known = names.get(match[1]) or ("nope",)
        return str(known[min(int(match[2] or 0), len(known) - 1)])

    return NAME.sub(named, value)


def tried(path: Path, name: str, names: Mapping[str, Any]) -> OperationOutcome:
    """What becomes of an operation; where the recipe would not hold any more, of the same without the recipe."""
    outcomes = []
    for arguments in filled(TRIES[name], names):
        editing = tikzgen.edit.open(path)
        if name in ("set-span", "add-span", "add-event"):  # the column has no room for more
            editing.attempt("width", {"width": None})
        if name == "remove-flow":  # one that no worker needs
            editing.attempt("add-flow", arguments)
        outcome = editing.attempt(name, arguments)
        if outcome.code == "layout":  # it is possible, though not at this width
            assert outcome.nearest
            editing.attempt("width", {"width": None})
            outcome = editing.attempt(name, arguments)
        if outcome.code == "needs-freeze":
            assert "--freeze" in outcome.nearest
            editing = tikzgen.edit.open(path, freeze=True)
            editing.attempt("width", {"width": None})
            outcome = editing.attempt(name, arguments)
        outcomes.append(outcome)
    return next((each for each in outcomes if each.status in ("applied", "noop")), outcomes[-1])


def test_every_operation_is_tried() -> None:
    assert list(TRIES) == list(OPERATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("example", [*(path.stem for path in KINDS), "marks"])
def test_a_contract_names_what_can_be_done_and_nothing_else(example: str, tmp_path: Path) -> None:
    path = tmp_path / "fig.tex"
    if example == "marks":
        load(ROOT / "tests/cases/marks/right.yaml").save(path)
    else:
        path.write_bytes(example_tex(example).read_bytes())
        (tmp_path / "fig.meta.json").write_bytes(example_tex(example).with_suffix(".meta.json").read_bytes())
    contract = json.loads((tmp_path / "fig.meta.json").read_text(encoding="utf-8"))["edit_contract"]
    listed = [each["id"] for each in contract["operations"]]
    shown = show(path)
    names = {**names_in(shown), "texts": [each.name[1:] for each in shown.parameters if each.type == "text"]}
    figure = load(path)
    names["panels"] = [panel.id for panel in figure.panels]
    names["end"] = [str(max((part.end for panel in figure.panels for part in panel.content), default=0))]
    for name in OPERATIONS:
        outcome = tried(path, name, names)
        done = outcome.status in ("applied", "noop")
        # the facts of a schedule may forbid one device more or fewer as they stand: the refusal names what would do
        assert (done or (outcome.code == "model" and bool(outcome.nearest))) == (name in listed), str(outcome)


DONE_OR_REFUSED = [
    ("{recipe: mapreduce, maps: 2, reduces: 1}", "add-group", {"group": "frame", "members": ["map1"]}, ""),
    ("{recipe: cluster, nodes: 2, gpus: 4}", "remove-group", {"group": "node0"}, ""),
    (
        "{recipe: recovery, means: rerouted, workers: 6, stages: 3, microbatches: 4, step: 18, "
        "failures: [{at: 0, worker: 1}]}",
        "remove-worker",
        {},
        "5 workers are no pipelines of 3 stages",
    ),
    (
        "{recipe: stale-synchronous, workers: 3, compute: [2, 3, 6], until: 12}",
        "remove-worker",
        {},
        "3 values for 2 workers",
    ),
]
"""A frame without a label where no text has its style, a frame of several layers, and numbers that go together."""


@pytest.mark.parametrize(("spec", "name", "arguments", "reason"), DONE_OR_REFUSED, ids=lambda value: str(value)[:30])
def test_an_operation_is_done_or_refused_with_a_way_out(
    spec: str, name: str, arguments: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    outcome = tikzgen.edit.open(loads(spec).save(tmp_path / "fig.tex")).attempt(name, arguments)
    assert (outcome.status, outcome.code) == (("refused", "model") if reason else ("applied", "")), str(outcome)
    assert reason in outcome.message
    assert bool(outcome.nearest) == bool(reason)


def test_each_says_what_it_does_and_what_a_hand_does() -> None:
    for name, each in OPERATIONS.items():
        assert first_line(each).endswith("."), name
        assert each.hand, name
        assert all(field_docs(each)[argument] for argument in each.list_arguments()), name
        assert set(each.names) <= set(each.list_arguments()), name


def test_what_a_contract_named_and_nothing_could_do_is_gone() -> None:
    assert not {"set-chunk", "set-share", "set-slide"} & set(OPERATIONS)
    assert "set-span" in OPERATIONS


SHELL = [
    (["set-schedule", "compute=3,2,4"], "set-schedule", {"compute": [3, 2, 4]}),
    (["set-schedule", "gpipe", "devices=3"], "set-schedule", {"schedule": "gpipe", "devices": 3}),
    (["add-flow", "from=a", "to=b"], "add-flow", {"source": "a", "target": "b"}),
    (["add-flow", "a", "b", "control"], "add-flow", {"source": "a", "target": "b", "kind": "control"}),
    (["add-span", "lane=a,b", "start=1", "duration=1/3"], "add-span", {"lane": ["a", "b"], "start": 1}),
    (["set-legend", "entries=forward,backward"], "set-legend", {"entries": ["forward", "backward"]}),
    (["set-legend", "position=bottom", "entries=null"], "set-legend", {"position": "bottom", "entries": None}),
    (["set-text", "at=panels.a.caption,panels.b.caption", "text=x, y"], "set-text", {"text": "x, y"}),
]


@pytest.mark.parametrize(("words", "name", "arguments"), SHELL, ids=lambda value: str(value)[:40])
def test_arguments_are_typed_without_json(words: list[str], name: str, arguments: dict[str, Any]) -> None:
    (call,) = from_words(words)
    operation = read_operation(call.operation, call.arguments)
    assert operation.do == name
    for argument, value in arguments.items():
        assert getattr(operation, argument) == value


def test_overrides_take_every_change_of_parts(tmp_path: Path) -> None:
    """What `edit` keeps beside a recipe's facts may be written there, too."""
    assert {"set-span", "add-event", "add-arrow", "set-legend", "set-text"} <= {*OVERRIDES}
    spec = tmp_path / "spec.yaml"
    spec.write_text(
        "recipe: pipeline\noverrides:\n- {do: set-span, span: gpu0-forward1, label: first}\n"
        "- {do: add-event, time: 3, label: now}\n- {do: add-arrow, source: gpu0-forward1, target: gpu1-forward1}\n",
        encoding="utf-8",
    )
    tex = load(spec).tex()
    assert "{first}%" in tex
    assert "{now}%" in tex
    assert load(spec).origin is not None


PARAMETER_SERVER = some(
    [
        (["add-worker", "label=Edge"], 4, ["w4"], ["g4"]),
        (["remove-worker"], 2, [], ["g3"]),
        (["remove-worker", "w2"], 2, [], ["g2"]),
        (["add-worker", "+", "remove-worker", "w1"], 3, ["w4"], ["g1"]),
        (["add-worker", "label=Edge", "+", "remove-worker"], 3, [], []),
    ]
)


@pytest.mark.parametrize("freeze", [False, True])
@pytest.mark.parametrize(("words", "count", "more", "changed"), PARAMETER_SERVER, ids=lambda value: str(value)[:30])
def test_a_worker_takes_its_lane_along(
    words: list[str], count: int, more: list[str], changed: list[str], freeze: bool, tmp_path: Path
) -> None:
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex("parameter-server").read_bytes())
    editing = tikzgen.edit.open(path, freeze=freeze)
    for call in from_words(words):
        outcome = editing.attempt(call.operation, call.arguments)
        assert outcome.status == "applied", str(outcome)
    editing.save()
    for panel in load(path).panels:
        topology, timeline = panel.content
        workers = [node.id for node in topology.nodes if node.kind == "worker"]
        assert sorted(lane.worker for lane in timeline.lanes) == sorted(workers)
        assert len(workers) == count
        assert set(more) <= set(workers)
        busy = {lane for span in timeline.spans for lane in span.lanes}
        assert busy == {lane.id for lane in timeline.lanes}
        for lane in changed:
            assert (lane in busy) == (lane in ("g4",))
    assert run("check", str(path)).status == 0


def test_a_worker_more_has_not_failed_as_the_last_one_has(tmp_path: Path) -> None:
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex("cluster").read_bytes())
    editing = tikzgen.edit.open(path)
    for operation, arguments in (("remove-worker", {"worker": "w4"}), ("add-worker", {})):
        assert editing.attempt(operation, arguments).status == "applied"
    editing.save()
    nodes = {node.id: node for node in load(path).panels[0].content[0].nodes}
    assert (nodes["w3"].state, nodes["w4"].state) == ("failed", "normal")


NODES_AND_FLOWS = {
    "a node in a frame": (
        "cluster",
        [("add-node", {"node": "log", "label": "Log", "group": "node-b"})],
        lambda part: (part.nodes[-1].kind, part.groups[1].members) == ("node", ["w3", "w4", "log"]),
    ),
    "a node in the level of the last one": (
        "parameter-server",
        [("add-node", {"node": "log", "kind": "server", "shape": "cylinder"})],
        lambda part: part.layout.levels[-1] == ["w1", "w2", "w3", "log"] and part.nodes[-1].icon is None,
    ),
    "a node beside an order that is kept": (
        "rlhf",
        [("add-node", {"node": "log", "label": "Log"})],
        lambda part: part.nodes[-1].id == "log" and all("log" not in row for row in part.layout.keep),
    ),
    "a state and a shape": (
        "cluster",
        [("set-node", {"node": "net", "state": "slow", "shape": "cloud"})],
        lambda part: (part.nodes[1].state, part.nodes[1].form) == ("slow", "cloud"),
    ),
    "a node that a level was made of": (
        "parameter-server",
        [("remove-node", {"node": "ps"})],
        lambda part: part.layout.levels == [["w1", "w2", "w3"]] and not part.flows,
    ),
    "a flow": (
        "cluster",
        [("set-flow", {"source": "store", "target": "net", "direction": "both", "step": 2, "new_kind": "weight"})],
        lambda part: (part.flows[0].kind, part.flows[0].step, part.flows[0].direction) == ("weight", 2, "both"),
    ),
    "a flow's number away": (
        "cluster",
        [("set-flow", {"source": "store", "target": "net", "step": 0})],
        lambda part: part.flows[0].step is None,
    ),
    "a frame": (
        "gpu-cluster",
        [("remove-group", {"group": "machines"})],
        lambda part: "machines" not in [group.id for group in part.groups] and len(part.nodes) > 3,
    ),
}


@pytest.mark.parametrize("case", NODES_AND_FLOWS)
def test_nodes_and_flows_are_changed_one_by_one(case: str, tmp_path: Path) -> None:
    example, calls, holds = NODES_AND_FLOWS[case]
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex(example).read_bytes())
    editing = tikzgen.edit.open(path, freeze=example == "gpu-cluster")
    for operation, arguments in calls:
        outcome = editing.attempt(operation, arguments)
        assert outcome.status == "applied", str(outcome)
    editing.save()
    assert holds(load(path).panels[0].content[0])
    assert run("check", str(path)).status == 0


FRAMES_IN_LEVELS = """\
panels:
- content:
    type: topology
    layout: {type: levels, levels: [[web], [pool]]}
    nodes: [{id: web, kind: node}, {id: w1}, {id: w2}]
    groups: [{id: pool, members: [w1, w2]}]
"""


def test_a_node_more_stands_beside_the_frames_that_levels_name(tmp_path: Path) -> None:
    path = loads(FRAMES_IN_LEVELS).save(tmp_path / "fig.tex")
    for group, levels in ((None, [["web"], ["pool", "log"]]), ("pool", [["web"], ["pool"]])):
        editing = tikzgen.edit.open(path)
        assert editing.attempt("add-node", {"node": "log", "group": group}).status == "applied"
        assert loads(extract_spec(editing.text()) or "").panels[0].content[0].layout.levels == levels


PARALLEL = """\
panels:
- content:
    type: topology
    nodes: [{id: a, kind: node}, {id: b, kind: node}]
    flows: [{source: a, target: b, label: x, id: first}, {source: a, target: b, label: y}]
"""


@pytest.mark.parametrize("operation", ["set-flow", "remove-flow"])
def test_of_several_flows_of_one_kind_the_one_that_is_named_changes(operation: str, tmp_path: Path) -> None:
    editing = tikzgen.edit.open(loads(PARALLEL).save(tmp_path / "fig.tex"))
    named = {"source": "a", "target": "b", **({"label": "z"} if operation == "set-flow" else {})}
    refused = editing.attempt(operation, named)
    assert (refused.status, refused.code, refused.nearest) == ("refused", "which-flow", "name one by its kind: first")
    assert editing.attempt(operation, {**named, "kind": "first"}).status == "applied"
    flows = loads(extract_spec(editing.text()) or "").panels[0].content[0].flows
    assert [flow.label for flow in flows] == (["z", "y"] if operation == "set-flow" else ["y"])


def test_a_shape_that_holds_no_sheets_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex("cluster").read_bytes())
    outcome = tikzgen.edit.open(path).attempt("set-node", {"node": "net", "shape": "cloud", "replicas": 3})
    assert (outcome.status, outcome.code) == ("refused", "model")
    assert "cloud" in str(outcome)


def test_the_last_device_of_a_pipeline_goes_by_its_facts(tmp_path: Path) -> None:
    path = load(ROOT / "examples/memory.yaml").save(tmp_path / "fig.tex")
    fewer = tikzgen.edit.open(path).attempt("remove-lane", {"lane": "gpu3"})
    assert fewer.status == "applied"
    refused = tikzgen.edit.open(path).attempt("remove-lane", {"lane": "gpu1"})
    assert (refused.status, refused.code) == ("refused", "needs-freeze")
    assert "set-schedule devices=3" in refused.nearest
    editing = tikzgen.edit.open(path).remove_lane("gpu3")
    assert '"devices": 3' in editing.text()


# of distances from top to bottom alone, no least is known
UNBOUNDED = {"federated", "gpu-cluster", "retrieval", "rlhf", "serving-system"}


@pytest.mark.parametrize("example", [each for each in SWEPT if each.id not in UNBOUNDED])
def test_a_distance_leaves_room_for_what_stands_there(example: Path, tmp_path: Path) -> None:
    """The contract says the least that works; less is refused with it, and it works."""
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex(example.stem).read_bytes())
    metadata = json.loads(example_tex(example.stem).with_suffix(".meta.json").read_text(encoding="utf-8"))
    bounds = {each["name"][1:]: each.get("invariant", "") for each in metadata["edit_contract"]["parameters"]}
    name, least = next((name, _first_bound(bound)) for name, bound in bounds.items() if bound)
    refused = tikzgen.edit.open(path).attempt("set", {"parameter": name, "value": round(least * 0.9, 4)})
    assert (refused.status, refused.code) == ("refused", "too-short")
    assert refused.invariant.startswith(f"\\{name} is at least ")
    (call,) = from_words(refused.nearest.split())
    assert tikzgen.edit.open(path).attempt(call.operation, call.arguments).status == "applied"
    assert all(
        float(each["default"]) >= _first_bound(bounds[each["name"][1:]])
        for each in metadata["edit_contract"]["parameters"]
        if each["type"] == "length-cm"
    )


def _first_bound(invariant: str) -> float:
    """Return 3.72 for `at least 3.72, 1.11*\\rowsep`, and 0 for no invariant."""
    first = invariant.removeprefix("at least ").partition(",")[0]
    return 0.0 if "*" in first else float(first or 0)


@pytest.mark.parametrize(("value", "status"), [("3", 1), ("5", 0)])
def test_a_distance_set_by_hand_is_drawn_as_written_and_judged_by_one_bound(
    value: str, status: int, tmp_path: Path
) -> None:
    path = tmp_path / "fig.tex"
    text = example_tex("distributed-training").read_text(encoding="utf-8")
    path.write_text(text.replace("\\def\\colsep{4.6}", f"\\def\\colsep{{{value}}}"), encoding="utf-8")
    path.with_suffix(".meta.json").write_bytes(
        example_tex("distributed-training").with_suffix(".meta.json").read_bytes()
    )
    checked = run("check", str(path))
    assert (checked.status, "3.72" in checked.out) == (status, bool(status))
    server = draw(path.read_text(encoding="utf-8")).nodes["ps"].centre[0] * 2.54 / 72.27
    assert server == pytest.approx(2 * float(value), abs=0.01)
    assert next(each.least for each in show(path).parameters if each.name == "\\colsep") == 3.72
    refused = tikzgen.edit.open(path).attempt("set", {"parameter": "colsep", "value": 2.9})
    assert refused.nearest == "set colsep=3.72"


def test_a_distance_below_its_lower_bound_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex("distributed-training").read_bytes())
    refused = tikzgen.edit.open(path).attempt("set", {"parameter": "rowsep", "value": 0.3})
    assert (refused.status, refused.code) == ("refused", "too-short")
    least = refused.nearest.removeprefix("set rowsep=")
    assert f"\\def\\rowsep{{{least}}}%" in tikzgen.edit.open(path).set("rowsep", float(least)).text()


@pytest.mark.tex
@pytest.mark.parametrize(("example", "name"), [("distributed-training", "colsep"), ("mapreduce", "colsep")])
def test_the_least_distance_is_clear_of_overlaps_as_tex_sets_it(example: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex(example).read_bytes())
    (call,) = from_words(tikzgen.edit.open(path).attempt("set", {"parameter": name, "value": 0.5}).nearest.split())
    editing = tikzgen.edit.open(path)
    assert editing.attempt(call.operation, call.arguments).status == "applied"
    editing.save()
    done = run("check", "--geometry", str(path))
    # a label may stand near a node, but nothing is covered
    assert set(re.findall(r": (TG\d+) ", done.out)) <= {"TG314"}, done.out + done.err


FACTS = [
    ("parameter-server", "compute=3,2,4"),
    ("parameter-server", "rounds=2"),
    ("stale-synchronous", "bound=0,2"),
    ("stale-synchronous", "compute=3,2,4"),
    ("pipeline-schedules", "microbatches=12"),
    ("gradient-accumulation", "update=2"),
    ("asynchronous-rollouts", "lengths=3"),
]


@pytest.mark.parametrize(("example", "word"), some(FACTS, 3))
def test_a_schedule_names_its_own_facts(example: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex(example).read_bytes())
    shown = json.loads(run("show", str(path), "--format", "json").out)
    told = next(each for each in shown["operations"] if each["id"] == "set-schedule")["arguments"]
    assert word.partition("=")[0] in told["properties"]
    done = run("edit", str(path), "set-schedule", word)
    assert done.status == 0, done.err
    assert "set-schedule: applied" in done.err


def test_the_types_bounds_and_defaults_of_arguments(golden: Callable[[Path, str], None]) -> None:
    lines = []
    for name, operation in OPERATIONS.items():
        found = schema(operation)
        for argument, field in found["properties"].items():
            facts = {key: value for key, value in field.items() if key != "description"}
            needed = "" if argument in found.get("required", ()) else ", optional"
            lines.append(f"{name}: {argument}{needed}: {json.dumps(facts, ensure_ascii=False)}")
    golden(ROOT / "tests" / "goldens" / "operations" / "arguments.txt", "\n".join(lines) + "\n")


AGGREGATOR = "add-node agg kind=server"
SENDING = [f"add-flow {worker} agg gradient" for worker in ("w1", "w2", "w3")]
RECOLORED = ["recolor gradient=otgray", "recolor data=otpurple"]
CALLS = [
    ([AGGREGATOR, *SENDING], ["applied"] * 4, ""),
    ([*SENDING, AGGREGATOR], ["refused"] * 3 + ["applied"], ""),
    ([AGGREGATOR, *SENDING[:2]], ["applied", "applied", "refused"], "TG215"),
    ([AGGREGATOR, "set colsep=1", *SENDING], ["applied", "refused"] + ["applied"] * 3, "is at least 4.15"),
    (RECOLORED, ["applied"] * 2, ""),
    (RECOLORED[:1], ["refused"], "distinct palette colors"),
]


@pytest.mark.parametrize(("calls", "statuses", "invariant"), CALLS)
def test_the_operations_of_a_call_are_judged_by_their_result(
    calls: list[str], statuses: list[str], invariant: str, tmp_path: Path
) -> None:
    path = tmp_path / "fig.tex"
    path.write_bytes(example_tex("distributed-training").read_bytes())
    editing = tikzgen.edit.open(path)
    outcomes = editing.attempt_all(from_words(" + ".join(calls).split()))
    assert [each.status for each in outcomes] == statuses
    assert invariant in " ".join(each.invariant for each in outcomes)
    assert (editing.text() != path.read_text(encoding="utf-8")) == ("refused" not in statuses)
    ends = [run("edit", str(path), "--dry-run", *" + ".join(calls).split()).status]
    assert ends == [int("refused" in statuses)]
