"""The structure of the code stays within tools/code_budget.json, and the metrics count what they say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from code_metrics import BUDGET, METRICS, measure_code
from conftest import ROOT

FOUND = {
    "modules over 400 lines": ["tikzgen/a/long.py: 401 lines"],
    "folders over 20 modules": ["tikzgen/many: 21 modules"],
    "modules that other packages import": ["tikzgen.a.long", "tikzgen.b"],
    "shared class names": ["Node: tikzgen/a/shapes.py, tikzgen/b/__init__.py"],
    "functions named by a participle": ["tikzgen/a/shapes.py:5 drawn", "tikzgen/a/shapes.py:6 _resolved"],
    "functions named by a noun": [
        "tikzgen/a/shapes.py:5 drawn",
        "tikzgen/a/shapes.py:6 _resolved",
        "tikzgen/a/shapes.py:10 path",
        "tikzgen/a/shapes.py:16 total",
    ],
    "function names in five modules": [f"place: {', '.join(f'tikzgen/many/m{number}.py' for number in range(5))}"],
    "constants without a unit": ["tikzgen/a/shapes.py:7 _GAP"],
    "silent chains": ["tikzgen/a/shapes.py:10 path: shape"],
    "repeated defaults": ["dpi=200: tikzgen/a/shapes.py:5, tikzgen/b/__init__.py:3"],
}
SHAPES = """\
class Node:
    pass


def drawn(dpi=200): ...
def _resolved(): ...
_GAP = 3
_GAP_CM = 3
_SHARE = 0.5  # of the width
def path(shape):
    if shape == "circle":
        return 1
    if shape == "cloud":
        return 2
    return 3
def total(shape):
    if shape in ("circle", "cloud"):
        return 1
    raise ValueError(shape)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a", "b", "many"):
        (tmp_path / "tikzgen" / name).mkdir(parents=True)
    (tmp_path / "tikzgen/a/long.py").write_text("x = ''\n" * 401)
    (tmp_path / "tikzgen/a/shapes.py").write_text(SHAPES)
    (tmp_path / "tikzgen/b/__init__.py").write_text("from tikzgen.a.long import x\nclass Node:\n    dpi: int = 200\n")
    for number in range(21):
        place = "def place(): ...\n" * (number < 5)
        (tmp_path / f"tikzgen/many/m{number}.py").write_text(f"from tikzgen.b import Node\n{place}")
    return tmp_path


def test_the_code_is_within_its_budget() -> None:
    budget = json.loads(BUDGET.read_text(encoding="utf-8"))
    assert {name: found for name, found in measure_code(ROOT).items() if len(found) > budget[name]} == {}
    assert list(budget) == list(METRICS)


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_counts_what_it_says(metric: str, tree: Path) -> None:
    assert measure_code(tree)[metric] == FOUND[metric]
