"""Every example, light and dark, as wide as a column and as a page, with 1, 3, 8 and 64 workers: nothing is found.

Palettes do not move anything: a light column and a dark page tell what all four do, but for the nightly run. All are
looked at as they are drawn; TeX sets the first and the last of each example, at night each of them.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES, NIGHTLY, ROOT
from ruamel.yaml import YAML

from tikzgen.probe.look_at_figures import Drawing, drawing_of, look_at
from tikzgen.reading import Reading

SIZES: dict[str, dict[str, Any]] = YAML(typ="safe").load(ROOT / "tests/cases/geometry/matrix.yaml")
LOOKS = list(product(("light", "dark"), ("8.4", "17.8"))) if NIGHTLY else [("light", "8.4"), ("dark", "17.8")]


def test_every_example_has_its_sizes() -> None:
    assert sorted(SIZES) == sorted(example.stem for example in EXAMPLES)


@pytest.mark.tex
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_nothing_is_found_at_any_size(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    facts = SIZES[example.stem]
    workers = [[f"workers={count}"] for count in facts.get("workers", ())] or [[]]
    drawings: list[Drawing] = []
    for (palette, width), number in product(LOOKS, workers):
        settings = [f"palette={palette}", f"width={width}", *number, *facts.get("with", ())]
        drawing = drawing_of(Reading(example, settings, drawn=True))
        assert drawing is not None
        drawings.append(drawing)
    told = set(facts.get("told", ()))
    by_tex = drawings if NIGHTLY else drawings[-1:]
    for looked in (look_at(drawings, engine="none"), look_at(by_tex)):
        found = [str(each) for each in looked.findings if each.code not in told]
        assert (found, looked.errors) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["distributed-training", "parameter-server"])
def test_nothing_more_is_found_where_all_64_are_drawn(name: str) -> None:
    facts = SIZES[name]["all"]
    path = next(example for example in EXAMPLES if example.stem == name)
    drawing = drawing_of(Reading(path, ["width=17.8", f"workers={facts['workers']}"], drawn=True))
    assert drawing is not None
    looked = look_at([drawing], engine="none")
    assert {each.code for each in looked.findings} <= set(facts["told"])
    assert looked.errors == []
