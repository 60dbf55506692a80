"""In the .tex of a recipe that runs something, every cell stands at the time at which it happened, for that long."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from tikzgen import load
from tikzgen.recipe.scheduled import Scheduled

_CELL = re.compile(
    r"\\node\[span=([\d.]+), (?:lanes=\d+, )?([a-z-]+) phase[^\]]*\] \((\w+)-[\w-]+\) at \(([\d.]+),[\d.]+\)"
)


@pytest.mark.parametrize(
    ("example", "settings"),
    [
        ("continuous-batching", ["rows=machines"]),
        ("asynchronous-rollouts", []),
        ("failures", []),
    ],
)
def test_cells_stand_at_their_times(example: str, settings: list[str]) -> None:
    figure = load(ROOT / "examples" / f"{example}.yaml", settings=settings)
    recipe = figure.origin
    assert isinstance(recipe, Scheduled)
    happened = sorted(
        (plan.panel, operation.kind, float(plan.schedule.start(index)), float(operation.duration))
        for plan in recipe.plans()
        for index, operation in enumerate(plan.schedule.program.operations)
    )
    drawn = sorted(
        (panel, phase, float(start), float(lasts))
        for lasts, phase, panel, start in _CELL.findall(figure.tex())
        if phase != "idle"
    )
    assert [each[:2] for each in drawn] == [each[:2] for each in happened]
    for cell, event in zip(drawn, happened, strict=True):
        assert cell[2:] == pytest.approx(event[2:], abs=0.002)
