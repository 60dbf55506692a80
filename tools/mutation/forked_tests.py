"""Test runs in forked processes.

The parent loads pytest and third-party packages, but never the tested package. A child imports the tested package,
because constants, classes and decorators take effect at import.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

MEMORY_BYTES = 8 << 30
POLL_S = 0.02
WALL_FACTOR = 6
"""Wall time per second of CPU time allowed, after which a run that uses no CPU time is ended."""
CPU_SIGNALS = (signal.SIGXCPU, signal.SIGKILL)


@dataclass(frozen=True)
class TestRun:
    """One run of pytest in one copy of the tree."""

    tree: Path
    files: tuple[str, ...]
    """Test files. If some tests are chosen, they run in the order of the files."""
    options: tuple[str, ...]
    cpu_s: int
    chosen: frozenset[str] | None = None
    """Names of the tests to run; None for all tests of the files."""
    coverage: Path | None = None
    """Folder for coverage data; None to run without coverage."""
    change: tuple[str, bytes] | None = None
    """A file of the tree and its content during the run."""


@dataclass(frozen=True)
class Outcome:
    """The end of a test run."""

    end: str
    """`passed`, `failed`, `timeout` or `crashed`."""
    test: str
    """The first test that failed."""
    seconds: dict[str, float]
    failed: tuple[str, ...]
    modules: tuple[str, ...]
    """Modules that the run loaded from outside the tree."""


def preload(modules: list[str]) -> None:
    """Import packages once, before the forks."""
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception:  # its test imports a package that must not be the first import
            continue


def run_in_forks(runs: Iterator[tuple[TestRun, Callable[[Outcome], TestRun | None]]], trees: list[Path]) -> None:
    """Start each run when a copy of the tree is free.

    The callback of a run may return a further run for its copy.
    """
    free, running = [*trees], {}
    exhausted = False
    try:
        while running or not exhausted:
            while free and not exhausted:
                if (following := next(runs, None)) is None:
                    exhausted = True
                    break
                run, done = following
                tree = free.pop()
                child = _Child(replace(run, tree=tree))
                running[child.pid] = child, tree, done
            time.sleep(POLL_S)
            for pid, (child, tree, done) in [*running.items()]:
                if (outcome := child.poll()) is None:
                    continue
                del running[pid]
                if (more := done(outcome)) is not None:
                    child = _Child(replace(more, tree=tree))
                    running[child.pid] = child, tree, done
                else:
                    free.append(tree)
    finally:
        for child, _, _ in running.values():
            child.kill()


class _Child:
    """A forked process with its limits."""

    def __init__(self, run: TestRun) -> None:
        self.original = _write_change(run)
        self.run = run
        self.folder = run.tree.with_name(f"{run.tree.name}.run")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.patience = WALL_FACTOR * run.cpu_s
        self.deadline, self.used = time.monotonic() + self.patience, 0
        self.pid = os.fork()
        if self.pid == 0:
            code = 70
            try:
                code = _run_tests(run, self.folder)
            except BaseException:
                traceback.print_exc()  # into the log
            finally:
                os._exit(code)

    def poll(self) -> Outcome | None:
        """Return the outcome once the process has ended."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        late = not pid and time.monotonic() > self.deadline and not self._has_worked()
        if late:
            os.kill(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
        elif not pid:
            return None
        self._clean_up()
        notes = self.folder / "notes.json"
        told = json.loads(notes.read_text(encoding="utf-8")) if notes.exists() else {}
        if late or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in CPU_SIGNALS):
            end = "timeout"
        elif os.WIFSIGNALED(status) or not told:
            end = "crashed"
        else:
            end = "passed" if os.WEXITSTATUS(status) in (0, pytest.ExitCode.NO_TESTS_COLLECTED) else "failed"
        failed = tuple(told.get("failed", ()))
        return Outcome(
            end, failed[0] if failed else "", told.get("seconds", {}), failed, tuple(told.get("modules", ()))
        )

    def _has_worked(self) -> bool:
        """Return whether the run used CPU time since the last call.

        On a busy machine, such a run is slow, not stuck.
        """
        before, self.used = self.used, _cpu_ticks(self.pid)
        self.deadline = time.monotonic() + self.patience
        return self.used > before

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self._clean_up()

    def _clean_up(self) -> None:
        """End the processes that the tests started, and undo the change."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if self.run.change is not None and self.original is not None:
            _write_file(self.run.tree / self.run.change[0], self.original)


def _cpu_ticks(group: int) -> int:
    """Return the CPU time of the processes of a group, from Linux's proc(5); 0 on other systems."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            if int(fields[2]) == group:
                ticks += sum(map(int, fields[11:15]))
    return ticks


