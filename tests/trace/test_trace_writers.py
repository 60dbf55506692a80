"""Files as each writer leaves them; tests/cases/traces/writers/expected.json has their contents, worked out by hand."""

from __future__ import annotations

import bz2
import json
import lzma
import zipfile
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import NIGHTLY, ROOT

from tikzgen import trace
from tikzgen.trace import ClassRules, find_parallelism, survey
from tikzgen.trace.readers.read_run import shared_base

WRITERS = ROOT / "tests" / "cases" / "traces" / "writers"
CASES: dict[str, dict[str, Any]] = json.loads((WRITERS / "expected.json").read_text(encoding="utf-8"))
BASE = 1767189312 * 10**9
"""`baseTimeNanoseconds` of the files."""
ODD = {"stamp never set": "timestamp never set"}


def look_up(facts: dict[str, Any], path: str) -> Any:
    """What `trace show` says of a fact that a case names."""
    first, _, rest = path.partition(".")
    every = [*facts["ranks"].values()]
    match first:
        case "tables":
            return sorted({rank["format"] for rank in every})
        case "odd":
            return {name: sum(rank["lost"].get(ODD.get(name, name), 0) for rank in every[:1]) for name in NAMES}
        case "mesh":
            return facts["parallelism"]["axes"]
        case "mesh_from":
            return [each["by"] for each in facts["parallelism"]["evidence"]]
        case "too_early":
            staged = any(each["stage"] is not None for rank in every for each in rank["operation_list"])
            return len(facts["clocks"]["early"]) if staged else None
    number, _, rest = rest.partition(".")
    rank = facts["ranks"][number]
    what, _, key = rest.partition(".")
    match what:
        case "devices":
            return rank["devices"][key] if key else rank["devices"]
        case "step_list":
            (device,) = rank["devices"].values()
            return device["steps"][key]
        case "steps":
            return [int(step) for step in rank["steps"]]
        case "operations":
            return sum(rank["operations"].values())
        case "operation_list":
            return [
                [
                    *(each["phase"][0].upper(), each["microbatch"], each["stage"], each["step"]),
                    *(each["start"] - BASE, each["end"] - BASE, each["busy"]),
                ]
                for each in rank["operation_list"]
            ]
        case "unplaced":
            return rank["unclaimed_events"]
    return rank[what]


SHOWN = ["merged-ranks", "two-devices", "horovod", "dask", "pipelining", "spoilt-events"]
NAMES = sorted({name for case in CASES.values() for name in case["facts"].get("odd", ())})


@pytest.mark.parametrize("name", CASES)
def test_a_file_holds_what_was_worked_out_by_hand(name: str) -> None:
    case = CASES[name]
    found = shared_base(trace.read([WRITERS / file for file in case["files"]]))
    facts = json.loads(json.dumps(survey(find_parallelism(found, case.get("parallelism", {})), ClassRules())))
    for path, right in case["facts"].items():
        got = look_up(facts, path)
        if path == "odd":
            assert got == {**dict.fromkeys(NAMES, 0), **right}
        elif path == "mesh_from":
            assert got == ([] if right == "nothing says" else [right])
        elif isinstance(right, dict) and isinstance(got, dict) and path.count(".") == 3:
            assert {key: got[key] for key in right} == right, path
        else:
            assert got == right, path


