"""Formats of trace files: each is recognized by its contents, and packages may add some."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest
from command import run
from conftest import ROOT
from extension_packages import forget, install
from trace_files import SYNTHETIC, events_of, kernel, written

from tikzgen.base.errors import FileRefused
from tikzgen.trace.readers import places_in
from tikzgen.trace.readers.read_trace import read_trace
from tikzgen.trace.readers.trace_formats import TRACE_FORMATS, TraceFile, find_format

ROCPROF = {
    "rocprofiler-sdk-tool": [
        {
            "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": "gemm"}],
            "buffer_records": {
                "kernel_dispatch": [
                    {
                        "start_timestamp": 1000,
                        "end_timestamp": 2000,
                        "dispatch_info": {"agent_id": {"handle": 1}, "kernel_id": 1, "queue_id": {"handle": 2}},
                    }
                ]
            },
        }
    ]
}
TICKS = {"ticks": [[1000, 2000, "gemm"], [2500, 4000, "attention"]]}


def sample(name: str, folder: Path) -> Path:
    """Return a file of a built-in format."""
    match name:
        case "chrome":
            return written(folder, {"traceEvents": [kernel(1, 2)]}, "a.json")
        case "rocprof":
            return written(folder, ROCPROF, "b.json")
        case "nsight":
            return SYNTHETIC / "rank0.sqlite"
        case "csv":
            return written(folder, "rank,lane,start,end\n0,gpu,1,2\n", "c.csv")
    raise AssertionError(f"write a sample of the format {name}")


@pytest.mark.parametrize("name", TRACE_FORMATS.built_in)
def test_each_format_reads_its_files_and_no_other_format_matches_them(name: str, tmp_path: Path) -> None:
    file = sample(name, tmp_path)
    head = TraceFile(file).head
    assert [each for each in TRACE_FORMATS.built_in if TRACE_FORMATS[each].matches(head)] == [name]
    assert find_format(TraceFile(file)) == name
    assert sum(len(rank.events) for rank in read_trace(file)) > 0
    assert file.name.endswith(TRACE_FORMATS[name].suffixes)


@pytest.mark.parametrize("name", TRACE_FORMATS.built_in)
def test_each_format_is_read_from_gzip(name: str, tmp_path: Path) -> None:
    plain = sample(name, tmp_path)
    packed = tmp_path / f"{plain.name}.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert [events_of(rank) for rank in read_trace(packed)] == [events_of(rank) for rank in read_trace(plain)]


def test_a_long_header_before_the_events_is_chrome(tmp_path: Path) -> None:
    file = written(tmp_path, {"deviceProperties": [{"name": "x" * 5000}], "traceEvents": [kernel(1, 2)]})
    assert not any(TRACE_FORMATS[name].matches(TraceFile(file).head) for name in TRACE_FORMATS.built_in)
    assert find_format(TraceFile(file)) == "chrome"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_package_adds_a_format(jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, tmp_path / "site", "ticks-trace")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TIKZGEN_JOBS", jobs)
    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    for rank in (0, 1):
        Path(f"run/rank{rank}.ticks").write_text(json.dumps(TICKS), "utf-8")
    Path("run/notes.txt").write_text("-")
    assert [Path(place).name for place in places_in(["run"])] == ["rank0.ticks", "rank1.ticks"]
    shown = run("trace", "show", "run")
    assert (shown.status, shown.out.count("ticks")) == (0, 5), shown.err
    Path("fig.yaml").write_text("recipe: trace\nsource: run/*.ticks\n", "utf-8")
    assert run("render", "fig.yaml").status == 0
    first = Path("fig.tex").read_text("utf-8")
    assert "needs" not in first  # the figure records the times
    with (tmp_path / "site/ticks_trace.py").open("a") as file:
        file.write("\nTicksFormat.read_ranks = lambda self, file: []\n")
    install_again(monkeypatch)
    assert "holds no events" in run("render", "fig.yaml").err  # nothing is taken from the cache
    assert run("render", "fig.tex", "-o", "again.tex").status == 0


def install_again(patch: pytest.MonkeyPatch) -> None:
    """Import the changed package anew."""
    patch.delitem(sys.modules, "ticks_trace")
    forget(patch)


def test_a_file_of_no_format_is_refused_with_all_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, "hello", "t.txt")
    accepted = (
        "a trace is JSON of torch.profiler or JAX, JSON of rocprofv3, SQLite of nsys or a table rank,lane,start,end"
    )
    with pytest.raises(FileRefused) as caught:
        read_trace(file)
    assert str(caught.value).endswith(f"t.txt: is not a trace that tikzgen reads ({accepted})")
    install(monkeypatch, tmp_path / "site", "ticks-trace")
    with pytest.raises(FileRefused, match=r"a table rank,lane,start,end or JSON of ticks\)"):
        read_trace(file)


def test_a_trace_of_a_built_in_format_reads_no_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: pytest.fail("read"))
    monkeypatch.setattr(TRACE_FORMATS, "_third_party", None)
    for name in ("rank0.json.gz", "rank0.sqlite"):
        assert len(read_trace(SYNTHETIC / name)[0].events) > 0
    assert read_trace(ROOT / "tests/cases/traces/v100_rank1of2.json.gz")
