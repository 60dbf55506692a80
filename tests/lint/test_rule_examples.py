"""Each rule of `check` has a figure that breaks it alone, and one that breaks none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run
from conftest import ROOT

RULES = sorted(
    path for path in (ROOT / "tests" / "cases" / "rules").glob("TG*") if not path.name.endswith(".meta.json")
)
OPTIONS = {"TG117": ["--schedule", "1f1b"]}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.tex] * path.name.startswith("TG3"), id=path.name.rpartition(".")[0])
        for path in RULES
    ],
)
def test_a_bad_example_breaks_its_rule_alone_and_a_good_one_none(path: Path) -> None:
    """The examples of docs/reference/rules.md."""
    code, kind, _ = path.name.split(".")
    options = ["--geometry", "--width", "8.4"] if code.startswith("TG3") else OPTIONS.get(code, [])
    done = run("check", str(path), *options, "--format", "json")
    found = json.loads(done.out)
    assert found["errors"] == []
    assert {each["code"] for each in found["findings"]} == ({code} if kind == "bad" else set())
