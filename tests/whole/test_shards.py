"""A long run in parts: every test is in one shard, and a resumed run leaves out what has passed."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NIGHTLY, ROOT
from shards import read_shard, shard_of

SUITE = """
import pytest
from pathlib import Path

@pytest.mark.parametrize("number", range(12))
def test_number(number):
    if number == 7 and not Path("repaired").exists():
        raise AssertionError

def test_skipped():
    pytest.skip("never here")

@pytest.fixture
def broken():
    yield
    assert Path("repaired").exists()

def test_with_a_broken_teardown(broken):
    pass
"""
CONFTEST = """
from shards import LongRun, add_options

def pytest_addoption(parser):
    add_options(parser)

def pytest_configure(config):
    config.pluginmanager.register(LongRun(config))
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A folder with fourteen tests of which two fail until there is a file `repaired`."""
    (tmp_path / "test_suite.py").write_text(SUITE)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {ROOT / 'tests'}\naddopts = -q -p no:cacheprovider\n")
    return tmp_path


def run(suite: Path, *options: str) -> tuple[int, str]:
    """Run these tests in a process of their own; return its status and the counts of its last line."""
    command = [sys.executable, "-m", "pytest", "-p", "xdist.plugin", *options]
    env = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # loading the others takes most of the time
    done = subprocess.run(command, cwd=suite, env=env, capture_output=True, text=True, check=False)
    counts = done.stdout.strip().splitlines()[-1].partition(" in ")[0].split(", ")
    return done.returncode, ", ".join(count for count in counts if "deselected" not in count)


@pytest.mark.parametrize(("text", "shard"), [("1/1", (1, 1)), ("3/8", (3, 8)), ("8/8", (8, 8))])
def test_a_shard_is_read(text: str, shard: tuple[int, int]) -> None:
    assert read_shard(text) == shard


@pytest.mark.parametrize("text", ["", "3", "0/8", "9/8", "a/b", "1/", "-1/2", "1/2/3"])
def test_a_wrong_shard_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected K/N with K from 1 to N"):
        read_shard(text)


def test_shards_have_equal_shares() -> None:
    shards = [shard_of(f"tests/test_any.py::test_number[{number}]", 8) for number in range(4000)]
    assert {shards.count(shard) for shard in range(1, 9)} <= set(range(440, 561))


@pytest.mark.slow
def test_every_test_is_in_one_shard(suite: Path) -> None:
    parts = [suite / f"{part}.txt" for part in (1, 2, 3)]
    (suite / "repaired").touch()
    for part, file in enumerate(parts, 1):
        assert run(suite, "--shard", f"{part}/3", "--passed", str(file))[0] == 0
    names = [name for file in parts for name in file.read_text().split()]
    assert len(names) == len(set(names)) == 14


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["2", *["0"] * NIGHTLY])
def test_a_second_run_tries_what_has_not_passed(suite: Path, workers: str) -> None:
    options = ["--passed", "build/passed.txt", "-n", workers]
    assert run(suite, *options) == (1, "1 failed, 12 passed, 1 skipped, 1 error")
    assert run(suite, *options) == (1, "1 failed, 1 passed, 1 error")
    (suite / "repaired").touch()
    assert run(suite, *options) == (0, "2 passed")
    assert run(suite, *options)[0] == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.slow
def test_a_nightly_run_continues(suite: Path) -> None:
    """As of its second run there is a file of tests that have passed: pytest must not take it for a folder of tests."""
    (suite / "tests").mkdir()
    for name in ("test_suite.py", "conftest.py"):
        (suite / name).rename(suite / "tests" / name)
    with (suite / "pytest.ini").open("a") as settings:
        settings.write("testpaths = tests\n")
    shutil.copy(ROOT / "tests" / "nightly", suite / "tests")
    (suite / "tests" / "run").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pytest -p no:xdist "$@"\n')
    (suite / "tests" / "run").chmod(0o755)
    command = [suite / "tests" / "nightly", "-k", "number"]
    assert subprocess.run(command, capture_output=True).returncode == 1
    (suite / "repaired").touch()
    assert subprocess.run(command, capture_output=True).returncode == 0