_ages = count(1_000_000_000)
"""Modification times in s. Each written file has its own, so that compiled code of another content never counts."""


def _write_change(run: TestRun) -> bytes | None:
    """Change a file of the tree; return its content before."""
    if run.change is None:
        return None
    path = run.tree / run.change[0]
    original = path.read_bytes()
    _write_file(path, run.change[1])
    return original


def _write_file(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    age = next(_ages)
    os.utime(path, (age, age))


def _run_tests(run: TestRun, folder: Path) -> int:
    """Run pytest in this process, which is a fork."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (run.cpu_s, run.cpu_s + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.chdir(run.tree)
    sys.path.insert(0, str(run.tree))
    os.environ["PYTHONPATH"] = str(run.tree)
    for name in [name for name in os.environ if name.startswith(("PYTEST_", "COVERAGE_"))]:
        del os.environ[name]
    sys.addaudithook(_refuse_to_kill_others)
    notes = _Notes(run, folder / "notes.json")
    common = ["-p", "no:cacheprovider", "--basetemp", str(folder / "temporary"), "-q", "--tb=line"]
    try:
        return int(pytest.main([*common, *run.options, *run.files], plugins=[notes]))
    finally:
        notes.close()


def _refuse_to_kill_others(event: str, given: tuple[Any, ...]) -> None:
    """Reject signals to all processes or to process 1, which a mutant can cause with a changed number."""
    if event in ("os.kill", "os.killpg") and given[0] in (-1, 1):
        raise PermissionError(f"{event} of {given[0]}")


class _Notes:
    """A plugin of pytest that chooses tests, and notes their times and the failures."""

    def __init__(self, run: TestRun, path: Path) -> None:
        self.run, self.path = run, path
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        self.coverage = _start_coverage(run) if run.coverage else None
        self._write()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        chosen = self.run.chosen
        if chosen is not None:
            left = [item for item in items if item.nodeid not in chosen]
            turns = {file: turn for turn, file in enumerate(self.run.files)}
            items[:] = sorted(
                (item for item in items if item.nodeid in chosen), key=lambda item: turns[item.nodeid.split("::")[0]]
            )
            config.hook.pytest_deselected(items=left)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if self.coverage:
            self.coverage.switch_context(item.nodeid)
        start = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = round(time.process_time() - start, 4)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
            self._write()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
            self._write()

    def close(self) -> None:
        if self.coverage:
            self.coverage.stop()
            self.coverage.save()
        self._write()

    def _write(self) -> None:
        outside = [
            name
            for name, module in sys.modules.items()
            if (file := getattr(module, "__file__", None)) and not file.startswith(str(self.run.tree))
        ]
        notes = {"seconds": self.seconds, "failed": self.failed, "modules": outside if self.coverage else []}
        self.path.write_text(json.dumps(notes), encoding="utf-8")


def _start_coverage(run: TestRun) -> Any:
    """Measure this process, its forks, and the Python processes that the tests start."""
    import coverage  # not needed when mutants run

    assert run.coverage is not None
    settings = run.tree.with_name(f"{run.tree.name}.coveragerc")
    # a started process measures under the test in whose environment it starts
    settings.write_text(
        "[run]\nparallel = true\n"
        f"data_file = {run.coverage / 'combined'}\n"
        f"source_dirs =\n    {run.tree}\n"
        f"omit =\n    {run.tree}/tests/*\n"
        "patch =\n    _exit\n    fork\n"
        "context = ${PYTEST_CURRENT_TEST-}\n",
        encoding="utf-8",
    )
    os.environ["COVERAGE_PROCESS_START"] = str(settings)
    measured = coverage.Coverage(config_file=str(settings))
    measured.start()
    return measured
