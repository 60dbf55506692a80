"""Random figures, in both palettes, stand where pdfTeX puts everything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import scaled
from drawn_ink import ink_of, nearest_of
from random_drawings import keep, kept, random_sources, set_by_tex
from test_drawing import GLYPH, PAGE, POINT, compare

from tikzgen.drawing.draw_tex import draw

_ROUNDED = 0.004  # pt: what is kept is rounded


@pytest.mark.parametrize("part", range(6))
def test_random_figures_stand_where_pdftex_put_them(part: int) -> None:
    """Those of which pdfTeX's numbers are kept: `TIKZGEN_ACCEPT=1` has it draw others."""
    figures = kept()
    assert len(figures) >= 90
    for figure in figures[part::6]:
        ours = ink_of(draw(figure.source))
        assert max(abs(one - other) for one, other in zip(ours.size, figure.size, strict=True)) <= PAGE
        assert len(ours.glyphs) == figure.counts[0]
        assert nearest_of(figure.glyphs, ours.glyphs) <= GLYPH + _ROUNDED
        assert nearest_of(figure.points, ours.points) <= POINT + _ROUNDED


@pytest.mark.tex
def test_pdftex_puts_random_figures_where_they_are_drawn(tmp_path: Path) -> None:
    """A tenth of them; all in the nightly run, and where they are to be kept."""
    accept = os.environ.get("TIKZGEN_ACCEPT") == "1"
    sources, _ = random_sources(300 if accept else scaled(300))
    inks = set_by_tex(sources, tmp_path)
    for source, ink in inks.items():
        compare(draw(source), ink)
    if accept:
        keep(inks)
