"""A recipe survives edits: what was edited is kept beside its facts, and made again whenever its figure is."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import some

from tikzgen import load, loads
from tikzgen.base.errors import SpecError
from tikzgen.edit.allowed_operations import names_in
from tikzgen.edit.session import Session
from tikzgen.layout.timeline import place_timeline
from tikzgen.lint.inventory import take
from tikzgen.model.figure import FigureModel
from tikzgen.model.operations import iterate_entries
from tikzgen.model.operations.operations_table import read_operation
from tikzgen.model.operations.worker_operations import WORKERS
from tikzgen.model.timeline import Timeline
from tikzgen.model.topology.topology import Topology
from tikzgen.recipe import schedule_display
from tikzgen.recipe.recipe_names import NAMES, NEEDS, RECIPES
from tikzgen.recipe.simulated_recipe import PASSED_ON
from tikzgen.recipe.training import pipeline
from tikzgen.spec.embedded_spec import extract_spec, split_file

SIMPLE = 607
"""All texts and distances set, all colours changed, a lane more and one fewer, on the recipes as by default."""
GROWTH = 160
"""Characters of JSON that an edit adds to the description at most, besides the texts' own places."""


@cache
def drawn(recipe: str) -> str:
    return loads(f"recipe: {recipe}\n").tex()


