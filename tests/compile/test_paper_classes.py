"""Every example in the classes of papers: a document for each class, by one way that sets it and as a PDF.

Each stands in one of the five classes; nightly in all of them, by every engine.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from command import run
from conftest import ENGINES, NIGHTLY
from papers import FIGURES, SHIP, Page, build_figures, differences, names_of, overfull, state, typeset
from pypdfium2 import PdfDocument

from tikzgen.compile.make_formats import slides_of

pytestmark = pytest.mark.tex

# The ways that set a figure's TeX: a document takes each figure in by one of them, and its PDF, too. Nightly, each
# figure meets each way in each class and engine.
WAYS = [
    r"\measured{NAME}{\input{NAME}}",
    r"\measured{NAME}{\includestandalone{NAME}}",
    r"\begin{subfigure}{\linewidth}\centering\measured{NAME}{\input{NAME}}\end{subfigure}",
]
PDF = r"\measured{NAME.pdf}{\includegraphics{NAME}}"

ARTICLE = r"""\documentclass{article}
\usepackage[margin=1.2cm]{geometry}
\usepackage{graphicx, subcaption}"""
IEEETRAN = r"""\documentclass{IEEEtran}
\usepackage{graphicx}
\usepackage{subcaption}"""
ACMART = r"""\documentclass[sigconf,nonacm]{acmart}
\title{Figures}
\author{A. Author}
\affiliation{\institution{University}\country{Nowhere}}
\AtBeginDocument{\pagestyle{empty}}
\usepackage{subcaption}"""
# What the style files of NeurIPS and ICLR set up: one column of 5.5 in, Times, small captions.
NEURIPS = r"""\documentclass[10pt]{article}
\usepackage[textheight=9in, textwidth=5.5in, top=1in]{geometry}
\usepackage{mathptmx, graphicx, subcaption, microtype}
\usepackage[colorlinks]{hyperref}"""
BEAMER = r"""\documentclass[aspectratio=169]{beamer}
\usepackage{subcaption}"""

FLOAT = r"\begin{figure*}[p]\centering FIGURE\caption{NAME}\end{figure*}\clearpage"
SLIDE = r"\begin{frame}{NAME}\begin{figure}\centering\resizebox{!}{0.6\textheight}{FIGURE}\end{figure}\end{frame}"
CLASSES = {
    "article": (ARTICLE, FLOAT),
    "IEEEtran": (IEEETRAN, FLOAT),
    "acmart": (ACMART, FLOAT),
    "neurips": (NEURIPS, FLOAT),
    "beamer": (BEAMER, SLIDE),
}

# The class, the engine, and by how many the ways are shifted: each class with one engine, and each engine with a class;
# nightly, every class with every engine, and every figure taken in every way.
CHOSEN = [
    (cls, engine, shift)
    for row, cls in enumerate(CLASSES)
    for column, engine in enumerate(ENGINES)
    for shift in (range(len(WAYS)) if NIGHTLY else [row % len(WAYS)] if column == row % len(ENGINES) else [])
]


def figures_in(cls: str) -> list[str]:
    """The figures of a class's document: one in five, so that each stands in one class; nightly all."""
    turn = [*CLASSES].index(cls)
    return [name for place, name in enumerate(FIGURES) if NIGHTLY or (place + turn) % len(CLASSES) == 0]


PAPER = r"""
%(head)s
\input{preamble}
%(state)s
%(macros)s
\definecolor{paper}{HTML}{FFE4B5}
\definecolor{otblue}{HTML}{123456}
\tikzset{%(styles)s}
\pgfdeclarelayer{background}
\pgfsetlayers{background,main}
\newsavebox\taken
\newcommand\measured[2]{%%
  \sbox\taken{\remembered#2\compared{#1}}%%
  \typeout{SIZE #1 \the\wd\taken\space\the\dimexpr\ht\taken+\dp\taken}%%
  \usebox\taken}
%(more)s
\begin{document}
\typeout{WIDTH \the\textwidth}
\sbox\taken{\tikz\draw (0,0);}%% the first picture of all sets TikZ's line width
%(body)s
\end{document}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every example as `<name>.tex` and, built by tikzgen, `<name>.pdf`; with `preamble.tex`."""
    made = tmp_path_factory.mktemp("figures")
    build_figures(made)
    done = run("build", *(str(made / f"{name}.tex") for name in FIGURES), "--quiet")
    assert done.status == 0, done.err
    return made


