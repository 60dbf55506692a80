"""Every example, light and dark, as wide as a column and as a page, with 1, 3, 8 and 64 workers: nothing is found.

Palettes do not move anything: a light column and a dark page tell what all four do, but for the nightly run. All are
looked at as they are drawn, by day an eighth of the examples; TeX sets the last of each example, at night each of them.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES, NIGHTLY, ROOT
from ruamel.yaml import YAML

from tikzgen.emit.spec_in_three_stages import SpecReading
from tikzgen.lint.probe.look_at_figures import FigureToProbe, drawing_of, look_at

SIZES: dict[str, dict[str, Any]] = YAML(typ="safe").load(ROOT / "tests/cases/geometry/matrix.yaml")
TURNS = 8
LOOKS = list(product(("light", "dark"), ("8.4", "17.8"))) if NIGHTLY else [("light", "8.4"), ("dark", "17.8")]


def test_every_example_has_its_sizes() -> None:
    assert sorted(SIZES) == sorted(example.stem for example in EXAMPLES)


def drawings(example: Path) -> list[FigureToProbe]:
    """An example in every look with every number of workers."""
    facts = SIZES[example.stem]
    workers = [[f"workers={count}"] for count in facts.get("workers", ())] or [[]]
    found: list[FigureToProbe] = []
    for (palette, width), number in product(LOOKS, workers):
        settings = [f"palette={palette}", f"width={width}", *number, *facts.get("with", ())]
        drawing = drawing_of(SpecReading(example, settings, drawn=True))
        assert drawing is not None
        found.append(drawing)
    return found


@pytest.mark.tex
@pytest.mark.parametrize("turn", range(TURNS if NIGHTLY else 1))
def test_nothing_is_found_at_any_size(turn: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TeX sets what shares its preamble in one run."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    examples = EXAMPLES[turn::TURNS]
    told = {str(example): set(SIZES[example.stem].get("told", ())) for example in examples}
    every = [drawings(example) for example in examples]
    by_tex = [drawing for drawn in every for drawing in (drawn if NIGHTLY else drawn[-1:])]
    for looked in (look_at([drawing for drawn in every for drawing in drawn], engine="none"), look_at(by_tex)):
        found = [str(each) for each in looked.findings if each.code not in told[each.place.file]]
        assert (found, looked.errors) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["distributed-training", *["parameter-server"] * NIGHTLY])
def test_nothing_more_is_found_where_all_64_are_drawn(name: str) -> None:
    facts = SIZES[name]["all"]
    path = next(example for example in EXAMPLES if example.stem == name)
    drawing = drawing_of(SpecReading(path, ["width=17.8", f"workers={facts['workers']}"], drawn=True))
    assert drawing is not None
    looked = look_at([drawing], engine="none")
    assert {each.code for each in looked.findings} <= set(facts["told"])
    assert looked.errors == []
