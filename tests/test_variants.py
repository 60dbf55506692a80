"""What is drawn badly is found, and what is drawn well is not: small figures as data, looked at without TeX."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import ROOT
from ruamel.yaml import YAML

from tikzgen.probe.look_at_figures import Drawing, look_at

FOLDER = ROOT / "tests" / "cases" / "geometry" / "variants"
SHELL = (FOLDER / "shell.tex").read_text(encoding="utf-8")
THREE = r"\node[box] (a) at (0,0) {A}; \node[box] (b) at (3,0) {B}; \node[box] (c) at (6,0) {C}; "


def read(kind: str) -> dict[str, dict[str, str]]:
    found: dict[str, Any] = YAML(typ="safe").load(FOLDER / f"{kind}.yaml")
    return found


def found(case: dict[str, str]) -> set[str]:
    body = THREE + case["three"] if "three" in case else case["body"]
    return found_in(SHELL.replace("BODY", body.replace("; ", ";\n")))


def found_in(source: str) -> set[str]:
    looked = look_at([Drawing("case.tex", source)], engine="none")
    assert not looked.errors
    return {each.code for each in looked.findings}


BAD, GOOD = read("bad"), read("good")


@pytest.mark.parametrize("name", BAD)
def test_a_bad_figure_is_found(name: str) -> None:
    assert BAD[name]["finds"] in found(BAD[name])


@pytest.mark.parametrize("name", GOOD)
def test_a_good_figure_is_not(name: str) -> None:
    assert found(GOOD[name]) == set()


def test_there_are_a_hundred_bad_and_eighty_one_good_ones() -> None:
    assert (len(BAD), len(GOOD)) == (100, 81)


OTHERS = r"""\documentclass[border=0pt]{standalone}
\usepackage{tikz}
\begin{document}
\begin{tikzpicture}[box/.style={draw, inner sep=8pt}]
  \node[box] (a) at (0,0) {read};
  \node[box] (b) at (3,0) {parse};
  \draw (a) -- (b);
\end{tikzpicture}
\end{document}
"""


def test_letters_in_the_middle_of_boxes_of_others_are_no_shifted_baseline() -> None:
    """TikZ sets a text so without being told; in our own figures it is as wrong as it looks."""
    own = OTHERS.replace(r"\begin{tikz", "\\definecolor{otblue}{HTML}{0072B2}\n\\begin{tikz", 1)
    assert [found_in(source) for source in (OTHERS, own)] == [set(), {"TG320"}]
