"""Copies that went through a comment stripper, beside the figures themselves, in papers of every engine."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ENGINES
from papers import FIGURES, build_figures, typeset


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
CHOSEN = [("joined", "pdflatex"), ("cleaned", "xelatex"), ("cleaned", "lualatex")]
if os.environ.get("TIKZGEN_NIGHTLY") == "1":
    CHOSEN = [(stripper, engine) for stripper in STRIPPERS for engine in ENGINES]

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


@pytest.mark.parametrize(("stripper", "engine"), CHOSEN)
def test_stripped_copies_look_the_same(tmp_path: Path, stripper: str, engine: str) -> None:
    build_figures(tmp_path)
    for name in FIGURES:
        text = STRIPPERS[stripper]((tmp_path / f"{name}.tex").read_text("utf-8"))
        assert "%" not in re.sub(r"\\%|%$", "", text, flags=re.MULTILINE)
        (tmp_path / f"{name}-copy.tex").write_text(text, "utf-8")
    taken = "\n".join(rf"\ship{{{name}}}\ship{{{name}-copy}}" for name in FIGURES)
    pages = typeset(tmp_path, "paper", PAPER.lstrip() % taken, engine=engine).pages()
    assert len(pages) == 2 * len(FIGURES)
    paired = zip(FIGURES, pages[::2], pages[1::2], strict=True)
    assert [name for name, one, two in paired if not one.looks_like(two)] == []
