"""Edits as other TikZ editors write them, of figures of each kind: the docs name those that come back to the spec."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command import run
from conftest import ROOT

from tikzgen import loads

TOPOLOGY = """panels:
- content:
    type: topology
    nodes: [{id: a, label: Loader}, {id: b, label: Store}]
    flows: [{source: a, target: b, label: reads}]
"""
FIGURES = {"topology": loads(TOPOLOGY).tex} | {
    name: (ROOT / "tests" / "goldens" / f"{name}.tex").read_text
    for name in ("overlap", "vector-clocks", "distributed-training")
}
EDITS = {  # figure, text in the file, text that the editor writes, operations or what stays in the .tex
    "drag": ("topology", r"(b) at ({\colsep+2.673},-0.41)", "(b) at (3.67,0.09)", "set-node node=b offset=0.497,0.5"),
    "drag of an icon": (
        "distributed-training",
        r"(w1) at (\colsep,\rowsep)",
        "(w1) at (5.1,3)",
        "set-node node=w1 offset=0.5,0.5",
    ),
    "drag of a number": (
        "topology",
        "(a) at (0.683,-0.41)",
        "(a) at (1.18,-0.91)",
        "set-node node=a offset=0.497,-0.5",
    ),
    "label": (
        "topology",
        r"(a) at (0.683,-0.41) {\alabel}",
        "(a) at (0.683,-0.41) {Reader}",
        "rename-node node=a label=Reader",
    ),
    "parameter": ("distributed-training", r"\def\colsep{4.6}", r"\def\colsep{5}", "set parameter=colsep value=5"),
    "color": ("topology", "tone=otgray] (b)", "tone=otgray, fill=green] (b)", None),
    "drag of a span": ("overlap", "(compute-forward1) at (0,0)", "(compute-forward1) at (0.5,0.5)", None),
    "drag of a lifeline": ("vector-clocks", "(p) at ([xshift=-0.12cm]0,0)", "(p) at ([xshift=-0.12cm]0.5,0.5)", None),
    "line": ("topology", r"\end{tikzpicture}", "\\draw (0,0) -- (1,1);\n\\end{tikzpicture}", None),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_comes_back_or_stays_in_the_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    figure, before, after, operation = EDITS[name]
    text = FIGURES[figure]()
    assert text.count(before) == 1
    Path("fig.tex").write_text(text.replace(before, after), encoding="utf-8")
    shown = run("show", "fig.tex").out
    found = re.findall(r"(?<=manual edits as operations\n  )[^\n]+", shown)
    assert found == ([operation] if operation else [])
    assert ("manual edits that are not in the spec" in shown) == (operation is None)
    pulled = run("pull", "fig.tex", "-o", "fig.yaml")
    assert pulled.status == 0
    assert ("the spec cannot express 1 manual edit" in pulled.err) == (operation is None)
