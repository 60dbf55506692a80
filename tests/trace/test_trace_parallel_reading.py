"""Traces are read one by one, in processes, on a cluster or at a URL: what comes of them is the same to the byte."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]
import pytest
from command import run
from conftest import ROOT

from tikzgen import trace
from tikzgen.base.errors import FileRefused
from tikzgen.trace.readers.read_in_parallel import processes
from tikzgen.trace.readers.trace_places import base_name, spell_location

TRACES = ROOT / "tests" / "cases" / "traces"
SYNTHETIC = [TRACES / "synthetic" / f"rank{rank}.json.gz" for rank in range(4)]


def told(folder: Path, files: list[Any], *how: str) -> tuple[str, list[bytes]]:
    """What is said of a run, and what is cut of it."""
    names = list(map(str, files))
    shown, cut = (
        run("trace", "show", *names, "--format", "json", *how),
        run("trace", "cut", *names, *how, "-o", str(folder)),
    )
    assert (shown.status, shown.err, cut.status) == (0, "", 0)
    return shown.out, [path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix == ".json"]


@pytest.mark.slow
def test_one_process_two_and_a_cluster_of_two_workers_tell_the_same_bytes(tmp_path: Path) -> None:
    from distributed import LocalCluster

    alone = told(tmp_path / "1", SYNTHETIC, "-j", "1")
    assert told(tmp_path / "2", SYNTHETIC, "-j", "2") == alone
    bad = tmp_path / "bad.json"
    bad.write_text("{nothing")
    with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as workers:  # type: ignore[no-untyped-call]
        there = "--scheduler", workers.scheduler_address
        assert told(tmp_path / "3", SYNTHETIC, *there) == alone
        done = run("trace", "show", *map(str, [*SYNTHETIC, bad]), "--format", "json", *there)
        assert (done.status, done.out, done.err.count("\n")) == (1, alone[0], 1)
        assert done.err.startswith("bad.json: is no JSON")
        workers.scale(0)
        for worker in list(workers.workers.values()):
            workers.sync(worker.close)
        none = run("trace", "show", str(SYNTHETIC[0]), *there)
        assert (none.status, none.err) == (
            2,
            f'the scheduler at "{there[1]}" has no workers (dask worker {there[1]})\n',
        )


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tikzgen.trace.readers.read_in_parallel._PATIENCE", "0.2s")
    done = run("trace", "show", str(SYNTHETIC[0]), "--scheduler", "tcp://127.0.0.1:9")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert done.err.startswith('no scheduler answers at "tcp://127.0.0.1:9" (dask scheduler starts one')
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run("trace", "show", str(SYNTHETIC[0]), "--scheduler", "tcp://127.0.0.1:9")
    says = "a cluster is reached by dask.distributed (pip install 'distributed>=2025.1')\n"
    assert (done.status, done.err) == (2, says)


class Failing(Executor):
    """Reads here, but for a file at which it breaks."""

    def submit(self, act: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if "rank1" in str(given[0]):
            future.set_exception(RuntimeError("a worker\nwas killed"))
        else:
            future.set_result(act(*given, **more))
        return future


def test_what_an_executor_cannot_read_is_named_and_the_rest_goes_on() -> None:
    refused: list[FileRefused] = []
    found = trace.read(SYNTHETIC, executor=Failing(), refused=refused.append)
    assert list(found.ranks) == [0, 2, 3]
    (error,) = refused
    assert str(error).startswith(
        f"{SYNTHETIC[1]}: what read it has failed: RuntimeError: a worker\\nwas killed (it may"
    )


def test_what_needs_too_much_memory_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(place: Any, **more: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("tikzgen.trace.readers.read_run.read_trace", none_left)
    with pytest.raises(FileRefused, match=r"rank0\.json\.gz: needs more .*memory"):
        trace.read(SYNTHETIC[:1])


def test_processes_are_begun_for_what_is_worth_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(jobs: int | None = None) -> int:
        with processes(SYNTHETIC, jobs) as executor:
            return 0 if executor is None else len(set(executor.map(_own, range(20))) | {0}) - 1

    monkeypatch.setattr("threading.active_count", lambda: 1)
    monkeypatch.setattr("tikzgen.trace.readers.read_in_parallel._processors", lambda: 2)
    assert (count(), count(1)) == (0, 0)
    monkeypatch.setattr("tikzgen.trace.readers.read_in_parallel._WORTH_BYTES", 10_000)
    assert 1 <= count() <= 2
    monkeypatch.setattr("threading.active_count", lambda: 2)
    assert count() == 0


@pytest.mark.slow
def test_the_environment_says_how_the_traces_of_a_spec_are_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for path in SYNTHETIC:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    spec = tmp_path / "fig.yaml"
    spec.write_text("recipe: trace\nsource: 'rank{0..3}.json.gz'\nclock: raw\n", encoding="utf-8")
    alone = run("metrics", str(spec)).out
    begun: list[int] = []
    first = ProcessPoolExecutor.__init__
    monkeypatch.setattr(
        ProcessPoolExecutor,
        "__init__",
        lambda self, count, **more: (begun.append(count), first(self, count, **more))[1],
    )
    monkeypatch.setenv("TIKZGEN_JOBS", "2")
    assert (run("metrics", str(spec)).out, begun) == (alone, [2])
    monkeypatch.setenv("TIKZGEN_JOBS", "many")
    done = run("metrics", str(spec))
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert 'TIKZGEN_JOBS is "many" (a number from 1 to 256)' in done.err
    monkeypatch.setenv("TIKZGEN_SCHEDULER", "tcp://127.0.0.1:9")
    monkeypatch.setattr("tikzgen.trace.readers.read_in_parallel._PATIENCE", "0.2s")
    assert 'no scheduler answers at "tcp://127.0.0.1:9"' in run("metrics", str(spec)).err


def _own(number: int) -> int:
    import os

    return os.getpid()


def test_how_far_it_is_is_told() -> None:
    heard: list[tuple[float, int]] = []
    trace.read(SYNTHETIC, told=lambda done, of: heard.append((done, of)))
    assert heard == sorted(heard)
    assert heard[-1] == (4, 4)
    assert 0 < heard[0][0] <= 1


@pytest.fixture
def bucket() -> Iterator[str]:
    """Traces in another file system, as one of a cloud."""
    system = fsspec.filesystem("memory")
    for path in [*SYNTHETIC, TRACES / "synthetic" / "rank0.sqlite"]:
        system.pipe(f"/run/{path.name}", path.read_bytes())
    yield "memory://run"
    system.rm("/run", recursive=True)


def test_urls_are_read_as_files_are(bucket: str, tmp_path: Path) -> None:
    here = trace.read(SYNTHETIC)
    assert trace.read([f"{bucket}/{path.name}" for path in SYNTHETIC]) == here
    plain = told(tmp_path / "a", SYNTHETIC)
    assert told(tmp_path / "b", [f"{bucket}/*.json.gz"]) == plain
    assert told(tmp_path / "c", [path.as_uri() for path in SYNTHETIC]) == plain
    assert trace.read([f"{bucket}/rank0.sqlite"]) == trace.read([TRACES / "synthetic" / "rank0.sqlite"])
    assert run("trace", "show", f"{bucket}/").err.startswith("rank 0 is in two files, rank0.json.gz and rank0.sqlite")


URLS = {
    "memory://nowhere.json": "memory://nowhere.json: cannot be read: ",
    "nope://me:word@host/a.json?secret=1": "nope://host/a.json?: cannot be read: Protocol not known: nope",
    "memory://none/*.json": "there is no trace to read (name files",
}


@pytest.mark.parametrize("url", URLS)
def test_a_url_that_cannot_be_read_is_named_without_its_secrets(url: str) -> None:
    done = run("trace", "show", url)
    assert (done.status > 0, done.err.count("\n"), "word" in done.err, "secret" in done.err) == (True, 1, False, False)
    assert done.err.startswith(URLS[url].replace("?:", ":"))


def test_urls_need_fsspec_and_stay_out_of_specs(bucket: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done = run("trace", "new", f"{bucket}/rank0.json.gz", "-o", str(tmp_path / "a.yaml"))
    says = "memory://run/rank0.json.gz: a spec reads files beside it, and no URLs (tikzgen trace cut writes one step"
    assert (done.status, done.err.startswith(says)) == (1, True)
    spec = tmp_path / "b.yaml"
    spec.write_text(f"recipe: trace\nsource: {bucket}/rank0.json.gz\n")
    assert 'file "memory://run/rank0.json.gz" not found' in run("render", str(spec)).err
    monkeypatch.setitem(sys.modules, "fsspec", None)
    done = run("trace", "show", f"{bucket}/rank0.json.gz")
    assert (done.status, done.err) == (2, "URLs of traces are opened by fsspec (pip install 'fsspec>=2025.2')\n")


def test_names_of_places_tell_no_secret() -> None:
    assert base_name("s3://bucket/a/rank0.json?key=1") == "rank0.json"
    assert spell_location("https://me:word@host/x.json?key=1") == "https://host/x.json"
    assert base_name(Path("a") / "rank1.json") == "rank1.json"


def test_a_folder_of_a_rank_says_which_it_is(tmp_path: Path) -> None:
    places = []
    for rank in (1, 0):
        folder = tmp_path / f"rank{rank}"
        folder.mkdir()
        places.append(folder / "trace.json")
        event = '{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": %d}'
        places[-1].write_text('{"traceEvents": [' + event % (rank + 1) + "]}")
    found = trace.read(places)
    assert {number: rank.extent for number, rank in found.ranks.items()} == {0: (1000, 2000), 1: (1000, 3000)}
    jax = tmp_path / "log" / "plugins" / "profile" / "2026"
    jax.mkdir(parents=True)
    (jax / "host.trace.json.gz").write_bytes(SYNTHETIC[0].read_bytes())
    (jax / "host.xplane.pb").write_bytes(b"\x0a")
    assert run("trace", "show", str(tmp_path / "log")).out.startswith("host.trace.json.gz: PyTorch; 1 of 4 ranks\n")
    (tmp_path / "nsys").mkdir()
    (tmp_path / "nsys" / "r.nsys-rep").write_bytes(b"\x00")
    assert "nsys export --type sqlite r.nsys-rep" in run("trace", "show", str(tmp_path / "nsys")).err