@cache
def simple_edits(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Every rename, distance, colour, and both operations on lanes."""
    figure = take(drawn(name).encode(), name)
    names = names_in(figure)
    found: list[tuple[str, dict[str, Any]]] = [
        ("set", {"parameter": each, "value": 4 if each in names["lengths"] else "Xy"})
        for each in names["parameters"]
        if each not in ("description", "language") and not each.endswith("ownerlabel")  # follow from `owner_name`
    ]
    found += [("recolor", {"what": each, "color": "otgray"}) for each in names["colored"]]
    counted = names["rows"] or names["workers"]
    return [*found, ("add-lane", {}), ("remove-lane", {})] if counted else found


PLAIN = [name for name in NAMES if name not in NEEDS]


def told(text: str) -> dict[str, Any]:
    """The description inside a figure, without what the file records of itself."""
    data: dict[str, Any] = json.loads(extract_spec(text) or "{}")
    return {field: value for field, value in data.items() if field != "tikzgen"}


@pytest.mark.slow
def test_the_simple_edits_are_counted() -> None:
    assert sum(len(simple_edits(name)) for name in PLAIN) == SIMPLE


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=[pytest.mark.slow] * (each != "two-phase-commit")) for each in PLAIN],
)
def test_every_simple_edit_keeps_the_recipe(name: str) -> None:
    text = drawn(name)
    before = len(json.dumps(told(text)))
    for operation, arguments in simple_edits(name):
        session = Session(text, name)
        outcome = session.apply(read_operation(operation, arguments))
        if outcome.code == "same-color":
            outcome = session.apply(read_operation(operation, {**arguments, "color": "otorange"}))
        assert outcome.status in ("applied", "noop"), (operation, arguments, outcome)
        now = told(session.result().tex)
        assert now["recipe"] == name, (operation, arguments)
        places = sum(len(json.dumps(each.get("at", ""))) for each in now.get("overrides", ()))
        lists = len(json.dumps(now.get("labels", "")))
        assert len(json.dumps(now)) - before <= GROWTH + places + lists, (operation, arguments, now)


@pytest.mark.slow
def test_a_schedule_goes_on_following_its_facts() -> None:
    for operation, arguments in simple_edits("pipeline"):
        session = Session(drawn("pipeline"), "fig.tex")
        session.apply(read_operation(operation, arguments))
        kept = session.description
        assert session.apply(read_operation("set-schedule", {"microbatches": 12})).status == "applied"
        assert session.description == {**kept, "microbatches": 12}
        text = session.result().tex
        assert "gpu0-forward12" in text, (operation, arguments)
        if arguments.get("value") == "Xy":
            assert "{Xy}%" in text, (operation, arguments)


def test_what_was_said_of_a_device_goes_with_it() -> None:
    """`remove-lane gpu1` proposes it."""
    session = Session(drawn("pipeline"), "fig.tex")
    for node in ("gpu0", "gpu3"):
        assert session.apply(read_operation("rename-node", {"node": node, "label": "Mine"})).status == "applied"
    refused = session.apply(read_operation("remove-lane", {"lane": "gpu1"}))
    assert refused.nearest.startswith("set-schedule devices=3")
    assert session.apply(read_operation("set-schedule", {"devices": 3})).status == "applied"
    assert session.description["overrides"] == [{"do": "rename-node", "node": "gpu0", "label": "Mine"}]


STRUCTURE = [
    ("two-phase-commit", ["rename-id", "w1=alice"], ["rename-node", "alice=A"]),
    ("data-parallel", ["add-flow", "w1", "w2", "message"], ["remove-flow", "w1", "w2", "message"]),
    ("data-parallel", ["add-flow", "w1", "w2", "message"], ["add-worker"]),
    ("data-parallel", ["remove-worker", "w2"], ["set", "rowsep=2"]),
    ("data-parallel", ["add-worker", "label=Edge"], ["palette", "dark"]),
    ("pipeline", ["add-lane", "label=Host"], ["set-schedule", "microbatches=12"]),
    ("ddp", ["remove-lane", "gpu0-comm"], ["rename-node", "gpu1=B"]),
    ("stale-synchronous", ["rename-id", "w1=second"], ["recolor", "compute=otgray"]),
]


@pytest.mark.parametrize(
    ("recipe", "first", "second"), some(STRUCTURE, 3), ids=lambda value: "-".join(value).split("=")[0]
)
def test_what_is_kept_beside_the_facts_is_what_the_figure_shows(
    recipe: str, first: list[str], second: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same operations on the figure said part by part make the same picture."""
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(f"recipe: {recipe} # mine\n", encoding="utf-8")
    for name in ("kept.tex", "frozen.tex"):
        assert run("render", "spec.yaml", "-o", name).status == 0
    assert run("edit", "frozen.tex", "--freeze").status == 0
    for words in (first, second):
        assert run("edit", "kept.tex", *words).status == 0
        if words[0] != "set-schedule" and not (words == ["add-worker"] or "label=Edge" in words):
            assert run("edit", "frozen.tex", *words).status == 0
    text = Path("kept.tex").read_text(encoding="utf-8")
    assert told(text)["recipe"] == recipe
    if not {"set-schedule", "add-worker"} & {first[0], second[0]}:
        frozen = Path("frozen.tex").read_text(encoding="utf-8")
        assert "recipe" not in told(frozen)
        assert split_file(frozen)[0] == split_file(text)[0]
    # the spec gets what the figure got, and no line of it goes
    assert run("pull", "kept.tex", "-o", "spec.yaml").status == 0
    spec = Path("spec.yaml").read_text(encoding="utf-8")
    assert spec.startswith(f"recipe: {recipe} # mine\n")
    assert len(spec.splitlines()) <= 6
    again = load("spec.yaml").tex()
    assert split_file(again)[0] == split_file(text)[0]
    assert told(again) == told(text)


def test_an_override_takes_the_place_of_one_about_the_same() -> None:
    session = Session(drawn("pipeline"), "fig.tex")
    for label in ("A", "B"):
        session.apply(read_operation("rename-node", {"node": "gpu0", "label": label}))
    assert session.description["overrides"] == [{"do": "rename-node", "node": "gpu0", "label": "B"}]
    session.apply(read_operation("rename-node", {"node": "gpu0", "label": "GPU 0"}))
    assert "overrides" not in session.description
    session.apply(read_operation("rename-id", {"old": "gpu0", "new": "first"}))
    session.apply(read_operation("rename-id", {"old": "first", "new": "gpu0"}))
    assert "overrides" not in session.description


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("{do: rename-node, node: w9, label: X}", 'unknown node "w9" (the nodes are data, w1, w2, w3, ps)'),
        ("{do: recolor, what: nothing, color: otblue}", 'unknown kind of flow, phase or node "nothing"'),
        (
            "{do: set-text, at: [panels.other.caption], text: X}",
            'unknown name "panels.other.caption" (of panels there are main)',
        ),
        (
            "{do: set-text, at: [panels.main.captoin], text: X}",
            'unknown name "panels.main.captoin" (did you mean "caption"?)',
        ),
        ("{do: set-text, at: [panels.main.id], text: X}", '"panels.main.id" is not a label of the picture'),
        ("{do: remove-worker, worker: w9}", 'unknown worker "w9"'),
    ],
)
def test_an_override_that_finds_nothing_is_said_at_its_place(override: str, message: str) -> None:
    with pytest.raises(SpecError) as refused:
        loads("recipe: data-parallel\noverrides:\n- {do: palette-no}\n".replace("{do: palette-no}", override))
    assert str(refused.value).startswith("<string>:3:3: overrides[0]: ")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("override", "message"),
    [("{do: recolour, what: data, color: otblue}", "do"), ("{do: recolor, what: data, colour: otblue}", "color")],
)
def test_a_misspelt_override_is_said_at_its_place(override: str, message: str) -> None:
    with pytest.raises(SpecError, match=r"<string>:3:\d+: overrides\[0\]") as refused:
        loads(f"recipe: data-parallel\noverrides:\n- {override}\n")
    assert message in str(refused.value)


