"""What hands do to a topology, and what check says of it, without TeX: `tests/cases/lint/` holds figure and edits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run
from conftest import ROOT
from ruamel.yaml import YAML

CASES = ROOT / "tests" / "cases" / "lint"
EDITS: list[dict[str, str]] = YAML(typ="safe").load(CASES / "topology.yaml")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The codes of what is found in each file, by its name."""
    folder, base = tmp_path_factory.mktemp("lint"), (CASES / "topology.tex").read_text()
    (folder / "base.tex").write_text(base)
    for number, edit in enumerate(EDITS):
        assert base.count(edit["find"]) == 1, edit
        (folder / f"{number}.tex").write_text(base.replace(edit["find"], edit["put"]))
    answer = json.loads(run("check", str(folder), "--geometry", "--engine", "none", "--format", "json").out)
    codes: dict[str, set[str]] = {}
    for each in answer["findings"]:
        codes.setdefault(Path(each["file"]).stem, set()).add(each["code"])
    return codes


def test_the_figure_itself_has_no_fault(found: dict[str, set[str]]) -> None:
    assert "base" not in found
    assert len(EDITS) == 24


@pytest.mark.parametrize("number", range(len(EDITS)), ids=[edit["case"] for edit in EDITS])
def test_the_edit_is_told(found: dict[str, set[str]], number: int) -> None:
    assert EDITS[number]["code"] in found.get(str(number), set())
