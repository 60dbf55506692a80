"""Real papers: the example with its script, and every way to take a figure in, in the classes that people use."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ENGINES, EXAMPLES, NIGHTLY, ROOT, with_traces
from papers import Paper, build_figures, overfull, text_of, typeset

pytestmark = pytest.mark.tex

# What a reader of docs/paper must find in its figures.
LABELS = [
    *["Distributed data-parallel training", "Training data", "Worker 1", "Worker 2", "Worker 3", "batch"],
    *["parameter server", "Processor 1", "on GPU3 (G3)", "push (P)", "fetch (F)", "minibatch1", "Update"],
    *["Synchronous", "Asynchronous", "(a) 同步更新", "(b) 异步更新", "time line"],
    *["空闲", "前向/反向", "梯度更新", "GPU1", "GPU4", "一步一更新", "累积两步更新"],
    *["compute", "communication", "forward", "b0", "r3"],
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example paper after its own script, in a folder where nothing else is."""
    folder = tmp_path_factory.mktemp("examples")
    for example in EXAMPLES:
        with_traces(example, folder / "examples")
    paper = folder / "docs" / "paper"
    paper.mkdir(parents=True)
    for name in ("paper.tex", "build"):
        shutil.copy(ROOT / "docs/paper" / name, paper)
    settings = {"TIKZGEN": f"{sys.executable} -m tikzgen", "XDG_CACHE_HOME": str(folder / "cache")}
    script = paper / "build"
    done = subprocess.run(["sh", script], env=os.environ | settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return paper


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every example as `<name>.tex`, with `preamble.tex`."""
    made = tmp_path_factory.mktemp("figures")
    build_figures(made)
    return made


@pytest.mark.parametrize("engine", ENGINES if NIGHTLY else ENGINES[:2])
def test_the_example_paper(built: Path, engine: str) -> None:
    if engine == "pdflatex":  # by its script
        paper = Paper((built / "paper.log").read_text("utf-8", "replace"), built / "paper.pdf")
    else:
        paper = typeset(built, "paper", engine=engine, runs=2)
    assert overfull(paper) == []
    assert "Missing character" not in paper.log
    assert "undefined references" not in paper.log
    assert len(paper.pages()) == 2
    found = text_of(paper)
    assert [label for label in LABELS if "".join(label.split()) not in found] == []


def test_the_example_paper_takes_figures_in_by_every_way() -> None:
    source = (ROOT / "docs/paper/paper.tex").read_text("utf-8")
    assert re.findall(r"\\(input|includestandalone|includegraphics)\{(?:figures|pdf)/([\w-]+)\}", source) == [
        ("input", "preamble"),
        ("input", "distributed-training"),
        ("input", "gradient-accumulation"),
        ("includegraphics", "overlap"),
        ("includestandalone", "parameter-server"),
    ]
    assert source.count("\\begin{subfigure}") == 2
    own = re.findall(r"\\usepackage(?:\[.*\])?\{(\w+)\}", source)
    assert own == ["iftex", "fontspec", "booktabs", "caption", "subcaption"], (
        "the rest is what `tikzgen preamble` prints"
    )


EVERY_WAY = r"""
\documentclass{article}
\usepackage{graphicx}
\usepackage{subcaption}
\input{preamble}
\newsavebox\taken
\newcommand\size[1]{\sbox\taken{#1}\typeout{SIZE \the\wd\taken\space\the\dimexpr\ht\taken+\dp\taken}}
\begin{document}
\size{\input{FIGURE}}
\size{\includestandalone{FIGURE}}
\size{\includegraphics{FIGURE}}
\begin{figure}
  \centering
  \input{FIGURE}
  \caption{One.}
\end{figure}
\begin{figure}
  \begin{subfigure}{\textwidth}\centering\includestandalone{FIGURE}\caption{Two.}\end{subfigure}
  \begin{subfigure}{\textwidth}\centering\input{FIGURE}\caption{Three.}\end{subfigure}
\end{figure}
\begin{figure}
  \centering
  \includegraphics{FIGURE}
  \caption{Four.}
\end{figure}
\end{document}
"""


@pytest.mark.parametrize("figure", ["distributed-training", "gradient-accumulation", "memory"])
def test_every_way_gives_the_same_size(folder: Path, figure: str) -> None:
    [page] = typeset(folder, figure).pages()
    paper = typeset(folder, f"{figure}-ways", EVERY_WAY.replace("FIGURE", figure).lstrip())
    sizes = [[float(size.removesuffix("pt")) for size in line.split()] for line in paper.told("SIZE")]
    assert len(sizes) == 3
    for size in sizes:
        assert size == pytest.approx([page.width, page.height], abs=0.02), (
            "the figure's own page, and no blank beside it"
        )
    assert "Overfull" not in paper.log


SLIDES = r"""
\documentclass{beamer}
\input{preamble}
\begin{document}
\begin{frame}{By input}
  \centering
  \input{distributed-training}
\end{frame}
\begin{frame}{By includestandalone}
  \centering
  \scalebox{0.5}{\includestandalone{parameter-server}}
\end{frame}
\begin{frame}<1-2>{In two steps}
  \centering
  \only<2>{\input{gradient-accumulation}}
\end{frame}
\end{document}
"""


def test_slides(folder: Path) -> None:
    slides = typeset(folder, "slides", SLIDES.lstrip())
    assert len(slides.pages()) == 4
    found = text_of(slides)
    for label in ("Trainingdata", "Processor1", "同步更新", "空闲"):
        assert label in found
