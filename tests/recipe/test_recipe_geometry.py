"""Every recipe with 1 to 64 of what it counts, as wide as a column and as a page, with long, Chinese and mathematical
labels: nothing is found in what it draws, but for what is listed."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from conftest import NIGHTLY, ROOT, some
from ruamel.yaml import YAML

from tikzgen import loads
from tikzgen.base.cache import Cache
from tikzgen.base.errors import SpecError
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.recipe.recipe_names import NAMES, NEEDS

FACTS: dict[str, dict[str, Any]] = YAML(typ="safe").load(ROOT / "tests/cases/geometry/recipes.yaml")
TOLD: list[str] = FACTS["told"]["figures"]
REFUSED: list[str] = FACTS["told"]["too wide"]
COUNTS = (1, 3, 8, 64)
WIDTHS = (8.4, 17.8)
WORDS = {
    "plain": ("", ""),
    "long": ("Accelerator {n} in rack seven", "Accelerator in rack seven"),
    "zh": ("图形处理器{n}", "图形处理器"),
    "math": (r"$G_{n}^{\mathrm{dev}}$", r"$\nabla\theta$"),
}


def spec(recipe: str, count: int, width: float, words: str, more: str = "") -> str:
    facts = FACTS["recipes"][recipe]
    least, most = facts.get("least", 1), facts.get("most", 64)
    counts = "".join(f"{name}: {min(max(count * factor, least), most)}\n" for name, factor in facts["counts"].items())
    named, said = WORDS[words]
    labels = [f"  {name}: '{named}'\n" for name in facts.get("named", ("device",))]
    labels += [f"  {name}: '{said}'\n" for name in facts.get("said", ())]
    language = "language: zh\n" if words == "zh" else ""
    return f"recipe: {recipe}\n{counts}width: {width}\n{more}{language}" + (
        f"labels:\n{''.join(labels)}" if words != "plain" and labels else ""
    )


def findings(text: str) -> list[str] | None:
    """What is found in a figure; nothing where it is refused as too wide."""
    try:
        tex = loads(text).tex()
    except SpecError as refused:
        assert "does not fit" in str(refused)
        return None
    return [f"{each.code} {each.message}" for each in judge_figure("fig", tex, text, Cache(None)).findings]


def tried(words: str) -> list[tuple[int, float]]:
    """Counts and widths: with each kind of words each count at one of the widths, nightly at both."""
    turn = [*WORDS].index(words)
    every = product(enumerate(COUNTS), enumerate(WIDTHS))
    return [(count, width) for (row, count), (column, width) in every if NIGHTLY or (turn + row + column) % 2 == 0]


def test_every_recipe_is_swept() -> None:
    assert sorted(FACTS["recipes"]) == sorted(name for name in NAMES if name not in NEEDS)


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        pytest.param(*case, marks=[pytest.mark.slow] * (place % 58 != 0))
        for place, case in enumerate(product(FACTS["recipes"], WORDS))
    ],
)
def test_nothing_is_found_in_any_recipe(recipe: str, words: str) -> None:
    wrong, refused = [], []
    for count, width in tried(words):
        name = f"{recipe} {count} {width} {words}"
        found = findings(spec(recipe, count, width, words))
        if found is None:
            refused.append(name)
        elif found:
            wrong.append(name)
    names = [f"{recipe} {count} {width} {words}" for count, width in tried(words)]
    assert wrong == [name for name in TOLD if name in names]
    assert refused == [name for name in REFUSED if name in names]


@pytest.mark.slow
@pytest.mark.parametrize("look", ["palette: dark\n", "style: plain\n"])
@pytest.mark.parametrize("recipe", FACTS["recipes"])
def test_dark_and_grey_recipes_have_no_findings(recipe: str, look: str) -> None:
    for width in WIDTHS:
        found = findings(spec(recipe, 3, width, "plain", look))
        told = f"{recipe} 3 {width:g} {look.split()[1]}" in FACTS["told"]["looks"]
        assert bool(found) is told, found


PROTOCOLS = ["two-phase-commit", "paxos", "raft-election", "raft-replication", "all-reduce"]


@pytest.mark.parametrize("recipe", some(PROTOCOLS))
def test_protocols_are_clear_in_both_directions(recipe: str) -> None:
    for direction, width in product(("right", "down"), WIDTHS):
        assert findings(f"recipe: {recipe}\ndirection: {direction}\nwidth: {width}\n") == []


@pytest.mark.slow
@pytest.mark.parametrize("figure", [*REFUSED, *["parameter-server 8 4.5 plain"] * NIGHTLY, "raft-election 8 6.5 long"])
def test_what_a_refusal_names_is_drawn(figure: str) -> None:
    recipe, count, width, words = figure.split()
    text = spec(recipe, int(count), float(width), words)
    with pytest.raises(SpecError) as refused:
        loads(text).tex()
    ways = re.findall(r"a width of ([0-9.]+) cm|([a-z]+): ([0-9]+)", str(refused.value).partition("cm (")[2])
    assert ways
    for wide, name, number in ways:
        field, value = (name, number) if name else ("width", wide)
        loads(re.sub(rf"(?m)^{field}: .*\n|\Z", f"{field}: {value}\n", text, count=1)).tex()


@pytest.mark.parametrize("width", WIDTHS)
def test_fractions_are_legible(width: float) -> None:
    texts = r"gradient: '$\frac{\partial L}{\partial w}$', weight: '$w-\alpha\frac{a}{b}$', batch: '$\frac{1}{N}$'"
    assert findings(f"recipe: data-parallel\nwidth: {width}\nfont: {{size: 6}}\nlabels: {{{texts}}}\n") == []


@pytest.mark.parametrize(("workers", "direction"), [(1, "right"), (2, "up"), (3, "up")])
def test_lanes_of_a_wide_parameter_server_are_longer_than_thick(workers: int, direction: str) -> None:
    figure = loads(f"recipe: parameter-server\nworkers: {workers}\nwidth: 17.8\n")
    assert [part.direction for _, _, part in figure.parts(Timeline)] == [direction, direction]


@pytest.mark.parametrize("width", WIDTHS)
def test_one_replica_is_no_wider_than_what_is_in_it(width: float) -> None:
    tex = loads(f"recipe: 3d-parallel\ndata: 1\nwidth: {width}\n").tex()
    assert width > 15 or not re.search(r"\\def\\colsep\b", tex)  # in a column, nothing is side by side
    assert width < 15 or r"\def\colsep{0.5}" in tex
