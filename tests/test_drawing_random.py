"""Random figures, in both palettes, stand where pdfTeX puts everything."""

from __future__ import annotations

import os
from math import dist
from pathlib import Path

import pytest
from conftest import NIGHTLY, scaled
from drawn_ink import ink_of, nearest_of
from hypothesis import HealthCheck, given, settings
from random_drawings import KEPT, body, keep, kept, mean, random_formulas, random_sources, set_by_tex
from strategies import figures
from test_drawing import GLYPH, PAGE, POINT, compare

from tikzgen import Figure, SpecError, loads, render
from tikzgen.drawing.draw_tex import draw
from tikzgen.drawing.refused import Unsupported
from tikzgen.recipe.recipe_names import NAMES

_ROUNDED = 0.004  # pt: what is kept is rounded


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 6))])
def test_random_figures_stand_where_pdftex_put_them(part: int) -> None:
    """Those of which pdfTeX's numbers are kept: `TIKZGEN_ACCEPT=1` has it draw others."""
    figures = kept()
    assert len(figures) >= 320
    for figure in figures[part::6]:
        ours = ink_of(draw(figure.source))
        assert max(abs(one - other) for one, other in zip(ours.size, figure.size, strict=True)) <= PAGE
        assert len(ours.glyphs) == figure.counts[0]
        assert dist(mean(ours.glyphs), figure.mean) <= GLYPH
        assert nearest_of(figure.glyphs, ours.glyphs) <= GLYPH + _ROUNDED
        assert nearest_of(figure.points, ours.points) <= POINT + _ROUNDED


@pytest.mark.tex
def test_pdftex_puts_random_figures_where_they_are_drawn(tmp_path: Path) -> None:
    """A twentieth of them, in both palettes; all in the nightly run. `TIKZGEN_ACCEPT=1` has what is kept set again."""
    accept = os.environ.get("TIKZGEN_ACCEPT") == "1"
    sources = [figure.source for figure in kept()] if accept and KEPT.exists() else []
    if not sources:
        count = 150 if accept else scaled(150)
        sources = [*random_sources(count)[0], *random_formulas(2 * count)[0]]
    inks = set_by_tex(sources, tmp_path)
    for source, ink in inks.items():
        compare(draw(source), ink)
    if accept:
        keep(inks)


@pytest.mark.tex
def test_pdftex_puts_recipes_where_they_are_drawn(tmp_path: Path) -> None:
    """All but traces, which have examples, in both palettes; an eighth of them in any run but the nightly."""
    plain = [name for name in NAMES if name != "trace"][:: 1 if NIGHTLY else 8]
    figures = [loads(f"recipe: {name}\npalette: {palette}\n") for name in plain for palette in ("light", "dark")]
    for source, ink in set_by_tex([body(figure) for figure in figures], tmp_path).items():
        compare(draw(source), ink)


@pytest.mark.tex
def test_random_formulas_are_exact_or_refused(tmp_path: Path) -> None:
    sources, refused = random_formulas(scaled(1000))
    for source, ink in set_by_tex(sources, tmp_path).items():
        compare(draw(source), ink)
    assert all(reason.startswith("the text ") for reason in refused.values())


@pytest.mark.slow
@settings(max_examples=scaled(300), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(figures)
def test_the_dark_palette_moves_nothing(figure: Figure) -> None:
    try:
        light, dark = (draw(render(figure.model_copy(update={"palette": each})).tex) for each in ("light", "dark"))
    except (SpecError, Unsupported):
        return
    one, other = ink_of(light), ink_of(dark)
    assert (one.size, one.glyphs) == (other.size, other.glyphs)
    assert one.points == other.points[4:]  # behind all of it is the dark paper
