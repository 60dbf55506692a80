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
# `test_examples_in_engines` has every example cleaned, with pdflatex; what differs between engines is the Chinese
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
\makeatletter
\long\def\fileend{}
\newcommand\tokens[2]{\begingroup\everyeof{\fileend}\expandafter\grabbed\expandafter#1\@@input #2 }
\long\def\grabbed#1#2\fileend{\endgroup\edef#1{\unexpanded{#2}}}
\makeatother
\newcommand\beside[2]{%%
  \tokens\one{#1}\tokens\two{#2}%%
  \ifx\one\empty\UNREAD\fi
  \ifx\one\two\typeout{SAME #1}\else\typeout{DIFFERS #1}\ship{#1}\ship{#2}\fi}
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
    taken = "\n".join(rf"\beside{{{name}}}{{{name}-{stripper}}}" for name in figures)
    paper = typeset(folder, f"{stripper}-{engine}", PAPER.lstrip() % taken, engine=engine)
    # what TeX reads as the same tokens it draws the same: only what it reads otherwise is drawn, twice
    drawn = paper.told("DIFFERS")
    pages = paper.pages() if drawn else []
    assert sorted([*paper.told("SAME"), *drawn]) == sorted(figures)
    assert len(pages) == 2 * len(drawn)
    paired = zip(drawn, pages[::2], pages[1::2], strict=True)
    assert [name for name, one, two in paired if not one.looks_like(two)] == []
