"""Real TeX: figures of every kind with odd labels compile as planned, with every engine, and texts in every place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any, get_type_hints

import pytest
import strategies
from conftest import ENGINES, NIGHTLY, ROOT, scaled
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy
from papers import as_pages
from pypdfium2 import PdfDocument

from tikzgen import Figure, SpecError, loads
from tikzgen.base.errors import LatexError
from tikzgen.base.plane.units import CM_PER_PT, PT_PER_BP
from tikzgen.compile.pdf import page_size
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.failures import lost_characters
from tikzgen.layout import layout
from tikzgen.model.figure_options import Measured
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.operations import Operation
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Part
from tikzgen.text.label_types import is_text

pytestmark = pytest.mark.tex

COUNT = 240 if NIGHTLY else 8
OTHER_ENGINES = scaled(40)
LABELS = 3000 if NIGHTLY else 60
EVERYWHERE = (ROOT / "tests" / "cases" / "text" / "everywhere.yaml").read_text(encoding="utf-8")
PLACES = EVERYWHERE.count(" TEXT")

KINDS = (
    strategies.topology_figures(),
    strategies.timeline_figures(),
    strategies.topology_figures(2),
    strategies.recipe_figures,
)


drawing = settings(database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))


def planned(figure: Figure) -> tuple[float, float]:
    """Width and height in cm."""
    scene = layout(figure, icons_of_figure(figure))
    values = {p.name: float(p.value) for p in scene.parameters if p.type == "length-cm"}
    return scene.extent.measure_width(values), scene.extent.measure_height(values)


def drawn(kind: SearchStrategy[Figure], count: int) -> list[Figure]:
    """Figures of a kind, the same ones but for the nightly run; plain ones, which are drawn first, are left out."""
    found: list[Figure] = []

    @settings(drawing, max_examples=count * 4)
    @given(kind)
    def draw(figure: Figure) -> None:
        with suppress(SpecError):
            planned(figure)  # what is larger than TeX's dimensions is refused
            found.append(figure)

    draw()
    return sorted(found, key=lambda figure: -len(repr(figure)))[: 2 * count : 2]


@cache
def figures() -> list[Figure]:
    """All kinds by turns."""
    return [
        figure for group in zip(*(drawn(kind, COUNT // len(KINDS)) for kind in KINDS), strict=True) for figure in group
    ]


def around(source: str, line: int | None, reach: int = 4) -> str:
    """The lines of a .tex around one that is named, with their numbers."""
    numbered = enumerate(source.split("\n"), 1)
    near = [(number, text) for number, text in numbered if line is not None and abs(number - line) <= reach]
    return "\n".join(f"{'>' if number == line else ' '}{number:5} {text[:200]}" for number, text in near)


def fault(figure: Figure, engine: str) -> str:
    """What is wrong with a figure as it is set, and where: it does not compile, lacks a character, or has another size.

    Nothing where all is well; the last line is the figure, as a spec.
    """
    source = figure.tex()
    try:
        done = compile_tex(source, engine=engine)
        lost = lost_characters(done.log)
        wish = planned(figure)
        found = tuple(size * CM_PER_PT for size in page_size(done.pdf))
    except Exception as error:  # the figure is what a reader needs, whatever went wrong
        trail = "".join(f", in {macro}" for macro in getattr(error, "trail", ()))
        told = f"{type(error).__name__}: {error}{trail}", around(source, getattr(error, "line", None))
    else:
        lines = source.split("\n")
        if lost:
            holds = (number for number, text in enumerate(lines, 1) if chr(lost[0].code) in text)
            told = f"missing characters: {', '.join(map(str, lost))}", around(source, next(holds, None), 0)
        elif not is_near(found, wish):
            canvas = (number for number, text in enumerate(lines, 1) if "% the page" in text)
            size = f"planned {wish[0]:.2f} x {wish[1]:.2f} cm, found {found[0]:.2f} x {found[1]:.2f} cm"
            told = size, around(source, next(canvas, None))
        else:
            return ""
    return "\n".join((f"{engine}: {told[0]}", told[1], figure.model_dump_json(exclude_defaults=True)))


def compiles(drawn: list[Figure], engine: str) -> None:
    """No figure has a fault; every one that has is told. Where some are not as planned together, each is set alone."""
    suspects = []
    for numbers, document in as_pages([figure.tex() for figure in drawn]):
        group = [drawn[number] for number in numbers]
        if not are_as_planned(group, document, engine):
            suspects += group
    with ThreadPoolExecutor(2) as pool:
        faults = [told for told in pool.map(lambda figure: fault(figure, engine), suspects) if told]
    if faults:
        pytest.fail(f"{len(faults)} of {len(drawn)} figures:\n\n" + "\n\n".join(faults), pytrace=False)


def are_as_planned(group: list[Figure], document: str, engine: str) -> bool:
    """Whether a document has a page for each figure as large as planned, and no character is missing in it."""
    try:
        done = compile_tex(document, engine=engine, time_limit=600)
    except LatexError:
        return False
    with PdfDocument(done.pdf) as pdf:
        pages = [pdf[number] for number in range(min(len(group), len(pdf)))]
        sizes = [tuple(side * PT_PER_BP * CM_PER_PT for side in page.get_size()) for page in pages]
    wishes = [planned(figure) for figure in group]
    return not lost_characters(done.log) and len(sizes) == len(wishes) and all(map(is_near, sizes, wishes))


def is_near(found: tuple[float, ...], wish: tuple[float, float]) -> bool:
    return all(abs(size - want) <= 0.05 for size, want in zip(found, wish, strict=True))


def test_figures_compile_as_planned() -> None:
    assert len(figures()) == COUNT
    compiles(figures(), "pdflatex")


@pytest.mark.parametrize("engine", ["xelatex", "lualatex"])
def test_other_engines_set_the_same_figures(engine: str) -> None:
    compiles(figures()[:OTHER_ENGINES], engine)


def parts(within: Any) -> Iterator[Part]:
    """A part and all that it holds."""
    if isinstance(within, Part):
        yield within
        within = within.__dict__
    if isinstance(within, dict):
        within = list(within.values())
    if isinstance(within, list):
        for one in within:
            yield from parts(one)


def fields_of_text(kind: type[Part]) -> set[str]:
    """The fields of texts that a class brings, not those of the classes above it."""
    return {name for name, hint in get_type_hints(kind, include_extras=True).items() if is_text(hint)} & vars(kind).get(
        "__annotations__", {}
    ).keys()


def below(kind: type[Part]) -> Iterator[type[Part]]:
    for each in kind.__subclasses__():
        yield each
        yield from below(each)


def test_a_figure_has_text_in_every_place() -> None:
    # an override's text is set where it is put
    kinds = {kind for kind in below(Part) if kind.__module__.startswith("tikzgen.model.")} - {Measured}
    kinds = {kind for kind in kinds if not issubclass(kind, Operation | EditableRecipe)}
    wanted = {(kind, name) for kind in kinds for name in fields_of_text(kind)}
    found = {
        (kind, name)
        for part in parts(loads(EVERYWHERE))
        for kind in type(part).__mro__
        if kind in kinds
        for name in fields_of_text(kind)
        if getattr(part, name) == "TEXT"
    }
    assert {f"{kind.__name__}.{name}" for kind, name in wanted - found} == set()
    assert len(found) > 25


@cache
def figures_of_text() -> list[Figure]:
    """Figures with another label in every place that holds text."""
    labels: dict[str, None] = {}

    @settings(drawing, max_examples=2 * LABELS)
    @given(strategies.unicode_labels)
    def draw(label: str) -> None:
        labels[label] = None

    draw()
    wanted = list(labels)[-LABELS:]
    assert len(wanted) == LABELS
    found = []
    for start in range(0, LABELS, PLACES):
        texts = iter((wanted + wanted)[start : start + PLACES])
        found.append(
            loads(re.sub(" TEXT", lambda _, texts=texts: " " + json.dumps(next(texts), ensure_ascii=False), EVERYWHERE))
        )
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_any_label_is_set_in_any_place(engine: str) -> None:
    compiles(figures_of_text(), engine)
