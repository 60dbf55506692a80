"""Every example's file and metadata: the same digests, and goldens of each kind to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ACCEPT, EXAMPLES, ROOT, example_tex
from pictures.goldens import pending_goldens, sections_of, stray_goldens

from tikzgen.serve.pictures.compare import DrawnSide

CASES = ROOT / "tests" / "cases"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_rendered_as_reviewed(example: Path) -> None:
    made = example_tex(example.stem)
    drawn = DrawnSide(made.read_text("utf-8"), made.with_suffix(".meta.json").read_text("utf-8"))
    pending = pending_goldens(ROOT, {f"examples/{example.stem}": drawn}, received=False)
    assert not pending, "\n".join([ACCEPT, *(f"{each.slot}\n{each.difference}" for each in pending)])


def test_no_golden_is_of_an_example_that_is_gone() -> None:
    assert not stray_goldens(ROOT), ACCEPT


@pytest.mark.parametrize(
    ("file", "cases"),
    [
        ("source.txt", "source/*.tex"),
        ("tex/errors.txt", "tex/errors/*"),
        ("tex/logs.txt", "tex/logs/*.log"),
        ("templates.txt", "templates/*.tex.j2"),
    ],
)
def test_every_section_is_of_a_case(file: str, cases: str) -> None:
    names = {path.name.removesuffix(".tex.j2") for path in CASES.glob(cases)}
    assert set(sections_of(CASES / file)) == {name.rpartition(".")[0] or name for name in names}
