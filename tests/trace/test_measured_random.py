"""Random runs, written as each form of trace and read back: each measure equals that of the run that wrote them."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from conftest import NIGHTLY
from measured_runs import FIRST_STEP, MEASURES, T0, write_run

from tikzgen import trace
from tikzgen.trace import ClassRules, find_parallelism, survey
from tikzgen.trace.rank_clocks import find_clocks
from tikzgen.trace.readers.read_run import shared_base

SHARD = 10
SHARDS = 200 if NIGHTLY else 6
"""Groups of random runs: 2,000 at night, 60 by day."""
MOST_RANKS = 64 if NIGHTLY else 12
MESHES = [(pp, dp) for pp in (1, 2, 3, 4, 8) for dp in (1, 2, 3, 8) if pp * dp <= MOST_RANKS]


def random_options(number: int) -> dict[str, Any]:
    """The options of a run."""
    rnd = random.Random(number)
    pp, dp = rnd.choice(MESHES)
    choices = {
        "schedule": ["1f1b", "gpipe"],
        "layout": ["pp-dp", "dp-pp"],
        "names": ["stage", "plain"],
        "groups": ["mesh", "megatron", "none"],
        "hosts": ["one", "one", "many"],
        "form": ["kineto", "kineto", "pairs", "merged", "devices"],
        "shadows": ["yes", "yes", "no", "only"],
        "barrier": ["yes", "no"],
        "special": ["yes", "no"],
    }
    picked = {name: rnd.choice(values) for name, values in choices.items()}
    if picked["form"] != "kineto":
        picked["hosts"] = "one"
    return {"pp": pp, "dp": dp, "mb": rnd.randrange(1, 5), "steps": rnd.randrange(1, 4), "seed": number, **picked}


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_runs_are_measured_as_they_were(shard: int, tmp_path: Path) -> None:
    for number in range(shard * SHARD, (shard + 1) * SHARD):
        folder = tmp_path / f"run-{number}"
        compare(folder, write_run(folder, **random_options(number)))


def compare(folder: Path, truth: dict[str, Any]) -> None:
    """Compare a run with its truth: by file, or by label or device where one file holds all."""
    options = truth["options"]
    run = find_parallelism(shared_base(trace.read(sorted(folder.iterdir()))))
    stated = options["names"] == "stage" or bool(run.parallelism.axes)
    if options["form"] == "devices":
        (rank,) = survey(run, ClassRules())["ranks"].values()
        for device, right in truth["ranks"].items():
            assert {name: rank["devices"][device][name] for name in MEASURES} == right["whole"], options
        return
    if not run.parallelism.axes and options["layout"] == "pp-dp" and options["form"] != "merged":
        run = find_parallelism(run, {"pp": options["pp"], "dp": options["dp"]})
    facts = json.loads(json.dumps(survey(run, ClassRules())))
    order = sorted(truth["ranks"], key=lambda n: (truth["ranks"][n]["replica"], truth["ranks"][n]["stage"]))
    names = dict(zip(order if options["form"] == "merged" else truth["ranks"], facts["ranks"], strict=True))
    for number, name in names.items():
        right, rank = truth["ranks"][number], facts["ranks"][name]
        (device,) = rank["devices"].values()
        assert {measure: device[measure] for measure in MEASURES} == right["whole"], options
        if facts["parallelism"]["axes"]:
            place = rank["place"]
            assert place.get("pp", 0) == right["stage"] and place.get("dp", 0) == right["replica"], options
        if options["shadows"] == "only":
            continue
        for step, each in right["steps"].items():
            found = device["steps"][str(int(step) + FIRST_STEP)]
            assert {measure: found[measure] for measure in MEASURES} == each, options
        zero = T0 + right["clock_offset"]
        assert sorted(
            (each["step"], each["phase"][0].upper(), each["microbatch"], each["start"] - zero, each["end"] - zero)
            for each in rank["operation_list"]
        ) == sorted(
            (each["step"] + FIRST_STEP, each["kind"], each["microbatch"], each["start"], each["end"])
            for each in truth["operations"]
            if str(each["rank"]) == number
        ), options
    if options["hosts"] == "one" and options["shadows"] != "only":
        assert not facts["clocks"]["early"] or not stated, options
        rights = {(each["step"], each["replica"]): each for each in truth["pipelines"]}
        for each in facts["pipelines"]:
            right = rights[each["step"] - FIRST_STEP, (each["replica"] or [0])[0]]
            assert Fraction(each["bubble"]) == Fraction(*right["bubble_of_total"]), options
    if options["hosts"] == "many" and options["barrier"] == "yes" and options["groups"] != "none":
        offsets = {str(number): clock.offset for number, clock in find_clocks(run).items()}
        assert offsets == {number: right["clock_offset"] for number, right in truth["ranks"].items()}, options


def test_the_forms_of_a_run_are_one_figure(tmp_path: Path) -> None:
    options = {"pp": 2, "dp": 2, "mb": 3, "steps": 2, "seed": 5, "special": "no"}
    found = []
    for name, more in {"pairs": {"form": "pairs"}, "plain": {"shadows": "no"}, "shaded": {}}.items():
        write_run(tmp_path / name, **options, **more)
        facts = survey(find_parallelism(shared_base(trace.read(sorted((tmp_path / name).iterdir())))), ClassRules())
        for rank in facts["ranks"].values():
            del rank["events"]
        found.append(facts)
    assert found[0] == found[1] == found[2]