def test_what_cannot_be_kept_asks_for_freeze_and_claims_nothing_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fig.yaml").write_text("recipe: pipeline\n", encoding="utf-8")
    assert run("render", "fig.yaml").status == 0
    before = Path("fig.tex").read_text(encoding="utf-8")
    assert "summarylabel" in before
    refused = run("edit", "fig.tex", "remove-lane", "gpu1")
    assert refused.status == 1
    assert "--freeze" in refused.err
    assert Path("fig.tex").read_text(encoding="utf-8") == before
    done = run("edit", "fig.tex", "remove-lane", "gpu1", "--freeze")
    assert (done.status, done.err) == (0, "fig.tex: freeze: applied\nfig.tex: remove-lane: applied\n")
    after = Path("fig.tex").read_text(encoding="utf-8")
    assert "gpu1" not in after
    assert "summarylabel" not in after
    assert "recipe" not in told(after)
    assert "bubble" not in json.loads(Path("fig.meta.json").read_text(encoding="utf-8"))["description"].lower()


def test_a_figure_with_other_parts_is_not_measured_by_its_recipe() -> None:
    whole = loads("recipe: data-parallel\n")
    fewer = loads("recipe: data-parallel\noverrides:\n- {do: remove-worker, worker: w2}\n")
    assert "3 workers" in whole.description
    assert "3 workers" not in fewer.description
    assert fewer.origin is not None


@pytest.mark.slow
def test_in_a_narrow_form_overrides_of_what_is_not_drawn_wait() -> None:
    spec = "recipe: parameter-server\nworkers: 6\ncompute: [6, 4, 4, 5, 6, 4]\nwidth: ieee-column\n"
    text = loads(spec + "overrides:\n- {do: rename-node, node: w5, label: X}\n").tex()
    assert "an ellipsis" not in text
    assert loads(spec).tex()


WHO = [
    ("mapreduce", "remove-worker", {"worker": "red1"}, ["red1"], []),
    ("rlhf", "remove-worker", {"worker": "t2"}, ["t2"], []),
    ("serving-system", "remove-worker", {"worker": "d3"}, ["d3"], []),
    ("3d-parallel", "remove-worker", {"worker": "d1s2"}, ["d1s2"], []),
    ("3d-parallel", "remove-lane", {"lane": "d1s2"}, ["d1s2"], []),
    ("federated", "remove-lane", {"lane": "c1"}, ["c1"], []),
    ("mapreduce", "add-worker", {"label": "Edge"}, [], ["map3"]),
    ("rlhf", "add-lane", {"label": "Edge"}, [], ["r3"]),
    ("data-parallel", "add-lane", {"lane": "edge", "label": "Edge"}, [], ["edge"]),
]


@pytest.mark.parametrize(("recipe", "operation", "arguments", "gone", "come"), WHO)
def test_who_is_named_goes_and_who_comes_is_labelled(
    recipe: str, operation: str, arguments: dict[str, str], gone: list[str], come: list[str]
) -> None:
    """Also where a recipe counts others, such as a job's map tasks, and where one more is several workers."""
    session = Session(drawn(recipe), "fig.tex")
    assert session.apply(read_operation(operation, arguments)).status == "applied"
    figure = loads(extract_spec(session.result().tex) or "")
    before, after = WORKERS.names_in(loads(f"recipe: {recipe}\n")), WORKERS.names_in(figure)
    assert [name for name in before if name not in after] == gone
    assert [name for name in after if name not in before] == come
    labelled = [node.id for _, _, part in figure.parts(Topology) for node in part.nodes if node.label == "Edge"]
    assert labelled == (come if "label" in arguments else [])


LABELLED_DEVICES = [
    ("pipeline", "add-lane", "gpu4"),
    ("pipeline", "add-worker", "gpu4"),
    ("gradient-accumulation", "add-lane", "gpu5"),
    ("ring-all-reduce", "add-lane", "rank4"),
    ("rollouts", "add-lane", "gen3"),
    ("rollouts", "add-worker", "gen3"),
]


