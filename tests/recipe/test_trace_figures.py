"""Figures of measured runs: what they are compared with, which lanes they have, what is marked, and what is checked."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import ROOT

import tikzgen
from tikzgen import Figure
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.recipe.measured.measured_trace import Trace
from tikzgen.spec.parse_text import parse
from tikzgen.trace.exact_times import nanoseconds

TRACES = ROOT / "tests" / "cases" / "traces"
PIPELINE = "recipe: trace\nsource: pp_1f1b_p4_m8_rank{0..3}.json.gz\nparallelism: {pp: 4}\n"
STEP = "recipe: trace\nsource: nccl_data.json.gz\nstep: 5\n"
COMPARED = PIPELINE + "compare: {recipe: pipeline, schedule: 1f1b, forward: fit, backward: fit, latency: fit}\n"
SYNTHETIC = "recipe: trace\nsource: synthetic/rank{0..3}.json.gz\n"


@cache
def figure(text: str) -> Figure:
    """The figure of a spec that stands beside the traces."""
    return tikzgen.loads(text, name=str(TRACES / "fig.yaml"))


def timelines(text: str) -> list[Timeline]:
    """Its timelines."""
    return [part for _, _, part in figure(text).parts(Timeline)]


def measured(text: str) -> dict[str, Any]:
    """What `metrics` says of it."""
    found: dict[str, Any] = tikzgen.metrics(figure(text)).as_json()
    return found


def test_durations_are_medians_over_microbatches_for_each_stage() -> None:
    model = recipe(COMPARED).fit_model()
    assert model
    fits = dict(model.fits)
    own = [cell for cell in recipe(COMPARED).load_reading().cells if cell.lane == "rank2" and cell.phase == "forward"]
    durations = sorted(cell.duration for cell in own)
    assert fits["forward"][2] == (durations[3] + durations[4]) / 2
    assert [len(values) for values in fits.values()] == [4, 4, 1]
    lists = model.pipeline
    assert (lists.schedule, lists.devices, lists.microbatches) == (["1f1b"], 4, 8)
    assert (lists.forward, lists.backward, lists.latency) == (
        list(fits["forward"]),
        list(fits["backward"]),
        *fits["latency"],
    )


def recipe(text: str) -> Trace:
    """The recipe of a spec, with what was read."""
    origin = figure(text).origin
    assert isinstance(origin, Trace)
    return origin


def test_a_message_is_under_way_for_the_median_of_those_that_a_rank_waited_for() -> None:
    cells = {(cell.phase, cell.stage, cell.number): cell for cell in recipe(COMPARED).load_reading().cells}
    waited = []
    for (phase, stage, number), cell in cells.items():
        source = cells.get((phase, stage + (1 if phase == "backward" else -1), number))  # type: ignore[operator]
        own = [each.end for each in cells.values() if each.lane == cell.lane and each.start < cell.start]
        before = max(own, default=0)
        if source and source.end >= before:
            waited.append(cell.start - source.end)
    waited.sort()
    half = len(waited) // 2
    middle = waited[half] if len(waited) % 2 else (waited[half - 1] + waited[half]) / 2
    model = recipe(COMPARED).fit_model()
    assert model and model.pipeline.latency == middle


def test_the_models_error_and_what_differs_most_are_told() -> None:
    above, below = measured(COMPARED)["panels"]
    assert (above["panel"], below["panel"]) == ("measured", "simulated")
    ends = Fraction(above["makespan"]), Fraction(below["makespan"])
    assert Fraction(below["model_error"]) == (ends[1] - ends[0]) / ends[0]
    assert above["busy"] == measured(PIPELINE)["busy"]
    name, by = below["differs_most"], Fraction(below["differs_most_by"])
    assert re.fullmatch(r"[FB]\d of stage \d", name)
    model = recipe(COMPARED).fit_model()
    assert model
    medians = dict(model.fits)
    every = [
        abs(cell.duration - medians[cell.phase][cell.stage or 0]) for cell in recipe(COMPARED).load_reading().cells
    ]
    assert max(every) == abs(by)
    said = figure(COMPARED).description
    assert "beside a simulated 1F1B, by medians over microbatches for each stage: forward 1.477, 1.703" in said
    assert f"{name} differs most" in said


def test_both_runs_stand_on_one_axis() -> None:
    above, below = timelines(COMPARED)
    assert above.axis is None
    assert below.axis and below.axis.until == recipe(COMPARED).load_reading().length
    assert [lane.label for lane in above.lanes] == [lane.label for lane in below.lanes]
    assert len([span for span in above.spans if span.phase != "wait"]) == len(below.spans) == 64


@pytest.mark.parametrize("unit", ["us", "s"])
def test_a_unit_changes_every_time_and_no_share(unit: str) -> None:
    one, other = measured(COMPARED), measured(COMPARED + f"unit: {unit}\n")
    factor = Fraction(1000) if unit == "us" else Fraction(1, 1000)
    for panel, same in zip(one["panels"], other["panels"], strict=True):
        assert Fraction(same["makespan"]) == Fraction(panel["makespan"]) * factor
        assert [Fraction(each) for each in same["busy"]] == [Fraction(each) * factor for each in panel["busy"]]
        assert same["bubble_over_total"] == panel["bubble_over_total"]
    axis = timelines(COMPARED + f"unit: {unit}\n")[-1].axis
    assert axis and axis.unit == {"us": "µs", "s": "s"}[unit]


def test_waits_stand_before_their_operations_and_are_no_work() -> None:
    (timeline,) = timelines(PIPELINE)
    waits = [span for span in timeline.spans if span.phase == "wait"]
    assert len(waits) == 64
    assert sum((span.duration for span in waits if span.lane == "rank2"), Fraction(0)) == Fraction("1.914977")
    starts = {(span.lane, span.start) for span in timeline.spans if span.phase != "wait"}
    assert all((span.lane, span.end) in starts for span in waits)
    assert not timeline.bubbles
    waited = [Fraction(each) for each in measured(PIPELINE)["waited"]]
    assert waited == [Fraction(each) for each in ("1.836372", "2.645709", "1.914977", "1.676414")]
    (marked,) = timelines(PIPELINE + "marks: [idle]\n")
    on_lane = [(span.start, span.end) for span in marked.spans if span.lane == "rank2"]
    on_lane += [(bubble.start, bubble.end) for bubble in marked.bubbles if bubble.lane == "rank2"]
    assert sum(end - start for start, end in on_lane) == Fraction("182.612048")


LANES: dict[str, tuple[str, list[str], int]] = {
    "streams by name": ("{compute: [7], comm: [40]}", ["compute", "comm"], 0),
    "numbers": ("{compute: 7, comm: 40}", ["compute", "comm"], 0),
    "a class": ("{communication: auto}", ["communication", "stream 7"], 0),
    "classes by name": ("{comm: [communication], rest: [compute, copies]}", ["comm", "rest"], 0),
    "hidden copies": ("{compute: [7], NCCL: [40], copies: hide}", ["compute", "NCCL"], 358),
    "a hidden stream": ("{'40': hide}", ["stream 7"], 7),
}


@pytest.mark.parametrize("name", LANES)
def test_streams_are_named_shared_and_hidden(name: str) -> None:
    streams, labels, hidden = LANES[name]
    text = STEP + f"streams: {streams}\n"
    (timeline,) = timelines(text)
    assert [lane.label for lane in timeline.lanes if lane.label] == labels
    cells = recipe(text).load_reading().cells
    assert sum(cell.events for cell in cells) == 1258 - hidden
    counts = r"1258 events: (\d+) drawn \+ (\d+) merged into \d+ cells?(?: \+ (\d+) hidden)?"
    said = re.search(counts, figure(text).description)
    assert said and sum(int(each or 0) for each in said.groups()) == 1258
    assert int(said[3] or 0) == hidden
    assert measured(text) == measured(STEP)


def test_lanes_of_several_ranks_have_brackets() -> None:
    (timeline,) = timelines(SYNTHETIC + "clock: collectives\nstreams: {compute: [7], P2P: [13], NCCL: [17]}\n")
    assert [group.label for group in timeline.groups] == [f"rank {rank}" for rank in range(4)]
    assert [len(group.lanes) for group in timeline.groups] == [3] * 4
    assert [lane.label for lane in timeline.lanes][:3] == ["compute", "P2P", "NCCL"]


def test_merged_cells_are_as_high_as_they_are_full() -> None:
    (timeline,) = timelines(STEP)
    merged = [span for span in timeline.spans if span.occupancy < 1]
    assert merged
    cells = {(cell.lane, cell.start): cell.occupancy for cell in recipe(STEP).load_reading().cells if cell.duration}
    assert all(cells[span.lane, span.start] == span.occupancy for span in timeline.spans)  # type: ignore[index]
    text = figure(STEP + "width: 17.8\n").tex()
    boxes = re.findall(r"\\rowbox\{1\}\{0\}\{0\}\{([\d.]+)\}\{1\}", text)
    assert len(set(boxes)) > 3
    assert all(0 <= float(low) < 1 for low in boxes)


def test_exposed_communication_and_steps_are_braced() -> None:
    text = STEP + "marks: [exposed, step]\n"
    (timeline,) = timelines(text)
    labels = [brace.label.replace("\u00a0", " ") for brace in timeline.braces]
    assert labels == ["step 5", "exposed 6.4 ms"]  # the others are too narrow to be braces
    whole = sum((each.exposed for each in recipe(text).load_reading().periods if each.rank is not None), Fraction(0))
    assert whole == Fraction("10.539609")
    assert "braces over 6.4 of 10.5 ms of exposed communication" in figure(text).description
    two = "recipe: trace\nsource: sampled_rank-{0..1}.json.gz\nmarks: [exposed]\n"
    assert {brace.side for brace in timelines(two)[0].braces} == {"before", "after"}
    steps = timelines("recipe: trace\nsource: nccl_data.json.gz\nstep: all\nmarks: [step]\n")[0].braces
    assert [brace.label for brace in steps] == ["step 4", "step 5", "step 6"]


def test_measures_are_told_by_rank_and_in_all_by_class_and_as_macros() -> None:
    found = measured("recipe: trace\nsource: sampled_rank-{0..1}.json.gz\nstep: all\n")
    assert found["communication"] == [str(Fraction(each, 1000)) for each in (396199, 379053)]
    assert Fraction(found["communication_in_all"]) == Fraction(396199 + 379053, 1000)
    shares = [round(float(Fraction(each)) * 100, 3) for each in found["overlap"]]
    assert shares == [14.946, 19.926]
    assert found["classes"]["communication"] == found["communication"]
    text = tikzgen.metrics(figure(STEP)).as_tex()
    macros = dict(re.findall(r"\\newcommand\{\\(\w+)\}\{([^}]*)\}", text))
    assert macros["traceExposedInAll"] == "10.539609"
    assert macros["traceOverlapInAllPercent"] == "14.3"
    assert macros["traceClassGemm"] == "12.886132"
    assert macros["traceBubbleOverTotalPercent"] == "82"
    compared = tikzgen.metrics(figure(COMPARED)).as_tex()
    assert r"\newcommand{\traceSimulatedModelErrorPercent}{-47.1}" in compared
    assert r"\newcommand{\traceSimulatedDiffersMost}{F7 of stage 0}" in compared


def findings(text: str, *more: str) -> list[str]:
    """What `check` finds."""
    path = TRACES / "fig.yaml"
    document = parse(text, str(path))
    done = run("check", "-", "--format", "json", *more, stdin=json.dumps(beside(document.data)))
    return [each["code"] + " " + each["message"] for each in json.loads(done.out)["findings"]]


def beside(data: dict[str, Any]) -> dict[str, Any]:
    """The same with what was read in it, so that it may stand anywhere."""
    reading = recipe(json.dumps(data)).reading
    assert reading
    return {**data, "reading": reading.model_dump(mode="json")}


def test_the_order_of_measured_operations_is_checked() -> None:
    assert findings(PIPELINE) == findings(PIPELINE, "--schedule", "1f1b") == []
    assert findings(PIPELINE + "begin: annotation\n", "--schedule", "1f1b") == []
    other = findings(PIPELINE, "--schedule", "gpipe")
    assert "TG117 schedule rule: device 0, operation 4: 0B0 stands where gpipe has 0F4" in other


def test_operations_before_what_they_need_are_found_unless_clocks_may_be_wrong_by_as_much() -> None:
    told, raw = (f"{SYNTHETIC}lanes: annotations\nclock: {clock}\n" for clock in ("collectives", "raw"))
    assert findings(told) == []
    found = findings(raw)
    assert found and all(each.startswith("TG116 data dependency: ") for each in found)
    assert "operations or messages are too early: " in figure(raw).description
    held = beside(parse(raw, "fig.yaml").data)
    for residual, broken in (("0", len(found)), ("1000", 0)):
        held["reading"]["residual"] = residual
        done = run("check", "-", "--format", "json", stdin=json.dumps(held))
        assert len(json.loads(done.out)["findings"]) == broken


def test_kernels_in_no_class_are_named_with_their_share() -> None:
    (found,) = findings(STEP)
    assert found == "TG118 rank 0: 51.4 % of the busy time is in no class but compute"
    assert findings(STEP + "classes: {compute: ['^void |^cudnn']}\n") == []
    said = "51.4 % of the busy time is in no class but compute, longest cudnn::ops::nchwToNhwcKernel, cudnn::bn_bw"
    assert said in figure(STEP).description


REFUSED: dict[str, tuple[str, str]] = {
    "no operations": (STEP + "compare: {schedule: 1f1b}\n", "4:10: compare: no operations are drawn that a pipeline"),
    "not all ranks": (
        PIPELINE + "ranks: [0, 1]\ncompare: {schedule: 1f1b}\n",
        "5:10: compare: 2 of 4 ranks are drawn (a pipeline has all of them)",
    ),
    "no such kind": (
        PIPELINE + "compare: {weight_grad: fit}\n",
        "4:10: compare: no weight-grad was measured (leave weight_grad out)",
    ),
    "no such pipeline": (
        PIPELINE + "compare: {schedule: zb-v}\n",
        "4:10: compare: the schedule does not match the run: ",
    ),
    "many braces": (
        SYNTHETIC + "clock: raw\nmarks: [exposed]\n",
        "4:8: marks: exposed communication is braced above the lanes and below: of two ranks, not of 4 (ranks: [0])",
    ),
    "no stream": (
        STEP + "streams: {comm: [41]}\n",
        '4:10: streams: rank 0 has no stream, and no class, "41" (there are 7, 40)',
    ),
    "no lanes of streams": (
        STEP + "lanes: class\nstreams: {comm: [40]}\n",
        "5:10: streams: the lanes are class, not streams (lanes: stream)",
    ),
    "all hidden": (
        STEP + "streams: {compute: hide, communication: hide, copies: hide}\n",
        "4:10: streams: every event is hidden (remove a hide)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_at_its_field(name: str) -> None:
    text, says = REFUSED[name]
    with pytest.raises(tikzgen.SpecError) as refused:
        tikzgen.loads(text, name=str(TRACES / "fig.yaml"))
    (line,) = str(refused.value).splitlines()
    assert says in line


@pytest.mark.parametrize("schedule", [STEP, PIPELINE + "ranks: [0, 1]\n"])
def test_an_order_that_cannot_be_looked_at_is_refused(schedule: str) -> None:
    done = run("check", "-", "--schedule", "1f1b", stdin=json.dumps(beside(parse(schedule, "fig.yaml").data)))
    assert done.status == 2
    assert "that 1f1b could have ordered" in done.err or "2 of 4 ranks are drawn, and 1f1b orders all" in done.err


def test_kernels_begin_operations_too_where_no_operator_was_seen(tmp_path: Path) -> None:
    def event(cat: str, name: str, start: str, end: str, **more: Any) -> dict[str, Any]:
        length = (nanoseconds(end) - nanoseconds(start)) / 1000
        where = {"pid": 1, "tid": 1, "ts": float(start), "dur": float(length)}
        return {"ph": "X", "cat": cat, "name": name, **where, **more}

    events = [
        event("user_annotation", "F0", "10", "60"),
        event("cuda_runtime", "cudaLaunchKernel", "12", "13", args={"correlation": 1}),
        event("cuda_runtime", "cudaLaunchKernel", "14", "15", args={"correlation": 2}),
        event("kernel", "ncclDevKernel_SendRecv", "16", "30", args={"correlation": 1, "stream": 9}),
        event("kernel", "gemm", "31", "55", args={"correlation": 2, "stream": 7}),
    ]
    (tmp_path / "a.json").write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
    text = "recipe: trace\nsource: a.json\nlanes: annotations\ntiming: thread\n"
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    found = tikzgen.metrics(tikzgen.load(tmp_path / "a.yaml")).as_json()
    assert (found["busy"], found["waited"]) == (["29/1000"], ["21/1000"])
