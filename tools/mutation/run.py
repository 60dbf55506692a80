"""A mutation run: copies of the tree, the coverage run, one test run per mutant, stored results."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from mutation.coverage_map import CoverageMap
from mutation.forked_tests import Outcome, TestRun, preload, run_in_forks
from mutation.mutants import Mutant

FIRST_TESTS = 80
"""Tests of the first run of a mutant: of each file the quickest ones. Most mutants are killed there."""
FIRST_FILES = 12
"""Test files of the first run: the collection of a file lasts longer than many of its tests."""
CPU_FACTOR = 5
"""CPU time allowed per second that the tests took under coverage."""
COVERAGE_CPU_S = 900
IGNORED = (".git", ".venv", "build", "dist", "__pycache__", ".*_cache", ".hypothesis", "node_modules")


@dataclass(frozen=True)
class Result:
    """Result of one mutant."""

    id: str
    package: str
    operator: str
    path: str
    line: int
    diff: str
    outcome: str
    """`killed`, `survived`, `equivalent`, or `uncovered`: no test runs the line."""
    by: str
    """The test that failed first, or `timeout`, or `crashed`."""
    tests: int
    """Number of tests that cover the line."""


@dataclass(frozen=True)
class Limits:
    """CPU time of a test run beyond the usual, and the time of all tests of a mutant; 0 for no limit."""

    cpu_s: int
    tests_s: float


class Workspace:
    """The folder of all runs on one state of a tree."""

    def __init__(
        self, root: Path, folder: Path, jobs: int, options: Sequence[str], limits: Limits, left_out: Path | None = None
    ) -> None:
        self.root, self.options, self.limits = root, tuple(options), limits
        self.digest = _digest(root, left_out)
        self.folder = folder
        self.data = folder / f"coverage-{self.digest}"
        self.trees = [folder / f"tree-{number}" for number in range(jobs)]

    @property
    def _results(self) -> str:
        """The beginning of the names of files with results; a quick look has its own."""
        return f"results-{self.digest}" + (f"-most{self.limits.tests_s:g}" if self.limits.tests_s else "-all")

    def copy_tree(self) -> None:
        """Copy the tree once per job: a mutant changes a file there, and never the original."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for tree in self.trees:
            shutil.rmtree(tree, ignore_errors=True)
            shutil.copytree(self.root, tree, symlinks=True, ignore=shutil.ignore_patterns(*IGNORED))
            if (self.root / ".venv").exists():
                (tree / ".venv").symlink_to((self.root / ".venv").resolve())

    def read_coverage(self) -> CoverageMap:
        """Return the coverage of this state of the tree; measure it first if it is not stored."""
        durations = self.data / "durations.json"
        if not durations.exists():
            self._measure_coverage()
        preload(json.loads((self.data / "modules.json").read_text(encoding="utf-8")))
        return CoverageMap(self.data, self.trees[0])

    def _measure_coverage(self) -> None:
        """Run each test file once; skip files with stored notes, so that an interrupted run can continue."""
        parts, notes = self.data / "parts", self.data / "notes"
        for folder in (parts, notes):
            folder.mkdir(parents=True, exist_ok=True)
        files = sorted(path.relative_to(self.root).as_posix() for path in (self.root / "tests").rglob("test_*.py"))

        def runs() -> Iterator[tuple[TestRun, Callable[[Outcome], None]]]:
            for file in files:
                note = notes / f"{Path(file).stem}.json"
                if not note.exists():
                    run = TestRun(self.trees[0], (file,), self.options, COVERAGE_CPU_S, coverage=parts)
                    yield run, partial(self._note_coverage, note)

        run_in_forks(runs(), self.trees)
        outcomes = [Outcome(**json.loads(path.read_text(encoding="utf-8"))) for path in sorted(notes.glob("*.json"))]
        seconds = {test: took for outcome in outcomes for test, took in outcome.seconds.items()}
        failed = sorted(test for outcome in outcomes for test in outcome.failed)
        command = ["combine", "--keep", "-q", f"--data-file={self.data / 'combined'}", str(parts)]
        subprocess.run([sys.executable, "-m", "coverage", *command], check=True)
        shutil.rmtree(parts)
        _write_json(self.data / "modules.json", sorted({name for outcome in outcomes for name in outcome.modules}))
        _write_json(self.data / "failed.json", failed)
        _write_json(self.data / "durations.json", {test: took for test, took in seconds.items() if test not in failed})

    def _note_coverage(self, note: Path, outcome: Outcome) -> None:
        if outcome.end in ("timeout", "crashed"):
            raise SystemExit(
                f"{note.stem}: the coverage run ended with: {outcome.end} (see {self.folder}/*.run/log.txt)"
            )
        _write_json(note, asdict(outcome))

    def results(self) -> dict[str, Result]:
        """Return the stored results of this state of the tree, by mutant; other shards may have written some."""
        found = {}
        for path in sorted(self.folder.glob(f"{self._results}-*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                result = Result(**json.loads(line))
                found[result.id] = result
        return found

    def run(
        self, mutants: Sequence[tuple[Mutant, bytes]], coverage: CoverageMap | None, files: Sequence[str]
    ) -> dict[str, Result]:
        """Run the tests that cover each mutant, or all tests of some files. Store each result immediately."""
        found: dict[str, Result] = {}
        started = time.monotonic()
        stored = self.folder / (f"{self._results}-{os.getpid()}.jsonl" if coverage else "tried.jsonl")
        with stored.open("a", encoding="utf-8") as stream:

            def store(result: Result) -> None:
                found[result.id] = result
                stream.write(json.dumps(asdict(result)) + "\n")
                stream.flush()
                took = time.monotonic() - started
                print(f"{took:6.0f} s  {result.outcome:9} {result.operator:18} {result.path}:{result.line}", flush=True)

            runs = (_MutantRun(self, mutant, source, coverage, tuple(files), store) for mutant, source in mutants)
            run_in_forks(itertools.chain.from_iterable(each.start() for each in runs), self.trees)
        return found


class _MutantRun:
    """The test runs of one mutant: first a few tests, then all others."""

    def __init__(
        self,
        workspace: Workspace,
        mutant: Mutant,
        source: bytes,
        coverage: CoverageMap | None,
        files: tuple[str, ...],
        store: Callable[[Result], None],
    ) -> None:
        self.workspace, self.mutant, self.source, self.store = workspace, mutant, source, store
        self.tests, near = coverage.find_tests(mutant) if coverage else (set(), set())
        seconds = coverage.seconds if coverage else {}
        if coverage:
            batches = _split(self.tests, near, f"tests/{mutant.package}/", seconds, workspace.limits.tests_s)
            self.runs = [self._run(batch, seconds) for batch in batches]
        else:
            self.runs = [replace(self._run([], {}), files=files, chosen=None, cpu_s=COVERAGE_CPU_S)]

    def start(self) -> Iterator[tuple[TestRun, Callable[[Outcome], TestRun | None]]]:
        if self.runs:
            yield self.runs.pop(0), self._finish
        else:
            self._store("uncovered", "")

    def _finish(self, outcome: Outcome) -> TestRun | None:
        if outcome.end == "passed" and self.runs:
            return self.runs.pop(0)
        if outcome.end == "passed":
            self._store("survived", "")
        else:
            self._store("killed", outcome.test or outcome.end)
        return None

    def _run(self, tests: Sequence[str], seconds: dict[str, float]) -> TestRun:
        files = tuple(dict.fromkeys(test.split("::")[0] for test in tests))
        allowed = self.workspace.limits.cpu_s + round(CPU_FACTOR * sum(seconds.get(test, 0) for test in tests))
        change = self.mutant.path, self.mutant.apply(self.source)
        options = (*self.workspace.options, "-x")
        return TestRun(self.workspace.trees[0], files, options, allowed, frozenset(tests), change=change)

    def _store(self, outcome: str, by: str) -> None:
        mutant = self.mutant
        place = mutant.id, mutant.package, mutant.operator, mutant.path, mutant.line
        self.store(Result(*place, mutant.diff(self.source), outcome, by, len(self.tests)))


def _split(tests: set[str], near: set[str], folder: str, seconds: dict[str, float], most_s: float) -> list[list[str]]:
    """Return the tests of the first run and of the second run, with at most `most_s` seconds of tests.

    The near tests are first, then tests in the folder of the mutant's package and goldens, which kill most mutants; of
    each file, the quickest are first.
    """
    turns: dict[str, int] = {}
    ranked = []
    for test in sorted(tests, key=lambda test: (seconds.get(test, 0), test)):
        file = test.split("::")[0]
        turns[file] = turns.get(file, 0) + 1
        is_likely = test.startswith(folder) or "golden" in file
        ranked.append((test not in near, not is_likely, turns[file], seconds.get(test, 0), test))
    ranked.sort()
    sums = itertools.accumulate(took for *_, took, _ in ranked)
    names = [test for (*_, test), total in zip(ranked, sums, strict=True) if not most_s or total <= most_s]
    files = {*[*dict.fromkeys(test.split("::")[0] for test in names)][:FIRST_FILES]}
    first = [test for test in names if test.split("::")[0] in files][:FIRST_TESTS]
    return [each for each in (first, [test for test in names if test not in {*first}]) if each]


def _digest(root: Path, left_out: Path | None) -> str:
    """Return a digest of the files that a test run reads, without the file `left_out`."""
    found = hashlib.sha256()
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if folder.name in IGNORED or folder.name.startswith(".") or folder.name == "docs":
            continue
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path != left_out and "__pycache__" not in path.parts:
                found.update(f"{path.relative_to(root)}:".encode() + path.read_bytes())
    return found.hexdigest()[:12]


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
