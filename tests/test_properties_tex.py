"""Real TeX: figures of every kind with odd labels compile as planned, with every engine."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache

import pytest
import strategies
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from tikzgen import Figure, SpecError
from tikzgen.icons import wanted
from tikzgen.layout import layout
from tikzgen.plane.units import CM_PER_PT
from tikzgen.tex.compile import compile_tex
from tikzgen.tex.pdf import page_size

pytestmark = pytest.mark.tex

COUNT = 24
OTHER_ENGINES = 4


KINDS = (
    strategies.topology_figures(),
    strategies.timeline_figures(),
    strategies.topology_figures(2),
    strategies.recipe_figures,
)


def planned(figure: Figure) -> tuple[float, float]:
    """Width and height in cm."""
    scene = layout(figure, wanted(figure))
    values = {p.name: float(p.value) for p in scene.parameters if p.type == "length-cm"}
    return scene.extent.width(values), scene.extent.height(values)


def drawn(kind: SearchStrategy[Figure], count: int) -> list[Figure]:
    """The same figures of a kind every time; plain ones, which Hypothesis draws first, are left out."""
    found: list[Figure] = []

    @settings(
        max_examples=8 * count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(kind)
    def draw(figure: Figure) -> None:
        with suppress(SpecError):
            planned(figure)  # what is larger than TeX's dimensions is refused
            found.append(figure)

    draw()
    return sorted(found, key=lambda figure: -len(repr(figure)))[: 4 * count : 4]


@cache
def figures() -> list[Figure]:
    """All kinds by turns."""
    return [
        figure for group in zip(*(drawn(kind, COUNT // len(KINDS)) for kind in KINDS), strict=True) for figure in group
    ]


def failures(drawn: list[Figure], engine: str) -> Iterator[str]:
    """One line for each figure that fails to compile, lacks a character, or is not as large as planned."""

    def fault(figure: Figure) -> str:
        source = figure.tex()
        try:
            done = compile_tex(source, engine=engine)
        except Exception as error:  # the figure is what a reader needs, whatever went wrong
            return f"{error}"
        if done.missing_characters:
            return f"missing characters: {done.missing_characters}"
        wish = planned(figure)
        found = tuple(size * CM_PER_PT for size in page_size(done.pdf))
        # how large raw TeX is, is not known before
        open_ended = "Tex(" in repr(figure)
        beyond = [size - want for size, want in zip(found, wish, strict=True)]
        if min(beyond) < -0.05 or (max(beyond) > 0.05 and not open_ended):
            return f"planned {wish[0]:.2f} x {wish[1]:.2f} cm, found {found[0]:.2f} x {found[1]:.2f} cm"
        return ""

    with ThreadPoolExecutor(2) as pool:
        for figure, message in zip(drawn, pool.map(fault, drawn), strict=True):
            if message:
                yield f"{message}\n{figure!r}"


def test_figures_compile_as_planned() -> None:
    assert len(figures()) == COUNT
    assert not list(failures(figures(), "pdflatex"))


@pytest.mark.parametrize("engine", ["xelatex", "lualatex"])
def test_other_engines_set_the_same_figures(engine: str) -> None:
    assert not list(failures(figures()[:OTHER_ENGINES], engine))
