"""What is drawn badly is found, and what is drawn well is not: small figures as data, looked at without TeX."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from ruamel.yaml import YAML

from tikzgen.lint.probe.look_at_figures import FigureToProbe, look_at
from tikzgen.lint.registry import Finding

FOLDER = ROOT / "tests" / "cases" / "geometry" / "variants"
SHELL = (FOLDER / "shell.tex").read_text(encoding="utf-8")
THREE = r"\node[box] (a) at (0,0) {A}; \node[box] (b) at (3,0) {B}; \node[box] (c) at (6,0) {C}; "


def read(kind: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = YAML(typ="safe").load(FOLDER / f"{kind}.yaml")
    return found


def found(case: dict[str, Any]) -> list[Finding]:
    body = THREE + case["three"] if "three" in case else case["body"]
    return found_in(SHELL.replace("BODY", body.replace("; ", ";\n")))


def found_in(source: str) -> list[Finding]:
    looked = look_at([FigureToProbe("case.tex", source)], engine="none")
    assert not looked.errors
    return list(looked.findings)


def codes(findings: list[Finding]) -> set[str]:
    return {each.code for each in findings}


BAD, GOOD = read("bad"), read("good")


@pytest.mark.parametrize("first", range(0, len(BAD), 20))
def test_a_bad_figure_is_found_and_told_as_reviewed(first: int, golden: Callable[[Path, str], None]) -> None:
    lines = []
    for name in [*BAD][first : first + 20]:
        findings = found(BAD[name])
        assert BAD[name]["finds"] in codes(findings), name
        lines += [f"{name}: {each.severity.value}: {str(each).removeprefix('case.tex:')}" for each in findings]
    golden(ROOT / "tests" / "goldens" / "findings" / f"variants-{first}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", GOOD)
def test_a_good_figure_is_not(name: str) -> None:
    assert found(GOOD[name]) == []


LIMITS = read("limits")
_STEPS, _HALVINGS = 12, 9


def limits(case: dict[str, Any]) -> list[float]:
    """Return the values of X at which findings of the rule begin or end, from a grid with its changes halved."""
    kind = "three" if "three" in case else "body"

    def is_found(value: float) -> bool:
        return case["finds"] in codes(found({kind: case[kind].replace("X", f"{value:.5f}")}))

    low, high = float(case["from"]), float(case["to"])
    grid = [low + (high - low) * step / _STEPS for step in range(_STEPS + 1)]
    ends = []
    for (start, before), (end, after) in pairwise((value, is_found(value)) for value in grid):
        for _ in range(_HALVINGS if before != after else 0):
            half = (start + end) / 2
            start, end = (half, end) if is_found(half) == before else (start, half)
        ends += [(start + end) / 2] if before != after else []
    return ends


@pytest.mark.parametrize("name", LIMITS)
def test_findings_begin_and_end_at_their_limits(name: str) -> None:
    assert limits(LIMITS[name]) == pytest.approx(LIMITS[name]["ends"], rel=1e-3, abs=1e-3)


def test_no_variant_is_missing() -> None:
    assert (len(BAD), len(GOOD)) == (126, 107)


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
    assert [codes(found_in(source)) for source in (OTHERS, own)] == [set(), {"TG320"}]
