"""Real TeX: what the probe records, that it changes no pixel, what the rules find, and that our figures are clean."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from command import run
from conftest import ENGINES, ROOT

from tikzgen.base.cache import Cache
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.lint.probe import PageData, probe
from tikzgen.lint.probe.look_at_figures import FigureToProbe, findings_of
from tikzgen.lint.probe.tex_runs import Batch, document_of, engine_of, make_batches, measure
from tikzgen.model.looks.vision import EYES, compute_difference

DOCUMENTS = sorted((ROOT / "tests" / "cases" / "geometry" / "documents").glob("*.tex"))
CASES = sorted((ROOT / "tests" / "cases" / "geometry").glob("*.tex"))
NO_CACHE = Cache(None)

# nested, scaled, turned, in scopes, in a matrix, twice the same name; some of it without a name
RICH = r"""\documentclass{standalone}
\usepackage{tikz}
\usetikzlibrary{matrix}
\newcommand\inner{\tikz{\draw (0,0) rectangle (1,0.5); \node (deep) at (0.5,0.25) {in};}}
\begin{document}
\begin{tikzpicture}
  \node[draw] (a) at (0,0) {first};
  \node[rotate=30, scale=1.5] (b) at (3,1) {\inner};
  \begin{scope}[shift={(1,-2)}, rotate=90, xscale=2]
    \node[transform shape, circle, draw] (a) at (0,0) {again};
  \end{scope}
  \matrix[matrix of nodes] at (5,-2) { |(m1)| x & y \\ };
  \draw[->] (b) to[bend left] node[sloped, above] {curve} (5,0);
  \coordinate (c) at (6,1);
\end{tikzpicture}\quad
\begin{tikzpicture}
  \node (second) at (0,0) {other};
\end{tikzpicture}
\end{document}
"""


@cache
def rich(engine: str) -> PageData:
    (probed,) = probe([RICH], engine=engine, cache=NO_CACHE)
    (page,) = probed.pages
    return page


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES)
def test_every_node_is_recorded_with_its_place(engine: str) -> None:
    page = rich(engine)
    nodes = {}
    for node in page.nodes:
        nodes.setdefault(node.name, []).append(node)
    assert [node.shape for node in nodes["a"]] == ["rectangle", "circle"]
    assert [node.where.first for node in nodes["a"]] == [7, 10]
    assert (nodes["deep"][0].depth, nodes["b"][0].depth) == (1, 0)
    assert {"m1", "c", "second"} <= nodes.keys()
    assert len({picture.id for picture in page.pictures if picture.depth == 0}) == 2
    # scaled by 1.5 and turned by 30 degrees: the inner text is, too
    words = {line.words: line for line in page.lines}
    assert words["in"].size == pytest.approx(15, abs=0.1)
    (left, low), (right, high) = words["in"].corners[:2]
    assert (high - low) / (right - left) == pytest.approx(3**-0.5, abs=0.01)
    assert words["curve"].node is not None and words["again"].size == pytest.approx(10, abs=0.1)


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES[1:])
def test_engines_agree(engine: str) -> None:
    for mine, theirs in zip(rich(engine).nodes, rich(ENGINES[0]).nodes, strict=True):
        assert mine.name == theirs.name and len(mine.border) == len(theirs.border)
        for point, other in zip(mine.border, theirs.border, strict=True):
            assert point == pytest.approx(other, abs=1.0)


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES)
def test_the_probe_changes_no_pixel(engine: str) -> None:
    measured = measure(Batch((0,), "", (RICH,)), engine_of("% !TeX program = " + engine))
    assert pixels(measured.pdf) == pixels(compile_tex(RICH, engine=engine).pdf)


def pixels(pdf: bytes) -> bytes:
    from pypdfium2 import PdfDocument

    with PdfDocument(pdf) as document:
        return bytes(document[0].render(scale=2).buffer)


@cache
def cases(engine: str) -> dict[str, tuple[FigureToProbe, set[str]]]:
    """All cases, measured in one run: what is found in each, as `line code`."""
    drawings = [
        FigureToProbe(case.name, text, 8.4 if "% width 8.4" in text else None)
        for case, text in ((case, case.read_text("utf-8")) for case in CASES)
    ]
    (batch,) = make_batches([drawing.source for drawing in drawings])
    assert batch.figures == tuple(range(len(CASES)))
    looked = probe([drawing.source for drawing in drawings], engine=engine, cache=NO_CACHE)
    return {
        drawing.name: (
            drawing,
            {f"{found.place.line} {found.code}" for found in findings_of(drawing, probed, by_pdftex=False)},
        )
        for drawing, probed in zip(drawings, looked, strict=True)
    }


@pytest.mark.tex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_findings_are_those_that_the_lines_name(case: Path, engine: str) -> None:
    drawing, found = cases(engine)[case.name]
    rows = enumerate(drawing.source.splitlines(), 1)
    assert found == {f"{number} {code}" for number, row in rows for code in re.findall(r"(?<=[% ])TG3\d\d", row)}


@pytest.mark.tex
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.stem)
def test_plots_papers_fragments_and_many_pages(document: Path) -> None:
    text = document.read_text("utf-8")
    (probed,) = probe([document_of(text)], cache=NO_CACHE)
    assert probed.error is None
    found = findings_of(
        FigureToProbe(document.name, text, 8.4 if "% width 8.4" in text else None), probed, by_pdftex=False
    )
    rows = enumerate(text.splitlines(), 1)
    assert {f"{one.place.line} {one.code}" for one in found} == {
        f"{number} {code}" for number, row in rows for code in re.findall(r"(?<=[% ])TG3\d\d", row)
    }


# Preambles that say different things: what others may load beside them, what they may not, and what only they have.
HEADS = {
    r"\usetikzlibrary{calc, shapes.geometric}": 0,
    "\\definecolor{own}{HTML}{AA3300}% its own\n\\newcommand{\\told}{told}": 0,
    "\\definecolor{own}{HTML}{003377}\n\\newcommand{\\told}[1][x]{%\n  other}\n\\tikzset{every node/.style=red}": 0,
    r"\usetikzlibrary{positioning}": 1,
    r"\usepackage{amsmath}": 2,
    "\\AtBeginDocument{\\small}": 3,
}
FIGURE = r"""\documentclass[border=3pt]{standalone}
\usepackage{tikz}
HEAD

