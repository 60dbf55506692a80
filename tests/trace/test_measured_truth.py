"""Traces of runs with known truth: each measure, operation, place and bubble equals that of the run that wrote them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command import run
from measured_runs import FIRST_STEP, MEASURES, T0, write_run
from trace_files import kernel, written

RUNS: dict[str, dict[str, Any]] = {
    "mesh": {"mb": 4, "steps": 2, "seed": 101, "gz": True},
    "data parallel": {"pp": 1, "mb": 2, "seed": 102, "names": "plain", "barrier": "no"},
    "clocks": {"pp": 3, "dp": 1, "mb": 4, "steps": 4, "seed": 106, "hosts": "many"},
    "drift": {"pp": 2, "mb": 3, "steps": 4, "seed": 107, "schedule": "gpipe", "groups": "none", "barrier": "no"},
    "nothing says": {"pp": 2, "mb": 3, "steps": 2, "seed": 108, "names": "plain", "groups": "none"},
}


def show(folder: Path) -> dict[str, Any]:
    """What `trace show` says of the traces in a folder."""
    done = run("trace", "show", str(folder), "--format", "json")
    assert done.status == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def agree(found: Mapping[str, Any], truth: Mapping[str, Any]) -> None:
    """Compare the ranks and operations of a run with its truth."""
    assert found["ranks"].keys() == truth["ranks"].keys()
    for number, right in truth["ranks"].items():
        rank = found["ranks"][number]
        (device,) = rank["devices"].values()
        assert {name: device[name] for name in MEASURES} == right["whole"]
        steps = {step: {name: each[name] for name in MEASURES} for step, each in device["steps"].items()}
        assert steps == {str(int(step) + FIRST_STEP): each for step, each in right["steps"].items()}
        assert not rank["unplaced"]
        zero = T0 + right["clock_offset"]
        operations = [
            (each["step"], each["phase"][0].upper(), each["microbatch"], *times(each, zero), each["busy"])
            for each in rank["operation_list"]
        ]
        assert sorted(operations) == sorted(
            (each["step"] + FIRST_STEP, each["kind"], each["microbatch"], each["start"], each["end"], each["busy"])
            for each in truth["operations"]
            if str(each["rank"]) == number
        )


def times(operation: Mapping[str, Any], zero: int) -> tuple[int, int]:
    """Start and end of an operation in the time of the run."""
    return operation["start"] - zero, operation["end"] - zero


def agree_on_pipelines(found: Mapping[str, Any], truth: Mapping[str, Any]) -> None:
    """Compare the places of ranks and the bubbles of each step and replica."""
    mesh = truth["mesh"]
    assert {axis: found["parallelism"]["axes"].get(axis, 1) for axis in mesh} == mesh
    for number, right in truth["ranks"].items():
        place = found["ranks"][number]["place"]
        assert (place.get("pp", 0), place.get("dp", 0)) == (right["stage"], right["replica"])
    pipelines = [(each["step"] - FIRST_STEP, (each["replica"] or [0])[0], each) for each in found["pipelines"]]
    for step, replica, each in pipelines:
        right = next(it for it in truth["pipelines"] if (it["step"], it["replica"]) == (step, replica))
        assert (each["operations"], each["makespan"]) == (right["operations"], right["makespan"])
        assert Fraction(each["bubble"]) == Fraction(*right["bubble_of_total"])
    assert len(pipelines) == len(truth["pipelines"])


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_measured_as_it_was(name: str, tmp_path: Path) -> None:
    truth = write_run(tmp_path / "t", **RUNS[name])
    found = show(tmp_path / "t")
    agree(found, truth)
    known = bool(found["parallelism"]["axes"])
    assert known == (name not in ("data parallel", "nothing says"))
    if known:
        agree_on_pipelines(found, truth)
    if known and truth["options"]["hosts"] == "one":
        assert not found["clocks"]["early"]
    elif known:
        offsets = [each["offset"] for each in found["clocks"]["by_collectives"].values()]
        assert offsets == [each["clock_offset"] for each in truth["ranks"].values()]
        assert found["clocks"]["early"] and not found["clocks"]["early_moved"]
    else:
        assert not found["pipelines"] and not found["clocks"]["early"]


def figure(folder: Path, text: str) -> dict[str, Any]:
    """What `metrics` says of a spec in a folder."""
    (folder / "fig.yaml").write_text(f"recipe: trace\nsource: 't/*'\nlanes: annotations\n{text}", encoding="utf-8")
    done = run("metrics", str(folder / "fig.yaml"), "--format", "json")
    assert done.status == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_each_copy_of_the_model_has_its_own_bubble(tmp_path: Path) -> None:
    truth = write_run(tmp_path / "t", **RUNS["mesh"])
    found = figure(tmp_path, "step: 11\n")
    shares = [Fraction(*each["bubble_of_total"]) for each in truth["pipelines"] if each["step"] == 1]
    assert [round(float(share) * 100, 4) for share in shares] == [45.2568, 46.7846]
    assert [Fraction(each["bubble_over_total"]) for each in found["panels"]] == shares
    assert Fraction(figure(tmp_path, "step: 11\nreplica: 1\n")["bubble_over_total"]) == shares[1]
    done = run("check", str(tmp_path / "fig.yaml"), "--schedule", "1f1b")
    assert (done.status, done.out + done.err) == (0, "1 file checked: no findings\n")
    text = (tmp_path / "fig.yaml").read_text("utf-8").replace("replica: 1\n", "")
    (tmp_path / "fig.yaml").write_text(text, "utf-8")
    assert run("check", str(tmp_path / "fig.yaml"), "--schedule", "1f1b").status == 0
    done = run("render", str(tmp_path / "fig.yaml"), "--set", "replica=2", "-o", str(tmp_path / "fig.tex"))
    assert "replica: 2 is not a replica (replicas are 0 to 1)" in done.err


HINT = "parallelism gives the sizes of pp, dp, cp, ep and tp; their product is 4"


def test_without_evidence_no_stage_is_claimed(tmp_path: Path) -> None:
    truth = write_run(tmp_path / "t", **RUNS["nothing says"])
    figure(tmp_path, "step: all\n")
    spec = str(tmp_path / "fig.yaml")
    assert run("check", spec).status == 0
    done = run("check", spec, "--schedule", "1f1b")
    assert (done.status, f"nothing states the stages of the operations ({HINT})" in done.err) == (2, True)
    says = f"nothing states which ranks share the model, so no stages ({HINT})"
    assert says in run("trace", "show", str(tmp_path / "t")).out
    found = figure(tmp_path, "step: 10\nparallelism: {pp: 2, dp: 2}\n")
    shares = [Fraction(*each["bubble_of_total"]) for each in truth["pipelines"] if each["step"] == 0]
    assert [Fraction(each["bubble_over_total"]) for each in found["panels"]] == shares
    assert run("check", spec, "--schedule", "1f1b").status == 0


def test_backwards_whose_launches_are_unknown_are_not_placed(tmp_path: Path) -> None:
    options = {"pp": 2, "dp": 1, "mb": 3, "steps": 2, "seed": 109, "shadows": "only"}
    truth = write_run(tmp_path / "t", **options)
    found = show(tmp_path / "t")
    for number, rank in found["ranks"].items():
        zero = T0 + truth["ranks"][number]["clock_offset"]
        forwards = sorted(
            (each["start"], each["end"])
            for each in truth["operations"]
            if (str(each["rank"]), each["kind"]) == (number, "F")
        )
        assert sorted(times(each, zero) for each in rank["operation_list"]) == forwards
        assert rank["unplaced"] == {"backward": 6}
    assert [each["bubble"] for each in found["pipelines"]] == [None, None]
    measured = figure(tmp_path, "step: all\n")
    assert "bubble_over_total" not in measured
    drawn = run("render", str(tmp_path / "fig.yaml"), "-o", str(tmp_path / "fig.tex"))
    assert drawn.status == 0
    text = " ".join((tmp_path / "fig.tex").read_text("utf-8").split())
    assert "not drawn: 12 backward operations, whose kernels are not known" in text


SPECS = {
    "{pp: 3, dp: 2}": "parallelism: 3 × 2 is not the number of ranks, 8",
    "{pp: 2, dp: 4}": 'parallelism: pp 2 contradicts process group "mesh_pp", which has 4 ranks',
    "{pp: 4, dp: 2, order: [dp, pp]}": "parallelism: pp 4 contradicts",
    "{pp: [[0, 2, 4, 6], [1, 3, 5, 6]]}": "parallelism: pp: groups must have one size and no rank twice",
    "{pp: [[0, 2, 4, 6]]}": "parallelism: pp: rank 1 is in no group",
    "{pp: 4, order: [dp]}": "parallelism: order must name every given axis once (order: [pp])",
}


@pytest.mark.parametrize("spec", SPECS)
def test_a_parallelism_that_contradicts_the_traces_is_refused(spec: str, tmp_path: Path) -> None:
    write_run(tmp_path / "t", **RUNS["mesh"])
    (tmp_path / "fig.yaml").write_text(f"recipe: trace\nsource: 't/*'\nparallelism: {spec}\n", encoding="utf-8")
    done = run("render", str(tmp_path / "fig.yaml"))
    assert done.status == 2
    assert SPECS[spec] in done.err


def test_stages_of_annotations_fit_the_places_that_come_from_them(tmp_path: Path) -> None:
    for rank in range(4):
        dp = [2 * (rank // 2), 2 * (rank // 2) + 1]
        stages = [4 * (rank // 2), 4 * (rank // 2) + 1]  # two adjacent stages on a rank: neither round robin nor a V
        events = [kernel(100 * stage, 50, f"PP:{stage}F0", cat="user_annotation") for stage in stages]
        info = {"rank": rank, "world_size": 4, "pg_config": [{"pg_desc": "mesh_dp", "ranks": dp}]}
        written(tmp_path, {"distributedInfo": info, "traceEvents": events}, f"rank{rank}.json")
    done = run("trace", "show", str(tmp_path))
    assert (done.status, done.err) == (0, "")
    assert "4 ranks; pp 2 × dp 2 (by process groups mesh_dp and stages in annotations)\n" in done.out


@pytest.mark.parametrize("form", ["kineto", "merged"])
def test_a_cut_of_a_run_keeps_operations_places_and_bubbles(form: str, tmp_path: Path) -> None:
    write_run(tmp_path / "t", **RUNS["mesh"], form=form)
    done = run("trace", "cut", *map(str, (tmp_path / "t").iterdir()), "--step", "11", "-o", str(tmp_path / "cut"))
    assert done.status == 0, done.err
    whole, cut = show(tmp_path / "t"), show(tmp_path / "cut")
    assert cut["parallelism"] == whole["parallelism"]
    of_step = [each for each in whole["pipelines"] if each["step"] == 11]
    assert cut["pipelines"] == of_step
    for number, rank in whole["ranks"].items():
        own = cut["ranks"][number]
        lengths = [(each["phase"], each["end"] - each["start"], each["busy"]) for each in own["operation_list"]]
        right = [each for each in rank["operation_list"] if each["step"] == 11]
        assert lengths == [(each["phase"], each["end"] - each["start"], each["busy"]) for each in right]
        assert own["place"] == rank["place"]
