"""The workflows for GitHub: least permissions, limits of time, known steps, and the Pythons that are promised."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from ruamel.yaml import YAML

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"actions/[a-z-]+@v\d+|pypa/gh-action-pypi-publish@release/v1")
WRITES = {("release.yml", "publish"): {"id-token": "write"}}
"""Jobs that may write, and what; all others read the contents of the repository."""
SETUP = (
    "apt-get update && apt-get install -y --no-install-recommends ",
    'git config --global --add safe.directory "$GITHUB_WORKSPACE"',
    "python -m pip install ",
    "python -m pytest ",
)
"""Steps that no script of the repository can do: they bring the repository here, or run on Windows."""


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(path)
    return found


JOBS = [(path, name, job) for path in WORKFLOWS for name, job in read(path)["jobs"].items()]
every_job = pytest.mark.parametrize(
    ("path", "name", "job"), JOBS, ids=[f"{path.stem}-{name}" for path, name, _ in JOBS]
)


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.stem for path in WORKFLOWS])
def test_a_workflow_reads_only_and_runs_once_at_a_time(path: Path) -> None:
    found = read(path)
    assert found["permissions"] in ({}, {"contents": "read"})
    assert found["concurrency"]["group"].startswith(path.stem)


@every_job
def test_a_job_has_a_limit_of_time_and_the_least_permissions(path: Path, name: str, job: dict[str, Any]) -> None:
    assert 0 < job["timeout-minutes"] <= 350, "GitHub ends a job after 360 minutes"
    assert job.get("permissions", {"contents": "read"}) == WRITES.get((path.name, name), {"contents": "read"})


@every_job
def test_steps_are_pinned_actions_and_scripts_of_the_repository(path: Path, name: str, job: dict[str, Any]) -> None:
    for step in job["steps"]:
        if "uses" in step:
            assert PINNED.fullmatch(step["uses"]), step["uses"]
            assert step["uses"].partition("@")[0] != "actions/checkout" or step["with"]["persist-credentials"] is False
        else:
            assert "${{" not in step["run"], "expressions are passed as variables: their text may be a command"
            if not step["run"].startswith(SETUP):
                words = step["run"].split()
                script = words[1] if words[0] == ".venv/bin/python" else words[0]
                assert (ROOT / script).exists(), script


def test_every_promised_python_has_a_job() -> None:
    promised = re.search(r'^promised="(.*)"$', (ROOT / "tests" / "versions").read_text(encoding="utf-8"), re.MULTILINE)
    jobs = read(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]
    assert promised is not None
    assert jobs["python"]["strategy"]["matrix"]["python"] == promised[1].split()
    windows = next(
        step["run"] for step in jobs["windows"]["steps"] if step.get("run", "").startswith("python -m pytest")
    )
    assert all([*ROOT.glob(word)] for word in windows.split() if word.startswith("tests/"))


def test_every_shard_of_the_night_has_a_job() -> None:
    shard = read(ROOT / ".github" / "workflows" / "nightly.yml")["jobs"]["shard"]
    numbers = shard["strategy"]["matrix"]["shard"]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert shard["env"]["SHARD"] == f"${{{{ matrix.shard }}}}/{len(numbers)}"
    assert shard["name"].endswith(f" of {len(numbers)}")
