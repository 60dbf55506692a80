"""Random figures, in both palettes, stand where pdfTeX puts everything."""

from __future__ import annotations

from collections.abc import Callable
from math import dist
from pathlib import Path

import pytest
from conftest import NIGHTLY, scaled
from drawn_ink import GLYPH, PAGE, POINT, STILL, compare, ink_of, nearest_of
from hypothesis import HealthCheck, given, settings
from pdf_ink import TexInk
from random_drawings import KEPT, Kept, body, kept, mean, packed, random_formulas, random_sources, set_by_tex
from strategies import figures

from tikzgen import Figure, SpecError, loads, render
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.recipe.recipe_names import NAMES

_ROUNDED = 0.004  # pt: what is kept is rounded


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 6))])
def test_random_figures_stand_where_pdftex_put_them(part: int) -> None:
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
    """A tenth of them, in both palettes; all in the nightly run."""
    sources = [*random_sources(scaled(150))[0], *random_formulas(2 * scaled(150))[0]]
    for source, ink in set_by_tex(sources, tmp_path).items():
        compare(draw(source), ink)


@pytest.mark.tex
def test_pdftex_still_puts_kept_figures_there(tmp_path: Path, golden: Callable[[Path, bytes], None]) -> None:
    """A tenth of them; all in the nightly run. If the file of kept figures is deleted, others are drawn."""
    figures = kept()[:: 1 if NIGHTLY else 10] if KEPT.exists() else []
    sources = [each.source for each in figures] or [*random_sources(150)[0], *random_formulas(300)[0]]
    inks = set_by_tex(sources, tmp_path)
    if not (figures and all(is_still_there(each, inks[each.source]) for each in figures)):
        golden(KEPT, packed(inks))


def is_still_there(figure: Kept, tex: TexInk) -> bool:
    apart = max(abs(one - other) for one, other in zip(tex.size, figure.size, strict=True))
    apart = max(apart, dist(mean(tex.glyphs), figure.mean))
    apart = max(apart, nearest_of(figure.glyphs, tex.glyphs), nearest_of(figure.points, tex.points))
    return (len(tex.glyphs), len(tex.points)) == figure.counts and apart <= STILL + _ROUNDED


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
