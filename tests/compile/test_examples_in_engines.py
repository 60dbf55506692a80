"""Real TeX: every example through every engine, its texts found in the PDF, and a copy without comments the same."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import ENGINES, EXAMPLES, KINDS, NIGHTLY, ROOT, written
from example_texts import TEXTS
from papers import as_pages, without_comments
from pypdfium2 import PdfDocument

from tikzgen import load
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.failures import lost_characters
from tikzgen.layout import layout
from tikzgen.model.looks.icons import icons_of_figure

pytestmark = pytest.mark.tex


# What reaches beyond the nodes: curves, labels, numbers, links.
PAGES = sorted((ROOT / "tests" / "cases" / "pages").glob("*.yaml"))


OTHERS = {
    engine: [
        example
        for place, example in enumerate(EXAMPLES)
        if NIGHTLY or place % 9 == number or example.stem in ("parameter-server", "talk")
    ]
    for number, engine in enumerate(ENGINES)
    if engine != "pdflatex"
}
"""What other engines than pdflatex set: a ninth each, with Chinese texts and slides; all in the nightly run."""


def texts_of(pdf: bytes) -> list[str]:
    """The text of each page, without blanks."""
    done = subprocess.run(["pdftotext", "-raw", "-", "-"], input=pdf, capture_output=True, check=True)
    return ["".join(page.split()) for page in done.stdout.decode().split("\f")]


def sizes_of(pdf: bytes) -> list[tuple[float, float]]:
    """Width and height of each page in cm."""
    with PdfDocument(pdf) as read:
        sizes = [read.get_page_size(number) for number in range(len(read))]
    return [(width / 72 * 2.54, height / 72 * 2.54) for width, height in sizes]


def test_pdftex_sets_every_text_and_a_copy_without_comments_is_the_same(tmp_path: Path) -> None:
    """By day, an example of each kind, and the copy of the first document."""
    for place, (numbers, document) in enumerate(as_pages([written(example) for example in KINDS])):
        done = compile_tex(document)
        fonts_are_embedded_and_none_is_a_bitmap(done.pdf, tmp_path)
        for number, text, size in zip(numbers, texts_of(done.pdf), sizes_of(done.pdf), strict=False):
            holds_its_texts(KINDS[number], text, done.log)
            is_as_large_as_planned(KINDS[number], size)
        if NIGHTLY or place == 0:
            names = [KINDS[number].stem for number in numbers]
            assert compile_tex(without_comments(document)).pdf == done.pdf, names


@pytest.mark.parametrize("engine", OTHERS)
def test_other_engines_set_every_text(engine: str) -> None:
    for numbers, document in as_pages([written(example) for example in OTHERS[engine]]):
        done = compile_tex(document, engine=engine)
        pages = texts_of(done.pdf)
        assert len(pages) > len(numbers)
        for number, page in zip(numbers, pages, strict=False):
            holds_its_texts(OTHERS[engine][number], page, done.log)


def holds_its_texts(example: Path, found: str, log: str) -> None:
    assert [text for text in TEXTS[example.stem] if text.replace(" ", "") not in found] == [], example.stem
    assert not lost_characters(log)
    assert "Overfull" not in log


def fonts_are_embedded_and_none_is_a_bitmap(pdf: bytes, tmp_path: Path) -> None:
    (tmp_path / "fig.pdf").write_bytes(pdf)
    listed = subprocess.run(["pdffonts", tmp_path / "fig.pdf"], capture_output=True, text=True, check=True).stdout
    rows = [line for line in listed.splitlines()[2:] if line.strip()]
    assert rows
    assert all(re.search(r"\byes (yes|no) +(yes|no)\b", row) for row in rows), listed
    assert "Type 3" not in listed


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_what_reaches_beyond_the_nodes_is_on_the_page(page: Path) -> None:
    [size] = sizes_of(compile_tex(load(page).tex()).pdf)
    is_as_large_as_planned(page, size)


def is_as_large_as_planned(example: Path, size: tuple[float, float]) -> None:
    figure = load(example)
    scene = layout(figure, icons_of_figure(figure))
    values = {p.name: float(p.value) for p in scene.parameters if p.type == "length-cm"}
    wanted_size = (scene.extent.measure_width(values), scene.extent.measure_height(values))
    assert size == pytest.approx(wanted_size, abs=0.02), f"{example.stem}: something reaches beyond the canvas"


@pytest.mark.parametrize("palette", ["light", "dark"])
@pytest.mark.parametrize("width", [8.4, 17.8])
@pytest.mark.parametrize(
    "example", ["distributed-training", "gradient-accumulation", "parameter-server"], ids=lambda name: name
)
def test_a_figure_is_as_wide_as_asked(example: str, width: float, palette: str) -> None:
    figure = load(ROOT / "examples" / f"{example}.yaml", settings=[f"width={width}", f"palette={palette}"])
    [(found, _)] = sizes_of(compile_tex(figure.tex()).pdf)
    assert width - 0.05 <= found <= width + 0.005
