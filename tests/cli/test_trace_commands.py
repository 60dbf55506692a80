"""`tikzgen trace`: what it says of a run, what it writes to go beside a paper, and how it ends."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from command import run
from trace_files import SYNTHETIC, TRACES, kernel, written

from tikzgen import trace
from tikzgen.trace.annotated_operations import operations_of
from tikzgen.trace.choose_run import choose_step, launched_in
from tikzgen.trace.event_classes import ClassRules
from tikzgen.trace.rank_measures import measure_rank
from tikzgen.trace.readers.read_run import shared_base
from tikzgen.trace.run_model import RankTrace, TraceRun


def show(*files: Path) -> Any:
    """What is told to programs."""
    done = run("trace", "show", *map(str, files), "--format", "json")
    assert done.status == 0
    return json.loads(done.out)


def test_who_watches_is_told_how_much_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int | str]] = []
    monkeypatch.setattr(
        "tikzgen.base.child.child_messages.send_message", lambda kind, value="": told.append((kind, value))
    )
    show(SYNTHETIC / "rank0.json.gz", SYNTHETIC / "rank1.json.gz")
    assert [value for kind, value in told if kind == "share"][-1] == "100 % of 2"


def test_a_run_is_told_to_programs_exactly() -> None:
    facts = show(TRACES / "nccl_data.json.gz")
    (device,) = facts["ranks"]["0"]["devices"].values()
    assert facts["world"] == 2
    assert {name: device[name] for name in ("extent", "busy", "idle", "exposed")} == {
        "extent": 660551005,
        "busy": 157500014,
        "idle": 503050991,
        "exposed": 39559468,
    }
    assert Fraction(device["overlap"]) == 1 - Fraction(39559468, 46876493)
    assert facts["ranks"]["0"]["steps"] == {"4": 222442191, "5": 219726905, "6": 224936243}


def test_a_run_is_told_to_people() -> None:
    done = run("trace", "show", str(TRACES / "sampled_rank-0.json.gz"), str(TRACES / "sampled_rank-1.json.gz"))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(
        "2 files: PyTorch; 2 of 128 ranks\n\nrank 0: sampled_rank-0.json.gz (kineto), 4855 events\n"
    )
    assert "communication 396.199 ms: exposed 336.983 ms, overlapped 14.9 %" in done.out
    assert "steps: 551 (607.312 ms), 552 (622.928 ms)" in done.out
    assert "clocks: by collectives refused: rank 1 has no blocking collective" in done.out


def test_a_run_on_cpus_says_what_is_annotated() -> None:
    done = run("trace", "show", *map(str, sorted(TRACES.glob("pp_*"))))
    assert done.status == 0
    assert "  nothing ran on a device: `lanes: annotations` draws what is annotated\n" in done.out
    assert "  annotations: F# (8), gloo:send (8), gloo:recv (8), B# (8)\n" in done.out
    assert done.out.count("  operations: 8 backward, 8 forward\n") == 4


def test_a_bad_file_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "rank0.json.gz").write_bytes((SYNTHETIC / "rank0.json.gz").read_bytes())
    done = run("trace", "show", str(tmp_path))
    says = "bad.json: is no JSON, or breaks off before its first event (byte 1)"
    assert (done.status, done.err) == (1, f"{says} (profile at least one step, and end the profiler)\n")
    assert done.out.startswith("rank0.json.gz: PyTorch; 1 of 4 ranks\n\nrank 0: rank0.json.gz")
    (tmp_path / "rank0.json.gz").unlink()
    assert run("trace", "show", str(tmp_path)).out == ""
    missing = run("trace", "show", str(tmp_path / "none.json"))
    assert (missing.status, missing.err) == (1, f"{tmp_path}/none.json: cannot be read: no such file or directory\n")


def test_a_file_that_breaks_off_is_told_once() -> None:
    file = str(SYNTHETIC / "truncated_rank0.json")
    done = run("trace", "show", file)
    assert (done.status, done.err.count("\n")) == (0, 1)
    assert done.err.startswith("truncated_rank0.json: breaks off at byte 26549; 124 events before it are read")
    strict = run("trace", "show", file, "--strict")
    assert (strict.status, strict.out) == (1, "")


def test_clocks_are_told_with_offset_and_residual() -> None:
    files = [str(SYNTHETIC / f"rank{rank}.sqlite") for rank in range(4)]
    done = run("trace", "align", *files)
    assert done.status == 1
    assert done.out.splitlines()[:7] == [
        "clocks: by collectives refused: only 1 collective of rank 1 tells its clock",
        "  rank 0: offset 0 ms, residual 0 ms, 1 collective",
        "  rank 1: offset 0.84592 ms, residual 0 ms, 1 collective",
        "  rank 2: offset 6.863832 ms, residual 0 ms, 1 collective",
        "  rank 3: offset -2.262227 ms, residual 0 ms, 1 collective",
        "too early by the clocks as they are: 16",
        "  F2 of stage 3 begins 8.086711 ms before F2 of stage 2 ends",
    ]
    facts = json.loads(run("trace", "align", *files, "--format", "json").out)["by_collectives"]
    assert [clock["offset"] for clock in facts.values()] == [0, 845920, 6863832, -2262227]


def cut(folder: Path, *files: Path, step: str = "last-complete") -> TraceRun:
    """The traces that `trace cut` wrote."""
    done = run("trace", "cut", *map(str, files), "--step", step, "-o", str(folder))
    assert done.status == 0
    return shared_base(trace.read(sorted(folder.iterdir())))


def told(rank: RankTrace, chosen: list[int] | None = None) -> Any:
    """What is measured, but for when it was."""
    measures = measure_rank(rank, ClassRules(), chosen=chosen)
    assert measures
    streams = {stream.name: each for stream, each in measures.streams.items()}
    return measures.extent, measures.busy, measures.exposed_time, measures.by_class, measures.counts, streams


def test_a_cut_measures_as_the_step_that_it_is_of(tmp_path: Path) -> None:
    file = TRACES / "nccl_data.json.gz"
    whole = trace.read([file]).ranks[0]
    step = choose_step(whole, 5)
    assert step
    small = cut(tmp_path / "a", file, step="5").ranks[0]
    assert told(small) == told(whole, launched_in(whole, step.start, step.end))
    again = choose_step(small, 5)
    assert again and len(launched_in(small, again.start, again.end)) == 1258
    text = (tmp_path / "a" / "rank0.json").read_bytes()
    assert b"host" not in text and b"/" not in text.replace(b"nccl:", b"").split(b'"name"')[0]
    cut(tmp_path / "b", tmp_path / "a" / "rank0.json", step="5")
    assert (tmp_path / "b" / "rank0.json").read_bytes() == text


def test_cuts_of_several_ranks_keep_what_is_between_them(tmp_path: Path) -> None:
    files = sorted(TRACES.glob("pp_*"))
    whole, small = shared_base(trace.read(files)), cut(tmp_path / "a", *files)
    for begin in ("work", "annotation"):
        found = [[each for rank in of.ranks.values() for each in operations_of(rank, begin)] for of in (whole, small)]
        first = [min(each.opened for each in operations) for operations in found]
        times = [
            [(each.name, each.stage, each.start - zero, each.end - zero) for each in operations]
            for zero, operations in zip(first, found, strict=True)
        ]
        assert times[0] == times[1]
    assert sum(each.stat().st_size for each in (tmp_path / "a").iterdir()) < 100_000


DRAWN: dict[str, tuple[list[Path], str, str]] = {
    "a step by number": ([TRACES / "nccl_data.json.gz"], "5", "step: 5\n"),
    "the last complete step": ([TRACES / "nccl_data.json.gz"], "last-complete", "lanes: class\n"),
    "two of 128 ranks": (sorted(TRACES.glob("sampled_*")), "551", "step: 551\n"),
    "a pipeline on one host": (sorted(TRACES.glob("pp_*")), "all", ""),
    "what breaks off": ([SYNTHETIC / "truncated_rank0.json"], "all", ""),
    "wrong clocks": (sorted(SYNTHETIC.glob("rank?.sqlite")), "all", "clock: collectives\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_the_figure_of_a_cut_is_the_same_bytes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, step, more = DRAWN[name]
    assert run("trace", "cut", *map(str, files), "--step", step, "-o", str(tmp_path / "cut")).status == 0
    (tmp_path / "whole").mkdir()
    for number, path in enumerate(files):
        shutil.copy(path, tmp_path / "whole" / f"rank{number}.json")
    drawn = []
    for folder in ("whole", "cut"):
        monkeypatch.chdir(tmp_path / folder)
        Path("fig.yaml").write_text(
            f"recipe: trace\nsource: rank{{0..{len(files) - 1}}}.json\n{more}", encoding="utf-8"
        )
        assert run("render", "fig.yaml").status == 0
        drawn.append(Path("fig.tex").read_bytes())
    assert drawn[0] == drawn[1]


def test_a_cut_tells_no_folder_host_or_user(tmp_path: Path) -> None:
    def event(category: str, name: str) -> dict[str, Any]:
        place = {"pid": 0, "tid": 7, "ts": 1, "dur": 2}
        return {"ph": "X", "cat": category, "name": name, **place, "args": {"stream": 7, "path": "/home/secret/x"}}

    events = [
        event("user_annotation", "/home/secret/train.py: step"),
        event("kernel", r"triton at C:\Users\secret\k.py"),
        event("cpu_op", "secret"),
    ]
    header = {"host_name": "secret", "trace_id": "secret", "distributedInfo": {"rank": 0, "master": "secret"}}
    (tmp_path / "t.json").write_text(json.dumps({**header, "traceEvents": events}))
    cut(tmp_path / "a", tmp_path / "t.json")
    text = (tmp_path / "a" / "rank0.json").read_text()
    assert "secret" not in text
    assert "train.py: step" in text and "k.py" in text


def test_a_new_spec_says_what_was_found_and_renders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.json.gz").write_bytes((TRACES / "nccl_data.json.gz").read_bytes())
    done = run("trace", "new", "t")
    assert (done.status, done.err) == (0, "trace.yaml written; next: tikzgen render trace.yaml\n")
    text = Path("trace.yaml").read_text(encoding="utf-8")
    assert "#   steps: 4 (222.442191 ms), 5 (219.726905 ms), 6 (224.936243 ms)\n" in text
    assert "\nsource: [t/a.json.gz]\n" in text
    assert "reading" not in text
    short = "recipe: trace\nsource: t/a.json.gz\n"
    assert run("metrics", "trace.yaml").out == run("metrics", "-", stdin=short).out != ""
    again = run("trace", "new", "t")
    assert (again.status, again.err) == (1, "trace.yaml: exists already (-o writes elsewhere)\n")
    outside = run("trace", "new", "t", "-o", "other/fig.yaml")
    assert (outside.status, outside.err.partition(" (")[0]) == (1, "../t/a.json.gz stands outside of the spec's folder")


def test_a_new_spec_names_traces_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, {"traceEvents": [kernel(5)]}, "a.json")
    written(tmp_path, "rank,lane,start,end\n0,gpu,1\n", "b.csv")
    written(tmp_path, "{}", "fig.meta.json")
    done = run("trace", "new", ".")
    assert done.status == 1
    assert "b.csv:2" in done.err and "fig.meta.json" not in done.err
    assert "\nsource: [a.json]\n" in Path("trace.yaml").read_text(encoding="utf-8")
    assert run("render", "trace.yaml").status == 0
    assert (tmp_path / "trace.meta.json").exists()
    wild = "recipe: trace\nsource: '*.json'\n"
    assert run("metrics", "-", stdin=wild).out == run("metrics", "trace.yaml").out != ""


@pytest.mark.slow
def test_processes_read_the_same() -> None:
    files = sorted(SYNTHETIC.glob("rank?.json.gz"))
    with ProcessPoolExecutor(2) as executor:
        assert trace.read(files, executor=executor) == trace.read(files)