@pytest.mark.parametrize("name", CASES if NIGHTLY else SHOWN)
def test_a_file_is_shown_and_its_new_spec_renders(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file in CASES[name]["files"]:
        (tmp_path / file).write_bytes((WRITERS / file).read_bytes())
    shown = run("trace", "show", *CASES[name]["files"])
    assert shown.status == 0
    assert ("kineto" in shown.out) == any("kineto" in each for each in CASES[name]["facts"].get("tables", ["kineto"]))
    assert run("trace", "new", *CASES[name]["files"], "-o", "new.yaml").status == 0
    done = run("render", "new.yaml")
    assert (done.status, Path("new.tex").exists()) == (0, True), done.err


PACKED = {"x.json.bz2": bz2.compress, "x.json.xz": lzma.compress}


@pytest.mark.parametrize("name", PACKED)
def test_packed_files_are_read(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(PACKED[name]((WRITERS / "two-devices.json").read_bytes()))
    (rank,) = trace.read([tmp_path / name]).ranks.values()
    assert len(rank.events) == 4
    cut = (tmp_path / name).read_bytes()[:-20]
    (tmp_path / name).write_bytes(cut)
    assert "Traceback" not in run("trace", "show", str(tmp_path / name)).err


FIRST_LINES = {
    "horovod": "horovod.json: Horovod timeline; 2 tensors; waits 0.078 ms, communication 0.1 ms; no device; 1 rank",
    "ray": "ray.json: Ray timeline; 2 workers; no device; 1 rank",
    "tensorflow": "tensorflow.json: TensorFlow; 1 thread; 1 rank",
    "merged-ranks": "merged-ranks.json: PyTorch, ranks merged into one file; 4 ranks; pp 2 × dp 2 (by labels of ranks)",
    "steps-apart": "2 files: PyTorch; 2 ranks; dp 2 (by process groups DATA_PARALLEL_GROUP)",
    "no-groups": "2 files: PyTorch; 2 ranks; nothing states which ranks share the model, so no stages "
    "(parallelism gives the sizes of pp, dp, cp, ep and tp; their product is 2)",
}


@pytest.mark.parametrize("name", FIRST_LINES)
def test_the_first_line_names_the_writer_and_the_parallelism(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(WRITERS)
    assert run("trace", "show", *CASES[name]["files"]).out.splitlines()[0] == FIRST_LINES[name]


def test_files_of_several_writers_have_a_line_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(WRITERS)
    shown = run("trace", "show", "no-groups-rank0.json", "nccl-profiler.json")
    assert shown.out.splitlines()[:3] == [
        "no-groups-rank0.json: PyTorch",
        "nccl-profiler.json: NCCL profiler; 1 process; communication 0.14 ms; no device",
        "2 of 3 ranks; nothing states which ranks share the model, so no stages "
        "(parallelism gives the sizes of pp, dp, cp, ep and tp; their product is 3)",
    ]
    facts = json.loads(run("trace", "show", "nccl-profiler.json", "--format", "json").out)["files"]
    assert facts == [
        {
            "files": ["nccl-profiler.json"],
            "format": "nccl",
            "writer": "NCCL profiler",
            "devices": 0,
            "lanes": {"process": 1},
            "roles": {"communication": 140000},
        }
    ]


def test_a_stated_format_overrules_the_recognized_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ray", "horovod"):
        Path(f"{name}.json").write_bytes((WRITERS / f"{name}.json").read_bytes())
    shown = run("trace", "show", "ray.json", "--trace-format", "generic").out
    assert shown.startswith("ray.json: trace events of an unknown program") and "worker:0: 6 slices" in shown
    spec = Path("fig.yaml")
    for stated, lanes in (("auto", "grad.1/wait"), ("generic", "grad.1/")):
        spec.write_text(f"recipe: trace\nsource: horovod.json\nformat: {stated}\nlanes: thread\n", encoding="utf-8")
        assert run("render", str(spec)).status == 0
        assert lanes in Path("fig.tex").read_text("utf-8")
        assert ("grad.1/wait" in Path("fig.tex").read_text("utf-8")) == (stated == "auto")
    assert run("trace", "new", "horovod.json", "--trace-format", "generic", "-o", "new.yaml").status == 0
    assert "\nformat: generic\n" in Path("new.yaml").read_text("utf-8")
    assert run("render", "new.yaml").status == 0


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        ("ry", '3:9: format: unknown format "ry" (did you mean "ray"?)'),
        (
            "x",
            "(the formats are dask, viztracer, horovod, jax, tensorflow, nccl, …)",
        ),
        ("kineto", 'contains nothing in the format "kineto" (leave out the format: the contents state it)'),
        ("nsight", "the report cannot be read: file is not a database"),
    ],
)
def test_a_stated_format_that_is_unknown_or_wrong_is_refused(stated: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "ray.json").write_bytes((WRITERS / "ray.json").read_bytes())
    (tmp_path / "fig.yaml").write_text(f"recipe: trace\nsource: ray.json\nformat: {stated}\n", encoding="utf-8")
    done = run("render", str(tmp_path / "fig.yaml"))
    assert done.status and problem in done.err


def test_a_communication_slice_is_drawn_as_one_whatever_its_name(tmp_path: Path) -> None:
    text = (WRITERS / "horovod.json").read_text("utf-8").replace("NCCL_ALLREDUCE", "MPI_BCAST")
    (tmp_path / "h.json").write_text(text, encoding="utf-8")
    (tmp_path / "fig.yaml").write_text("recipe: trace\nsource: h.json\n", encoding="utf-8")
    assert run("render", str(tmp_path / "fig.yaml")).status == 0
    text = (tmp_path / "fig.tex").read_text("utf-8")
    assert '"communication"' in text and '"wait"' in text and "MPI" not in text


def test_what_must_be_converted_first_is_refused_by_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.json", "w") as archive:
        archive.write(WRITERS / "ray.json")
    assert "a.json: is a zip archive (unzip a.json)" in run("trace", "show", str(tmp_path / "a.json")).err
    (tmp_path / "b.json").write_text("[]", encoding="utf-16")
    assert "b.json: is UTF-16 (iconv -f UTF-16" in run("trace", "show", str(tmp_path / "b.json")).err


def test_lanes_that_match_nothing_are_refused_with_the_ones_that_do(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_bytes((WRITERS / "ray.json").read_bytes())
    (tmp_path / "fig.yaml").write_text("recipe: trace\nsource: t.json\nlanes: stream\n", encoding="utf-8")
    done = run("render", str(tmp_path / "fig.yaml"))
    assert done.status == 1
    assert "3:8: lanes: nothing ran on a device (lanes: thread draws the slices of threads)" in done.err


ODD_NAMES = {
    "empty": ("", "", ""),
    "TeX": ("100% $x_1$ #&{}\\ ~^", "p%_$", "t#{}\\$"),
    "other scripts": ("日本語", "функция", "é"),
    "line breaks": ("a\nb\tc", "x\ny", "z\rq"),
    "unknown characters": ("\U0001f600 \ue000", "\x01", "\u202e"),
    "long": ("n" * 300, "p" * 300, "t" * 300),
}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_of_slices_and_threads_are_drawn_whatever_they_hold(name: str, tmp_path: Path) -> None:
    slice_name, process, thread = ODD_NAMES[name]
    event = {"ph": "X", "dur": 9, "pid": process, "tid": thread}
    other = {**event, "ts": 20, "name": f"{slice_name}."}
    content = {"traceEvents": [{**event, "ts": 5, "name": slice_name}, other]}
    (tmp_path / "t.json").write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "fig.yaml").write_text("recipe: trace\nsource: t.json\nwidth: 17.8\n", encoding="utf-8")
    done = run("render", str(tmp_path / "fig.yaml"))
    assert done.status == 0, done.err
    assert run("check", str(tmp_path / "fig.yaml")).status == 0


def test_classes_of_names_can_be_told_apart(tmp_path: Path) -> None:
    events = [
        {"ph": "X", "ts": 20 * n, "dur": 15, "pid": 1, "tid": n % 3, "name": f"stage {n % 12}"} for n in range(60)
    ]
    (tmp_path / "t.json").write_text(json.dumps(events), encoding="utf-8")
    (tmp_path / "fig.yaml").write_text("recipe: trace\nsource: t.json\nwidth: 17.8\n", encoding="utf-8")
    done = run("render", str(tmp_path / "fig.yaml"))
    assert (done.status, "TG311" in done.err) == (0, False), done.err


@pytest.mark.parametrize("name", ["ray", "horovod", "pipelining"])
def test_a_trace_without_devices_is_not_cut(name: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_bytes((WRITERS / f"{name}.json").read_bytes())
    done = run("trace", "cut", str(tmp_path / "t.json"), "--step", "all", "-o", str(tmp_path / "cut"))
    assert done.status and not (tmp_path / "cut").exists()
    assert "t.json: cannot cut a trace without a device (draw the file itself)" in done.err


def test_operations_of_unmarked_steps_need_those_of_their_own_step(tmp_path: Path) -> None:
    """Stage 1 follows stage 0 in each of two iterations; the trace of stage 0 goes on with the begin of a third."""
    for rank, starts in enumerate(([0, 1000, 2000], [100, 1100])):
        events = [
            {"ph": "X", "cat": "user_annotation", "name": f"PP:{rank}F0", "pid": 1, "tid": 1, "ts": 1 + ts, "dur": 90}
            for ts in starts
        ]
        content = {"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}
        (tmp_path / f"rank{rank}.json").write_text(json.dumps(content), encoding="utf-8")
    facts = json.loads(run("trace", "show", str(tmp_path), "--format", "json").out)
    assert facts["clocks"]["early"] == []
