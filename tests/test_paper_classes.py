"""Every example in every class: the four ways and the three engines spread over them, one document a class."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from command import run
from conftest import ENGINES
from papers import FIGURES, STYLES, build_figures, overfull, state, typeset
from pypdfium2 import PdfDocument

# Each figure is taken in each of these ways by some class: five classes shift them against each other.
WAYS = [
    r"\measured{NAME}{\input{NAME}}",
    r"\measured{NAME}{\includestandalone{NAME}}",
    r"\begin{subfigure}{\linewidth}\centering\measured{NAME}{\input{NAME}}\end{subfigure}",
    r"\measured{NAME}{\includegraphics{NAME}}",
]

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
    "article": (ARTICLE, "pdflatex", FLOAT),
    "IEEEtran": (IEEETRAN, "lualatex", FLOAT),
    "acmart": (ACMART, "pdflatex", FLOAT),
    "neurips": (NEURIPS, "xelatex", FLOAT),
    "beamer": (BEAMER, "xelatex", SLIDE),
}

# The class, the engine, and by how many the ways are shifted; the nightly size has every figure in every way.
CHOSEN = [(cls, engine, shift) for shift, (cls, (_, engine, _)) in enumerate(CLASSES.items())]
if os.environ.get("TIKZGEN_NIGHTLY") == "1":
    CHOSEN = [(cls, engine, shift) for cls in CLASSES for engine in ENGINES for shift in range(len(WAYS))]

PAPER = r"""
%(head)s
\input{preamble}
%(macros)s
\definecolor{paper}{HTML}{FFE4B5}
\definecolor{otblue}{HTML}{123456}
\tikzset{%(styles)s}
\pgfdeclarelayer{background}
\pgfsetlayers{background,main}
\newsavebox\taken
\newcommand\measured[2]{%%
  \sbox\taken{#2}%%
  \typeout{SIZE #1 \the\wd\taken\space\the\dimexpr\ht\taken+\dp\taken}%%
  \usebox\taken}
\makeatletter
\newcommand\saywhatis[1]{\typeout{NOW #1}%(state)s}
\makeatother
\begin{document}
\typeout{WIDTH \the\textwidth}
\saywhatis{before}
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


@pytest.mark.parametrize(("cls", "engine", "shift"), CHOSEN)
def test_every_figure_in_every_class(folder: Path, cls: str, engine: str, shift: int) -> None:
    head, _, frame = CLASSES[cls]
    body = []
    for number, figure in enumerate(FIGURES):
        way = WAYS[(number + shift) % len(WAYS)]
        body.append(frame.replace("FIGURE", way).replace("NAME", figure) + rf"\saywhatis{{after {figure}}}")
    macros = ["colsep", "rowsep", "titlelabel", "backdrop", "gpupic"]
    facts = {
        "head": head,
        "macros": "\n".join(rf"\def\{name}{{the paper's {name}}}" for name in macros),
        "styles": ", ".join(f"{style}/.style={{draw=paper}}" for style in STYLES),
        "state": state(macros),
        "body": "\n".join(body),
    }
    paper = typeset(folder, f"class-{cls}-{engine}-{shift}", PAPER.lstrip() % facts, engine=engine)
    with PdfDocument(paper.pdf) as pdf:
        assert len(pdf) == len(FIGURES)
    assert "Missing character" not in paper.log
    [width] = paper.told("WIDTH")
    wider = [figure for figure in FIGURES if planned(folder, figure)[0] > float(width[:-2])]
    if cls != "beamer":  # where they are scaled
        assert len(overfull(paper)) == len(wider), "only figures that are made for wider pages"
    sizes = {name: [float(side[:-2]) for side in sides] for name, *sides in map(str.split, paper.told("SIZE"))}
    # a class with a sans serif font of its own may make a label, and so the figure, a trifle wider
    for figure in FIGURES:
        assert sizes[figure] == pytest.approx(planned(folder, figure), abs=0.02, rel=0.05), figure
    before, *later = paper.log.split("\nNOW ")[1:]
    kept = re.findall(r"^STATE .*$", before, re.MULTILINE)
    assert "STATE rowsep: macro:->the paper's rowsep" in kept
    assert len(later) == len(FIGURES)
    for after in later:
        assert re.findall(r"^STATE .*$", after, re.MULTILINE) == kept, after.partition("\n")[0]
