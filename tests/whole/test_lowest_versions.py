"""The lowest declared releases as pins: each requirement says from where on it holds."""

from __future__ import annotations

import sys

import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "tools"))

from lowest import lowest

PROJECT = (
    '[project]\ndependencies = ["b>=2.1,<3", "a>=1.0.1"]\n[project.optional-dependencies]\nx = ["c>=4"]\ny = ["d"]'
)


def test_pins_are_what_is_declared() -> None:
    assert lowest(PROJECT) == ["a==1.0.1", "b==2.1"]
    assert lowest(PROJECT, "x") == ["a==1.0.1", "b==2.1", "c==4"]


def test_a_requirement_without_a_floor_is_refused() -> None:
    with pytest.raises(SystemExit, match="'d' does not begin"):
        lowest(PROJECT, "y")


def test_every_requirement_of_ours_has_a_floor() -> None:
    assert len(lowest((ROOT / "pyproject.toml").read_text(encoding="utf-8"), "png", "mcp", "test")) > 10