@pytest.mark.parametrize(("recipe", "operation", "new"), LABELLED_DEVICES)
def test_a_new_lane_with_a_label_is_a_device(recipe: str, operation: str, new: str) -> None:
    """Only its label stands beside the recipe, and the next `remove-lane` takes both away again."""
    session = Session(drawn(recipe), "fig.tex")
    before = session.description
    assert session.apply(read_operation(operation, {"label": "Stage E"})).status == "applied"
    assert [each["do"] for each in session.description["overrides"]] == ["rename-node"]
    figure = loads(extract_spec(session.result().tex) or "")
    labelled = [lane.id for _, _, part in figure.parts(Timeline) for lane in part.lanes if lane.label == "Stage E"]
    assert set(labelled) == {new}
    assert session.apply(read_operation("remove-lane", {})).status == "applied"
    assert session.description == before


@pytest.mark.parametrize("recipe", ["ddp", "fsdp"])
@pytest.mark.parametrize("operation", ["add-lane", "add-worker"])
def test_a_new_device_of_several_lanes_has_the_label_at_its_group(recipe: str, operation: str) -> None:
    session = Session(drawn(recipe), "fig.tex")
    before = session.description
    assert session.apply(read_operation(operation, {"label": "Stage E"})).status == "applied"
    (timeline,) = (part for _, _, part in loads(extract_spec(session.result().tex) or "").parts(Timeline))
    assert [group.label for group in timeline.groups] == ["GPU 0", "GPU 1", "Stage E"]
    assert [lane.label for lane in timeline.lanes] == ["compute", "comm"] * 3
    assert session.apply(read_operation("remove-lane", {})).status == "applied"
    assert session.description == before


@pytest.mark.parametrize("recipe", PLAIN)
def test_in_every_recipe_a_label_goes_to_what_is_new(recipe: str) -> None:
    """Or the operation is refused: never does another worker or lane get the label."""
    tex = drawn(recipe)
    known = {*list_labelled_ids(loads(f"recipe: {recipe}\n"), None)}
    for operation in ("add-lane", "add-worker"):
        session = Session(tex, "fig.tex")
        outcome = session.apply(read_operation(operation, {"label": "Edge"}))
        if outcome.status == "refused":
            assert outcome.code in ("no-workers", "which-worker", "no-timeline"), (operation, outcome)
            continue
        figure = loads(extract_spec(session.result().tex) or "")
        labelled = {*list_labelled_ids(figure, "Edge")}
        assert labelled and not labelled & known, operation


def list_labelled_ids(figure: FigureModel, label: str | None) -> list[str]:
    """Return the ids of the parts that have a label: this one, or any if it is None; of a group, also its lanes."""
    entries = (entry for panel in figure.panels for part in panel.content for _, _, entry in iterate_entries(part))
    labelled = [each for each in entries if hasattr(each, "id") and label in (None, getattr(each, "label", None))]
    return [each.id or "+".join(getattr(each, "lanes", [])) for each in labelled]


def test_one_label_for_several_workers_is_refused() -> None:
    outcome = Session(drawn("3d-parallel"), "fig.tex").apply(read_operation("add-worker", {"label": "Edge"}))
    assert (outcome.status, outcome.code) == ("refused", "which-worker")


@pytest.mark.parametrize(
    ("name", "arguments"), [("set-title", {"title": "B"}), ("set", {"parameter": "timeunit", "value": 0.5})]
)
def test_an_edit_of_the_look_computes_the_schedule_once(
    name: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    text, begun = loads("recipe: pipeline\nschedule: [gpipe, 1f1b]\n").tex(), []
    for place in (pipeline, schedule_display, place_timeline):
        for each in {"simulate", "lanes_of_schedule", "_draw_spans"} & vars(place).keys():
            plain = getattr(place, each)
            monkeypatch.setattr(place, each, lambda *a, n=each, f=plain, **k: begun.append(n) or f(*a, **k))
    session = Session(text, "fig.tex")
    assert session.apply(read_operation(name, arguments)).status == "applied"
    assert begun.count("simulate") == begun.count("lanes_of_schedule") == 2
    assert session.result().tex != text
    assert begun.count("simulate") == begun.count("lanes_of_schedule") == 2
    assert begun.count("_draw_spans") == 2


SIMULATED = [name for name in PLAIN if issubclass(RECIPES[name], schedule_display.Displayed)]


@pytest.mark.parametrize("name", SIMULATED)
def test_panels_of_a_schedule_depend_on_no_option_of_the_figure(name: str) -> None:
    read: set[str] = set()

    class Noted(RECIPES[name]):  # type: ignore[misc,name-defined]
        def __getattribute__(self, field: str) -> Any:
            read.add(field)
            return super().__getattribute__(field)

    recipe = Noted().with_fields()
    read.clear()
    assert recipe._make_panels()
    assert not read & PASSED_ON