\begin{document}
\begin{tikzpicture}
  \node[draw] (a) at (0,0) {\ifdefined\told\told\fi};
  \draw (a) -- (2,0) node[below left=2pt] {end};
\end{tikzpicture}
\end{document}
"""


@pytest.mark.tex
def test_figures_that_share_a_run_are_measured_as_if_alone() -> None:
    figures = [FIGURE.replace("HEAD", head) for head in HEADS for _ in range(2)]
    shared = {number: run for run, batch in enumerate(make_batches(figures)) for number in batch.figures}
    runs = list(HEADS.values())
    for one, other in combinations(range(len(figures)), 2):
        assert (shared[one] == shared[other]) == (runs[one // 2] == runs[other // 2]), (figures[one], figures[other])
    together = probe(figures, cache=NO_CACHE)
    for place in (0, 2, 4):
        (alone,) = probe([figures[place]], cache=NO_CACHE)
        assert together[place] == together[place + 1] == alone
    assert {node.where.first for probed in together for page in probed.pages for node in page.nodes} <= set(
        range(7, 12)
    )


@pytest.mark.tex
def test_one_bad_figure_does_not_hide_the_others(tmp_path: Path) -> None:
    good, bad = CASES[0].read_text("utf-8"), CASES[0].read_text("utf-8").replace(r"\node[", r"\nude[", 1)
    store = Cache(tmp_path)
    first = probe([good, bad, *(case.read_text("utf-8") for case in CASES[1:4])], cache=store)
    assert [probed.error is None for probed in first] == [True, False, True, True, True]
    assert r"\nude" in str(first[1].error)
    assert probe([good], cache=store)[0].pages == first[0].pages


# What a stranger's figure may put among the probe's records, and among the marks in the PDF.
FORGED = {
    "record": r"\makeatletter\ifdefined\tikzgenprobe@out\immediate\write\tikzgenprobe@out{N|zzz|}\fi",
    "mark": r"\pdfliteral direct{/tikzgen BMC 0 0 m 10 10 l S EMC}",
}


@pytest.mark.tex
@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_forged_records_and_marks_are_an_error(forged: str) -> None:
    source = CASES[0].read_text("utf-8").replace(r"\end{document}", forged + r"\end{document}")
    (probed,) = probe([source], cache=NO_CACHE)
    says = "pdflatex compiles the figure, but it cannot be measured: cannot read the output of TeX for this figure"
    assert str(probed.error) == says


@pytest.mark.tex
def test_command_line(tmp_path: Path) -> None:
    figure = tmp_path / "figure.tex"
    figure.write_text(next(case for case in CASES if case.stem == "struck-text").read_text("utf-8"), "utf-8")
    found = run("check", "--geometry", "--width", "3", str(figure))
    assert found.status == 1
    assert f'{figure}:11:9: TG303 the path in line 12 crosses text "straight" (straight)' in found.out
    assert "TG307 the figure is" in found.out


def test_a_figure_that_does_not_fit_its_width_is_no_clean_figure(tmp_path: Path) -> None:
    spec = tmp_path / "wide.yaml"
    spec.write_text("recipe: data-parallel\nwidth: 4\n", encoding="utf-8")
    done = run("check", "--geometry", str(spec))
    assert done.status == 2
    assert done.err.count("does not fit 4 cm") == 1


@pytest.mark.tex
def test_a_damaged_cache_is_an_empty_one(tmp_path: Path) -> None:
    store, figure = Cache(tmp_path), CASES[0].read_text("utf-8")
    before = probe([figure], cache=store)
    for entry in tmp_path.glob("*/*"):
        key = entry.parent.name + entry.name
        store.store(key, b"an older version's 1 0 obj")
    assert probe([figure], cache=store) == before


@pytest.mark.parametrize(
    ("one", "other", "eyes"),
    [
        ("DD9977", "7799FF", "in grayscale"),
        ("FF7777", "779977", "under protanopia"),
        ("FF9977", "77DD77", "under deuteranopia"),
        ("5533EE", "0000FF", "under tritanopia"),
    ],
)
def test_colours_are_alike_to_those_eyes_alone(one: str, other: str, eyes: str) -> None:
    colors = [tuple(byte / 255 for byte in bytes.fromhex(digits)) for digits in (one, other)]
    assert [name for name in EYES if compute_difference(colors[0], colors[1], name) < 5] == [eyes]
