"""Figures made for a venue, in papers that are set as its class or style sets them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from command import run
from conftest import NIGHTLY, ROOT
from papers import overfull, typeset

from tikzgen import load
from tikzgen.model.looks.venues import VENUES

# What the style files set where the class itself is not in TeX Live: the page, the fonts, and the small sizes.
SMALL_TYPE = r"""
\makeatletter
\renewcommand\small{\@setfontsize\small\@ixpt{10}}
\renewcommand\footnotesize{\@setfontsize\footnotesize\@ixpt{10}}
\renewcommand\scriptsize{\@setfontsize\scriptsize\@viipt{8}}
\renewcommand\tiny{\@setfontsize\tiny\@vipt{7}}
\makeatother
\usepackage{times}"""
HEADS = {
    "ieee": r"\documentclass{IEEEtran}",
    "acm": r"\documentclass[sigconf,nonacm]{acmart}\AtBeginDocument{\twocolumn}",
    "acm-journal": r"\documentclass[acmsmall,nonacm]{acmart}",
    "neurips": r"\documentclass{article}\usepackage[textwidth=5.5in, textheight=9in]{geometry}" + SMALL_TYPE,
    "iclr": r"\documentclass{article}\textwidth 5.5 true in" + SMALL_TYPE,
    "icml": r"\documentclass{article}\textwidth 6.75in \columnsep 0.25in" + SMALL_TYPE + r"\twocolumn",
    "acl": r"\documentclass[11pt]{article}\usepackage[a4paper, margin=2.5cm]{geometry}\columnsep 0.6cm"
    + SMALL_TYPE
    + r"\twocolumn",
    "cvpr": r"\documentclass[10pt,twocolumn]{article}\textwidth 6.875in \columnsep 0.3125in \usepackage{times}",
    **dict.fromkeys(
        ("usenix", "osdi"),
        r"\documentclass[twocolumn]{article}\usepackage{mathptmx,pslatex}\columnsep 0.33in \textwidth 7in",
    ),
    "sosp": r"\documentclass[sigplan,nonacm]{acmart}\AtBeginDocument{\twocolumn}",
    "aaai": r"\documentclass{article}\textwidth 7in \columnsep 0.375in" + SMALL_TYPE + r"\twocolumn",
    "tmlr": r"\documentclass{article}\textwidth 6.5in" + SMALL_TYPE,
    "eccv": r"\documentclass[runningheads]{llncs}",
    "thesis": r"\documentclass[a4paper,11pt]{scrbook}",
    "thesis-letter": r"\documentclass[11pt]{report}\usepackage[left=1.5in, right=1in]{geometry}",
}
PAPER = r"""
%s
\input{preamble}
\newsavebox\taken
\newcommand\measured[1]{%%
  \sbox\taken{\input{#1}}%%
  \typeout{SIZE \the\wd\taken}%%
  \begin{figure*}[p]\usebox\taken\end{figure*}}
\begin{document}
\typeout{WIDTHS \the\columnwidth\space\the\textwidth}
%s
\end{document}
"""
FIGURES = ["distributed-training", "memory", "gradient-accumulation-en"]


def points(line: str) -> list[float]:
    return [float(length.removesuffix("pt")) for length in line.split()]


def write(folder: Path, settings: dict[str, list[str]], figures: Sequence[str] = FIGURES) -> None:
    """Figures with these settings, `<name>-<key>.tex`, and their preamble."""
    for name in figures:
        for key, values in settings.items():
            figure = load(ROOT / f"examples/{name}.yaml", settings=values)
            (folder / f"{name}-{key}.tex").write_text(figure.tex(), "utf-8")
    printed = run("preamble", *(str(file) for file in folder.glob("*.tex")))
    (folder / "preamble.tex").write_text(printed.out, "utf-8")


@pytest.mark.tex
@pytest.mark.parametrize(("turn", "venue"), [*enumerate(VENUES)], ids=[*VENUES])
def test_a_figure_fits_the_venue_it_is_made_for(tmp_path: Path, turn: int, venue: str) -> None:
    parts = ("column", "text")
    figures = FIGURES if NIGHTLY else [FIGURES[turn % len(FIGURES)]]
    write(tmp_path, {part: [f"width={venue}-{part}"] for part in parts}, figures)
    taken = [rf"\measured{{{name}-{part}}}" for part in parts for name in figures]
    paper = typeset(tmp_path, "paper", PAPER.lstrip() % (HEADS[venue], "\n".join(taken)))
    widths = points(*paper.told("WIDTHS"))
    assert widths == pytest.approx((VENUES[venue].column_pt, VENUES[venue].text_pt), abs=0.5), (
        "what the class or style sets"
    )
    assert overfull(paper) == []
    sizes = [points(size)[0] for size in paper.told("SIZE")]
    limits = [width for width in widths for _ in figures]
    wider = [size - limit for size, limit in zip(sizes, limits, strict=True)]
    assert max(wider) < 0.5
    assert min(wider) > -3, "and fill it"


@pytest.mark.tex
@pytest.mark.parametrize(
    "head", [HEADS["neurips"].replace(r"\usepackage{times}", ""), *[r"\documentclass[12pt]{article}"] * NIGHTLY]
)
def test_fixed_sizes_are_the_same_in_every_paper(tmp_path: Path, head: str) -> None:
    write(tmp_path, {"plain": [], "fixed": ["font={fixed: true}"]})
    taken = [rf"\measured{{{name}-{key}}}" for name in FIGURES for key in ("plain", "fixed")]
    paper = typeset(tmp_path, "paper", PAPER.lstrip() % (head, "\n".join(taken)))
    sizes = [points(size)[0] for size in paper.told("SIZE")]
    own = [typeset(tmp_path, f"{name}-plain").pages()[0].width for name in FIGURES]
    assert sizes[1::2] == pytest.approx(own, abs=0.02)
    assert sum(sizes[::2]) > sum(own) + 1, "others follow the paper"
