"""A description is read, expanded and drawn once, however many ask for it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from command import run
from conftest import EXAMPLES, some

from tikzgen import check, load
from tikzgen.base.errors import SpecError
from tikzgen.compile.produce import Settings
from tikzgen.lint.check_figure import check_read
from tikzgen.probe.look_at_figures import Drawing, drawing_of
from tikzgen.probe.probing import Probed
from tikzgen.read_once import Reading
from tikzgen.watch.making import Studio

STEPS = ("tikzgen.specfile.source.read_text", "tikzgen.loading.described", "tikzgen.loading.expanded")
STEPS += ("tikzgen.tikz.render_figure.render",)
BROKEN = "recipe: pipeline\noperations:\n- [0B0, 0F0]\n- [0F0, 0B0]\n"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each step is taken."""
    found: Counter[str] = Counter()

    def counting(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            found[name] += 1
            return step(*given, **named)

        return counted

    for step in STEPS:
        home, _, name = step.rpartition(".")
        taken = getattr(import_module(home), name)
        noted = counting(name, taken)
        for module in [each for known, each in sys.modules.items() if known.startswith("tikzgen.")]:
            if vars(module).get(name) is taken:
                monkeypatch.setattr(module, name, noted)
    return found


@pytest.fixture
def untyped(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would go to TeX, which sets nothing here."""
    seen: list[str] = []

    def probe(sources: list[str], **_: object) -> list[Probed]:
        seen.extend(sources)
        return [Probed()] * len(sources)

    monkeypatch.setattr("tikzgen.probe.look_at_figures.probe", probe)
    return seen


@pytest.mark.tex
@pytest.mark.parametrize("example", ["distributed-training", "gradient-accumulation", "zero-bubble"])
def test_check_with_geometry_reads_a_spec_once(example: str, counted: Counter[str], untyped: list[str]) -> None:
    path = next(each for each in EXAMPLES if each.stem == example)
    assert run("check", "--geometry", str(path)).status == 0
    assert counted == {"read_text": 1, "described": 1, "expanded": 1, "render": 1}
    assert untyped == [load(path).tex()]


@pytest.mark.parametrize("allow_invalid", [False, True])
@pytest.mark.parametrize("example", some(["distributed-training", "zero-bubble"]))
def test_a_save_that_is_watched_is_read_once(
    example: str, allow_invalid: bool, counted: Counter[str], untyped: list[str]
) -> None:
    path = next(each for each in EXAMPLES if each.stem == example)
    reading = Reading(path)

    studio = Studio(Settings(), allow_invalid, geometry=True)
    source = studio.source(reading)
    studio.look(reading, source)
    pipeline = "recipe: pipeline" in path.read_text(encoding="utf-8")
    times = 2 if allow_invalid and pipeline else 1  # as it is drawn, and as the rules look at it
    assert counted == {"read_text": 1, "described": times, "expanded": times, "render": times}
    assert source == load(path, settings=["allow_invalid=true"] * (times - 1)).tex()


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_whoever_asks_gets_what_reading_alone_gives(example: Path) -> None:
    reading = Reading(example, ["palette=dark"])
    figure = load(example, settings=["palette=dark"])
    assert check_read(reading) == check(example, settings=["palette=dark"])
    drawing = drawing_of(reading)
    assert isinstance(drawing, Drawing)
    assert (reading.figure, drawing.source) == (figure, figure.tex())


def test_what_is_wrong_is_told_to_everybody(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("recipe: data-parallel\nworkers: none\n", encoding="utf-8")
    reading = Reading(path)
    for _ in range(2):
        with pytest.raises(SpecError, match="workers"):
            check_read(reading)


def test_a_schedule_that_is_asked_for_counts_for_the_rules_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(BROKEN, encoding="utf-8")
    reading = Reading(path)
    assert check_read(reading, schedule="1f1b") == check(path, schedule="1f1b")
    assert check_read(reading) == check(path)
    assert reading.settings == ()
