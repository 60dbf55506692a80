"""A figure has the same bytes from YAML and from Python."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tikzgen import Figure, load, loads, recipes, render

SPECS: list[tuple[str, Any]] = [
    ("recipe: data-parallel\nworkers: 4\n", lambda: recipes.data_parallel(workers=4)),
    (
        "recipe: data-parallel\nworkers: {count: 64, show: 3}\nlabels: {server: PS}\nwidth: 3.25in\n",
        lambda: recipes.data_parallel(workers={"count": 64, "show": 3}, labels={"server": "PS"}, width="3.25in"),
    ),
    (
        "recipe: gradient-accumulation\nsteps: [[2.8, 1/3], [1, 2]]\nlabels: {idle: 空闲}\n",
        lambda: recipes.gradient_accumulation(
            steps=[[2.8, Fraction(1, 3)], [1, 2]],
            labels={"idle": "空闲"},
        ),
    ),
    (
        "recipe: parameter-server\nmodes: [asynchronous]\nrounds: 2\nlabels: {rule: !tex '$w$'}\n",
        lambda: recipes.parameter_server(modes=["asynchronous"], rounds=2, labels={"rule": {"tex": "$w$"}}),
    ),
]
SCHEDULES: list[tuple[str, Any]] = [
    (
        "recipe: pipeline\nschedule: zb-h1\nforward: 1/3\nlabels: {device: !tex 'GPU~{n}'}\n",
        lambda: recipes.pipeline(schedule="zb-h1", forward=Fraction(1, 3), labels={"device": {"tex": "GPU~{n}"}}),
    ),
    ("recipe: ddp\noverlap: [false, true]\n", lambda: recipes.ddp(overlap=[False, True])),
    ("recipe: fsdp\nbackward: 4\nprefetch: 2\n", lambda: recipes.fsdp(backward=4, prefetch=2)),
    ("recipe: ring-all-reduce\nranks: 3\n", lambda: recipes.ring_all_reduce(ranks=3)),
    ("recipe: local-sgd\nstep: [1, 2]\nworkers: 2\n", lambda: recipes.local_sgd(step=[1, 2], workers=2)),
    ("recipe: stale-synchronous\nbound: null\n", lambda: recipes.stale_synchronous(bound=None)),
]


def name(spec: Any) -> str:
    return "" if callable(spec) else spec.split("\n")[0]


@pytest.mark.parametrize(("yaml", "python"), [*SPECS, *SCHEDULES], ids=name)
def test_yaml_and_python_give_the_same_bytes(yaml: str, python: Any) -> None:
    assert render(loads(yaml)) == render(python())


@pytest.mark.parametrize(("yaml", "python"), SCHEDULES, ids=name)
def test_a_figure_of_a_recipe_carries_its_short_form(yaml: str, python: Any) -> None:
    assert '"recipe"' in render(loads(yaml)).tex


@pytest.mark.parametrize("recipe", ["parameter-server", "rollouts", "serving"])
def test_a_figure_from_the_fields_of_another_is_drawn_as_its_file_is(recipe: str, tmp_path: Path) -> None:
    """Its labels kept the fields of the recipe that it no longer has: macros had other names than those of its file."""
    copied = Figure.model_validate({**loads(f"recipe: {recipe}\nwidth: 17.8\n").__dict__})
    path = tmp_path / "fig.tex"
    path.write_text(copied.tex(), encoding="utf-8")
    assert load(path).tex() == copied.tex()
