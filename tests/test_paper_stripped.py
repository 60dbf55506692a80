"""Copies that went through a comment stripper, beside the figures themselves, in papers of every engine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ENGINES, NIGHTLY
from papers import FIGURES, build_figures, typeset

pytestmark = pytest.mark.tex


def cleaned(text: str) -> str:
    """As arxiv-latex-cleaner leaves it: lines of comment are gone, and behind others their percent sign stands."""
    kept = text[: text.index("\\end{document}")] + "\\end{document}\n"
    lines = [line for line in kept.splitlines() if not line.lstrip(" \t").startswith("%")]
    return "".join(re.sub(r"(?<!\\)%.*", "%", line) + "\n" for line in lines)


def joined(text: str) -> str:
    """As other scripts leave it: a comment is gone with its line end, and lines without words, too."""
    kept = text[: text.index("\\end{document}")] + "\\end{document}\n"
    return re.sub(r"\n\s*\n", "\n\n", re.sub(r"(?<!\\)%.*\n", "", kept))


STRIPPERS: dict[str, Callable[[str], str]] = {"cleaned": cleaned, "joined": joined}
# `test_compile` has every example cleaned, with pdflatex; what differs between engines is the Chinese
SOME = ["distributed-training", "gradient-accumulation", "memory", "parameter-server"]
CHOSEN = [("joined", "pdflatex", FIGURES), ("cleaned", "xelatex", SOME), ("cleaned", "lualatex", SOME)]
if NIGHTLY:
    CHOSEN = [(stripper, engine, FIGURES) for stripper in STRIPPERS for engine in ENGINES]

PAPER = r"""
\documentclass{article}
\input{preamble}
\ifdefined\pagewidth\let\pdfpagewidth\pagewidth\let\pdfpageheight\pageheight\fi
\newsavebox\taken
\hoffset=-1in
\voffset=-1in
\newcommand\ship[1]{%%
  \setbox\taken\hbox{\input{#1}}%%
  \setbox\taken\hbox{\raise\dp\taken\box\taken}%%
  \pdfpagewidth=\wd\taken
  \pdfpageheight=\ht\taken
  \shipout\box\taken}
\begin{document}
%s
\end{document}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every example as `<name>.tex`, with `preamble.tex`."""
    made = tmp_path_factory.mktemp("figures")
    build_figures(made)
    return made


@pytest.mark.parametrize(("stripper", "engine", "figures"), CHOSEN)
def test_stripped_copies_look_the_same(folder: Path, stripper: str, engine: str, figures: list[str]) -> None:
    for name in figures:
        text = STRIPPERS[stripper]((folder / f"{name}.tex").read_text("utf-8"))
        assert "%" not in re.sub(r"\\%|%$", "", text, flags=re.MULTILINE)
        (folder / f"{name}-{stripper}.tex").write_text(text, "utf-8")
    taken = "\n".join(rf"\ship{{{name}}}\ship{{{name}-{stripper}}}" for name in figures)
    pages = typeset(folder, f"{stripper}-{engine}", PAPER.lstrip() % taken, engine=engine).pages()
    assert len(pages) == 2 * len(figures)
    paired = zip(figures, pages[::2], pages[1::2], strict=True)
    assert [name for name, one, two in paired if not one.looks_like(two)] == []
