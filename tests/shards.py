"""Long runs of the tests in parts that can be resumed: the options `--shard K/N` and `--passed FILE`.

Each worker drops the tests of other shards and those that FILE names. The controller adds a test to FILE when it has
passed, so a run that was interrupted goes on with the tests that are left.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

import pytest

__all__ = ["LongRun", "add_options", "read_shard", "shard_of"]

_PASSED = "tikzgen_passed"
"""What the controller hands to its workers: they must collect the same tests, whenever they start."""


def add_options(parser: pytest.Parser) -> None:
    """Declare the options."""
    parser.addoption("--shard", type=read_shard, metavar="K/N", help="run the K-th of N equal parts of the tests")
    parser.addoption("--passed", type=Path, metavar="FILE", help="skip the tests that FILE names; add those that pass")


def read_shard(text: str) -> tuple[int, int]:
    """Return K and N of `K/N`.

    Raises:
        argparse.ArgumentTypeError: K is not a number from 1 to N.
    """
    part, slash, count = text.partition("/")
    if not (slash and part.isdecimal() and count.isdecimal() and 1 <= int(part) <= int(count)):
        raise argparse.ArgumentTypeError(f'expected K/N with K from 1 to N, found "{text}"')
    return int(part), int(count)


def shard_of(test: str, count: int) -> int:
    """Return the shard of a test, from 1 to `count`: it depends on the name alone."""
    return int.from_bytes(hashlib.sha256(test.encode()).digest()) % count + 1


class LongRun:
    """The plugin of one run: it chooses the tests, and records those that pass."""

    def __init__(self, config: pytest.Config) -> None:
        self.shard: tuple[int, int] | None = config.getoption("--shard")
        self.file: Path | None = config.getoption("--passed")
        worker: dict[str, list[str]] | None = getattr(config, "workerinput", None)
        self.passed = set(worker[_PASSED] if worker else self._read())
        self.failed: set[str] = set()
        self.open: TextIO | None = None
        if self.file and not worker:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.open = self.file.open("a", encoding="utf-8", buffering=1)

    def _read(self) -> Iterable[str]:
        return self.file.read_text(encoding="utf-8").splitlines() if self.file and self.file.exists() else ()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: object) -> None:
        """Hand a worker of pytest-xdist the tests that had passed when the run began."""
        node.workerinput[_PASSED] = sorted(self.passed)  # type: ignore[attr-defined]

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the tests of this shard that have not passed yet."""
        due: list[pytest.Item] = []
        others: list[pytest.Item] = []
        for item in items:
            (due if self._is_due(item.nodeid) else others).append(item)
        config.hook.pytest_deselected(items=others)
        items[:] = due

    def _is_due(self, test: str) -> bool:
        mine = self.shard is None or shard_of(test, self.shard[1]) == self.shard[0]
        return mine and test not in self.passed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a test when its last phase has passed, or when it was skipped."""
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "teardown" and report.nodeid not in self.failed and self.open:
            self.open.write(f"{report.nodeid}\n")

    def pytest_unconfigure(self) -> None:
        """Close the file."""
        if self.open:
            self.open.close()
