"""The spec inside a rendered figure: it gives the same file again, and shows whether the file was edited."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import EXAMPLES, SWEPT, written

from tikzgen import load, loads, recipes
from tikzgen.spec.embedded_spec import extract_spec, is_untouched


@pytest.mark.parametrize("example", SWEPT)
def test_the_spec_inside_gives_the_same_file(example: Path) -> None:
    tex = written(example)
    inside = extract_spec(tex)
    assert inside is not None
    again = loads(inside)
    assert again == load(example)
    assert again.tex() == tex


def test_a_saved_figure_is_loaded_again(tmp_path: Path) -> None:
    figure = recipes.parameter_server(workers=5, labels={"captions": {"synchronous": "同步"}})
    figure.save(tmp_path / "fig.tex")
    assert load(tmp_path / "fig.tex").tex() == figure.tex()


@pytest.mark.parametrize(
    ("old", "new"), [("\\begin{tikzpicture}", "\\begin{tikzpicture} "), ("% tikzgen", "%  tikzgen")]
)
def test_an_edit_shows(old: str, new: str) -> None:
    tex = written(EXAMPLES[0])
    assert is_untouched(tex)
    assert not is_untouched(tex.replace(old, new, 1))


def test_a_file_without_a_spec_has_none() -> None:
    assert extract_spec("\\begin{document}x\\end{document}\n") is None