def planned(folder: Path, figure: str) -> list[float]:
    """Width and height of the built page in pt."""
    info = subprocess.run(["pdfinfo", folder / f"{figure}.pdf"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"Page size: +([\d.]+) x ([\d.]+)", info)
    assert found
    return [float(side) * 72.27 / 72 for side in found.groups()]


def document(folder: Path, cls: str, body: str, more: str = "") -> str:
    """A paper of that class with meanings of its own for all that figures define."""
    macros, styles = names_of(folder)
    facts = {
        "head": CLASSES[cls][0],
        "state": state(macros, styles),
        "macros": "\n".join(rf"\def\{name}{{the paper's {name}}}" for name in macros),
        "styles": ", ".join(f"{style}/.style={{draw=paper}}" for style in styles if not style.startswith("every ")),
        "more": more,
        "body": body,
    }
    return PAPER.lstrip() % facts


@pytest.mark.parametrize(("cls", "engine", "shift"), CHOSEN)
def test_every_figure_in_every_class(folder: Path, cls: str, engine: str, shift: int) -> None:
    """Each leaves the paper as it was: so what comes before a figure, or after it, is nothing to it."""
    figures = figures_in(cls)
    body, taken = [], []
    for number, figure in enumerate(figures if shift % 2 else figures[::-1]):
        for way, name in ((WAYS[(number + shift) % len(WAYS)], figure), (PDF, f"{figure}.pdf")):
            body.append(CLASSES[cls][1].replace("FIGURE", way).replace("NAME", figure))
            taken.append(name)
    paper = typeset(folder, f"class-{cls}-{engine}-{shift}", document(folder, cls, "\n".join(body)), engine=engine)
    assert differences(paper, taken) == {}
    with PdfDocument(paper.pdf) as pdf:
        # in a talk, a figure with slides is several pages
        slides = [slides_of((folder / f"{name}.tex").read_text(encoding="utf-8")) for name in figures]
        assert len(pdf) == len(taken) + (sum(slides) - len(slides)) * (cls == "beamer")
    assert "Missing character" not in paper.log
    [width] = paper.told("WIDTH")
    wider = [figure for figure in figures if planned(folder, figure)[0] > float(width[:-2])]
    if cls != "beamer":  # where they are scaled
        assert len(overfull(paper)) == 2 * len(wider), "only figures that are made for wider pages"
    sizes = {name: [float(side[:-2]) for side in sides] for name, *sides in map(str.split, paper.told("SIZE"))}
    for figure in figures:
        # a class with a sans serif font of its own may make a label, and so the figure, a trifle wider
        assert sizes[figure] == pytest.approx(planned(folder, figure), abs=0.02, rel=0.05), figure
        assert sizes[f"{figure}.pdf"] == pytest.approx(planned(folder, figure), abs=0.02), figure


if NIGHTLY:

    @pytest.mark.parametrize("engine", ENGINES)
    @pytest.mark.parametrize("cls", CLASSES)
    def test_every_pair_in_every_class(folder: Path, cls: str, engine: str) -> None:
        """One after the other, in both orders and by two ways, each looks as it does alone in a paper of that class."""

        def pages(name: str, taken: list[str]) -> list[Page]:
            body = "\n".join(
                rf"\typeout{{NOW \detokenize{{{one}}}}}\ship{{\remembered{one}\compared{{x}}}}" for one in taken
            )
            first = r"\ship{first}"  # by XeLaTeX, a class may set the size of the first page
            paper = typeset(folder, name, document(folder, cls, f"{first}\n{body}", SHIP), engine=engine)
            assert differences(paper, ["x"] * len(taken)) == {}
            return paper.pages()[1:]

        both = [(rf"\input{{{figure}}}", rf"\includestandalone{{{figure}}}") for figure in FIGURES]
        walk = [*(one for one, _ in both), *(two for _, two in reversed(both))]
        together = dict(zip(walk, pages(f"pairs-{cls}-{engine}", walk), strict=True))
        alone = {}
        for ways in both:
            alone |= dict(zip(ways, pages(f"alone-{cls}-{engine}", list(ways)), strict=True))
        assert [take for take in walk if not together[take].looks_like(alone[take])] == []
