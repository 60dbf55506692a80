r"""`tikzgen metrics`: the ground truth through the command line; tables, JSON, and macros that TeX prints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import EXAMPLES, ROOT, at_once, some
from hypothesis import given
from hypothesis import strategies as st
from papers import text_of, typeset

import tikzgen
from tikzgen import Figure, Lane, Panel, Span, TikzgenError, Timeline, recipes
from tikzgen.base.plain_words import format_percent, spell_rounded
from tikzgen.lint.measures.panel_measures import measure_timeline
from tikzgen.recipe.arrays.computed_arrays import ComputedArrays
from tikzgen.recipe.recipe_names import recipe

CASES = ROOT / "tests" / "cases"
PIPELINES = json.loads((CASES / "schedule/pipeline.json").read_text(encoding="utf-8"))
OTHERS = json.loads((CASES / "metrics/recipes.json").read_text(encoding="utf-8"))
PIPELINE = recipe("pipeline")
LISTS = CASES / "schedule/lists"


def measured(spec: dict[str, Any], *more: str) -> Any:
    done = run("metrics", "-", "--format", "json", *more, stdin=json.dumps(spec))
    assert (done.status, done.err) == (0, ""), done.err
    return json.loads(done.out)


# ---- every row of the ground truth ----


@at_once
@pytest.mark.parametrize("case", PIPELINES)
def test_pipelines(case: dict[str, Any]) -> None:
    schedule, devices, microbatches = case["spec"]
    spec = {"recipe": "pipeline", "schedule": schedule, "devices": devices, "microbatches": microbatches}
    found = measured({**spec, **case.get("with", {})})
    assert {key: found[key] for key in case["expect"]} == case["expect"]


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: f"row {case['row']}: {case['spec']['recipe']}")
def test_other_recipes(case: dict[str, Any]) -> None:
    found = measured(case["spec"])
    panels = found.get("panels", [found])
    wanted = case["expect"] if isinstance(case["expect"], list) else [case["expect"]]
    assert [{key: panel[key] for key in keys} for panel, keys in zip(panels, wanted, strict=True)] == wanted


def test_every_row_that_has_numbers_is_measured() -> None:
    # row 3 is an order of operations: tests/cases/check holds it
    assert {case["row"] for case in [*PIPELINES, *OTHERS]} == {*range(1, 21), "6b", "by name"} - {3}


# ---- what goes in ----


def test_a_list_of_operations_is_measured_as_the_schedule_it_is() -> None:
    mended = run("metrics", str(LISTS / "pytorch-1f1b-mended.csv"), "--format", "json")
    named = measured({"recipe": "pipeline", "schedule": "1f1b"})
    found = json.loads(mended.out)
    assert (mended.status, mended.err) == (0, "")
    assert {key: named[key] for key in found} == found


def test_a_list_on_standard_input_is_told_from_a_spec() -> None:
    text = (LISTS / "fused.csv").read_text(encoding="utf-8")
    assert run("metrics", "-", stdin=text).out == run("metrics", str(LISTS / "fused.csv")).out


def test_a_rendered_figure_has_the_measures_of_its_spec(tmp_path: Path) -> None:
    spec = tmp_path / "p.yaml"
    spec.write_text("recipe: pipeline\nschedule: [gpipe, zb-h1]\nmicrobatches: 4\n", encoding="utf-8")
    assert run("render", str(spec)).status == 0
    both = [run("metrics", str(tmp_path / name), "--format", "json").out for name in ("p.yaml", "p.tex")]
    assert both[0] == both[1] != ""


def test_an_invalid_list_is_refused_unless_it_is_allowed() -> None:
    path = str(LISTS / "pytorch-1f1b.csv")
    done = run("metrics", path)
    assert (done.status, done.out) == (1, "")
    assert f"{path}:4:57: TG101 data dependency: device 3, operation 14: 3F8 does not exist" in done.err
    assert done.err.endswith("(accept the schedule with --allow-invalid)\n")
    assert run("metrics", path, "--allow-invalid").status == 0


def test_a_topology_takes_no_time() -> None:
    done = run("metrics", "-", stdin="recipe: data-parallel\n")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("<stdin>: has no timeline")


@pytest.mark.parametrize("example", some(EXAMPLES), ids=lambda path: path.stem)
def test_every_example_with_a_timeline_has_measures(example: Path) -> None:
    done = run("metrics", str(example), "--format", "json")
    figure = tikzgen.load(example)
    timed = any(isinstance(content, Timeline) for panel in figure.panels for content in panel.content)
    assert done.status == (0 if timed or isinstance(figure.origin, ComputedArrays) else 2), done.err


@pytest.mark.parametrize(
    ("facts", "held"),
    [({"recompute": 1, "kept": "1/10"}, ["13/10", "6/5", "11/10", 1]), ({"offload": 1}, [3, 3, 2, 1]), ({}, None)],
)
def test_activations_that_are_not_held_are_told(facts: dict[str, Any], held: list[Any] | None) -> None:
    found = measured({"recipe": "pipeline", "devices": 4, "microbatches": 8, **facts})
    assert found.get("peak_held") == held
    assert found["peak_in_flight"] == [4, 3, 2, 1]


def test_idle_time_is_told_by_what_is_waited_for() -> None:
    found = measured({"recipe": "pipeline", "devices": 2, "microbatches": 2, "latency": "1/2"})
    assert found["waits"]["gpu1"] == {"gpu0": 1, "message of gpu0": "1/2", "the end": "5/2"}
    assert found["critical_computing"] == 9
    assert found["makespan"] == 10


def test_from_python() -> None:
    facts = PIPELINE(schedule=["gpipe", "zb-h1"], devices=4, microbatches=8)
    report = tikzgen.metrics(facts)
    assert report == tikzgen.metrics(facts.make_figure_with_origin())
    assert [panel.panel for panel in report.panels] == ["gpipe", "zb-h1"]
    assert report.speed_ups == (1, Fraction(33, 27))
    with pytest.raises(TikzgenError, match="has no timeline"):
        tikzgen.metrics(tikzgen.recipes.data_parallel())


# ---- timelines whose spans were given ----


def test_a_timeline_by_hand() -> None:
    found = json.loads(run("metrics", str(ROOT / "examples/overlap.yaml"), "--format", "json").out)
    assert found == {
        "devices": 1,
        "makespan": 18,
        "bubble_over_total": "1/3",
        "bubble_over_ideal": "1/2",
        "worst_span_idle": 0,
        "busy": [12],
        "idle": [6],
        "span_idle": [0],
        "blocked": [0],
        "communication": [12],
        "exposed_communication": [6],
    }


def test_lanes_that_wait_and_lanes_that_only_communicate() -> None:
    spans = [
        {"lane": "a", "start": 1, "duration": 2, "phase": "forward", "number": 0},
        {"lane": "a", "start": 3, "duration": 1, "phase": "forward", "number": 1},
        {"lane": "a", "start": 6, "duration": 2, "phase": "backward", "number": 0},
        {"lane": "a-link", "start": 2, "duration": 3, "phase": "communication"},
        {"lane": "b", "start": 4, "duration": 2, "phase": "compute"},
        {"lane": "b", "start": 6, "duration": 2, "phase": "idle"},
        {"lane": ["b"], "start": 8, "duration": 1, "phase": "push"},
    ]
    lanes = [Lane(id=name) for name in ("a", "a-link", "b", "unused")]
    found = measure_timeline("main", Timeline(lanes=lanes, spans=[Span(**span) for span in spans]))
    assert found.devices == ("a", "b")
    assert found.values["makespan"] == 8, "from the first start to the last end"
    assert found.values["busy"] == (5, 2), "a push computes nothing"
    assert found.values["idle"] == (3, 6)
    assert found.values["span_idle"] == (2, 0)
    assert found.values["communication"] == (3, 1)
    assert found.values["blocked"] == (2, 5)
    assert found.values["exposed_communication"] == (1, 1)
    assert "peak_in_flight" not in found.values, "lane b counts no microbatches"


def test_recipes_that_draw_schedules_have_the_same_measures_by_their_spans() -> None:
    """What the simulator says and what the drawn spans say agree, measure by measure."""
    for schedule in ("gpipe", "1f1b", "zb-h1", "interleaved-1f1b", "chimera"):
        figure = PIPELINE(
            schedule=schedule, devices=4, microbatches=4, forward="1/3", input_grad=1, backward=2
        ).make_figure_with_origin()
        (content,) = figure.panels[0].content
        assert isinstance(content, Timeline)
        (simulated,) = tikzgen.metrics(figure).panels
        by_spans = measure_timeline(simulated.panel, content)
        shared = by_spans.values.keys() & simulated.values.keys()
        assert shared >= {"makespan", "busy", "bubble_over_total", "span_idle", "blocked"}
        assert {key: by_spans.values[key] for key in shared} == {key: simulated.values[key] for key in shared}


# ---- what comes out ----


def test_text_is_aligned_and_names_every_measure_in_full() -> None:
    done = run("metrics", "-", stdin="{recipe: pipeline, schedule: [gpipe, zb-h1], devices: 2, microbatches: 3}")
    assert done.out == (CASES / "metrics/two-panels.txt").read_text(encoding="utf-8")


def names(tex: str) -> list[str]:
    return re.findall(r"^\\newcommand\{\\([A-Za-z]+)\}", tex, re.MULTILINE)


def test_macros_have_letters_only_and_do_not_depend_on_the_numbers() -> None:
    spec = "{recipe: pipeline, id: fig-2b, schedule: [gpipe, 1f1b]}"
    one = run("metrics", "-", "--format", "tex", stdin=spec).out
    other = run("metrics", "-", "--format", "tex", "--set", "forward=1/3", "--set", "devices=7", stdin=spec).out
    assert names(one) == names(other)
    assert len(set(names(one))) == len(names(one))
    assert "figTwoBGpipeMakespan" in names(one)
    assert "figTwoBSOneFOneBBubbleOverTotalPercent" in names(one)
    assert len(one.splitlines()) == len(re.findall(r"^(?:%.*|\\newcommand\{\\\w+\}\{.*\}%.*)$", one, re.MULTILINE))


def test_panels_that_would_share_macros_are_refused() -> None:
    panels = [{"id": name, "content": {"type": "timeline", "lanes": [{"id": "a"}]}} for name in ("a1", "a-one", "b")]
    for panel in panels:
        panel["content"]["spans"] = [{"lane": "a", "start": 0, "duration": 1}]  # type: ignore[index]
    done = run("metrics", "-", "--format", "tex", stdin=json.dumps({"panels": panels}))
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert 'the panels "a1" and "a-one" would both have macros' in done.err


@pytest.mark.tex
def test_a_paper_prints_what_the_figure_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.yaml").write_text("recipe: pipeline\nschedule: [gpipe, zb-h1]\n", encoding="utf-8")
    done = run("metrics", "p.yaml", "--format", "tex", "-o", "numbers.tex")
    assert (done.status, done.out, done.err) == (0, "", "numbers.tex written\n")
    assert run("metrics", "p.yaml", "--format", "tex", "-o", "numbers.tex").err == "numbers.tex is up to date\n"
    body = r"""T=\pipelineGpipeMakespan; \pipelineGpipeBubbleOverTotal;
      \pipelineGpipeBubbleOverTotalPercent\%; $\pipelineZbHOneMakespan$; \pipelineZbHOnePeakInFlight;
      \pipelineSpeedUp; \pipelineSpeedUpRounded."""
    source = rf"\documentclass{{article}}\input{{numbers}}\begin{{document}}{body}\end{{document}}"
    printed = text_of(typeset(tmp_path, "paper", source))
    assert "T=33;3/11;27.3%;27;4,4,4,4;11/9;1.222." in printed


def test_macros_never_replace_a_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper.tex").write_text("mine", encoding="utf-8")
    done = run("metrics", str(ROOT / "examples/overlap.yaml"), "--format", "tex", "-o", "paper.tex")
    assert (done.status, Path("paper.tex").read_text(encoding="utf-8")) == (1, "mine")
    assert "not overwritten: `tikzgen metrics` did not write this file" in done.err


@given(st.fractions(0, 10**6, max_denominator=10**6))
def test_rounding_is_to_the_nearest(value: Fraction) -> None:
    assert abs(Fraction(spell_rounded(value)) - value) <= Fraction(1, 2000)
    assert abs(Fraction(format_percent(value)) - 100 * value) <= Fraction(1, 20)
    assert not re.search(r"\.\d*0$|\.$", spell_rounded(value))


@pytest.mark.parametrize("show", [None, 4, 3, 1])
def test_measures_are_of_all_workers_drawn_or_not(show: int | None) -> None:
    """The ellipsis is no device, and workers that are not drawn work all the same."""
    workers = {"count": 16, "show": show}
    (found,) = tikzgen.metrics(recipes.parameter_server(workers=workers, modes=["synchronous"], compute=[6])).panels
    assert found.values["devices"] == 16
    assert (found.values["makespan"], set(found.values["busy"])) == (9, {6})
    (apart,) = tikzgen.metrics(recipes.parameter_server(workers=workers, modes=["asynchronous"], compute=[6])).panels
    assert apart.values["makespan"] == 8 + 16 * Fraction(1, 2), "one update a push"
    by_hand = recipes.parameter_server(workers=workers, modes=["synchronous"], compute=[6])
    (content,) = [each for each in by_hand.panels[0].content if isinstance(each, Timeline)]
    assert measure_timeline("by-hand", content).values["devices"] == (show or 4)


@pytest.mark.parametrize(
    ("made", "busy", "communication", "exposed", "updating"),
    [
        (lambda: recipes.parameter_server(modes=["synchronous"], compute=[6]), 6, 2, 2, 1),
        (lambda: recipes.stale_synchronous(workers=2, steps=2, compute=4, fetch=1, push=1, update=1), 8, 4, 4, 2),
        (lambda: recipes.pipeline(devices=2, microbatches=1, latency=5), 3, 5, 5, 0),
        (lambda: recipes.pipeline(devices=2, microbatches=1, latency=5, p2p="sender"), 3, 10, 10, 0),
        (lambda: recipes.pipeline(devices=2, microbatches=1, latency=5, p2p="rendezvous"), 3, 10, 10, 0),
        (lambda: recipes.local_sgd(workers=2, steps=4, local_steps=2, step=1, average=3), 4, 6, 6, 0),
        (lambda: recipes.ddp(workers=2, forward=4, buckets=[2, 2], all_reduce=3, update=1, overlap=True), 8, 6, 4, 1),
        (lambda: recipes.fsdp(layers=4, gather=1, forward=2, prefetch=1), 8, 4, 1, 0),
        (lambda: recipes.gradient_accumulation(devices=2, steps=[[3], [3]], update=2, accumulate=[2]), 6, 0, 0, 2),
    ],
    ids=[
        "parameter-server",
        "stale-synchronous",
        "async",
        "sender",
        "rendezvous",
        "local-sgd",
        "ddp",
        "fsdp",
        "gradient-accumulation",
    ],
)
def test_busy_is_what_computes_in_every_family(
    made: Callable[[], Any], busy: int, communication: int, exposed: int, updating: int
) -> None:
    panel = tikzgen.metrics(made()).panels[0]
    assert set(panel.values["busy"]) == {busy}
    for key, value in (("communication", communication), ("exposed_communication", exposed), ("updating", updating)):
        assert panel.values.get(key, (0,))[0] == value, key


def test_speed_up_compares_equal_work() -> None:
    """Until a moment, the clocks that were done then; schedules that compute more are not called slower."""
    bounds = recipes.stale_synchronous(
        workers=3, compute=[2, 3, 6], until=24, fetch=0, push=0, update=0, bound=[0, None]
    )
    assert tikzgen.metrics(bounds).speed_ups == (1, Fraction(12 + 8 + 4, 4 + 4 + 4))
    twice = recipes.pipeline(schedule=["1f1b", "interleaved-1f1b"], durations="stage")
    assert tikzgen.metrics(twice).speed_ups == ()
    same = recipes.pipeline(schedule=["1f1b", "interleaved-1f1b"], durations="device")
    assert tikzgen.metrics(same).speed_ups == (1, Fraction(33 * 2, 57))


TOLD = """memory ddp-overlap failures parameter-server-en measured-ranks stale-synchronous asynchronous-rollouts
gradient-accumulation-en fsdp-prefetch overlap sequence-slices ring dualpipe expert-overlap continuous-batching serving
two-phase-commit cluster""".split()  # noqa: SIM905 (as it is read)


@pytest.mark.parametrize(("name", "way"), [*((name, "text") for name in TOLD), ("ddp-overlap", "tex")])
def test_measures_are_told_as_reviewed(name: str, way: str, golden: Callable[[Path, str], None]) -> None:
    done = run("metrics", str(ROOT / "examples" / f"{name}.yaml"), "--format", way)
    text = (done.out + done.err).replace(f"{ROOT}/", "")
    golden(ROOT / "tests" / "goldens" / "metrics" / f"{name}.{way.replace('text', 'txt')}", text)


def _with_ellipsis(**parts: object) -> Timeline:
    lanes = [Lane(id="a"), Lane(id="dots", ellipsis=True), Lane(id="b")]
    return Timeline.model_validate({"lanes": lanes, **parts})


@pytest.mark.parametrize(
    ("field", "part"),
    [
        ("spans", {"lane": "dots", "start": 0, "duration": 9}),
        ("bubbles", {"lane": "dots", "start": 0, "end": 9}),
        ("events", {"lane": "dots", "time": 9}),
        ("strips", {"lane": "dots", "levels": [{"start": 0, "end": 9, "value": 1}]}),
    ],
)
def test_nothing_happens_on_an_ellipsis(field: str, part: dict[str, object]) -> None:
    spans = [{"lane": "a", "start": 0, "duration": 3}]
    parts: dict[str, object] = {"spans": spans, field: [*(spans if field == "spans" else []), part]}
    with pytest.raises(ValueError, match=r'nothing happens on "dots", an ellipsis'):
        _with_ellipsis(**parts)


def test_a_span_may_cover_an_ellipsis_between_lanes() -> None:
    timeline = _with_ellipsis(spans=[{"lane": ["a", "dots", "b"], "start": 0, "duration": 3}])
    (panel,) = tikzgen.metrics(Figure(panels=[Panel(content=[timeline])])).panels
    assert (panel.devices, panel.values["busy"]) == (("a", "b"), (3, 3))
