"""Findings in a figure of a spec name its elements and their places in the spec, not lines of the .tex."""

from __future__ import annotations

import pytest
from conftest import ROOT

from tikzgen import load, loads
from tikzgen.base.cache import Cache
from tikzgen.lint.probe.drawn_pages import drawn_page
from tikzgen.lint.probe.judge_without_tex import judge_figure
from tikzgen.lint.probe.page_with_source import Sheet

SPEC = """panels:
- content:
    type: topology
    nodes:
    - {id: a, label: A}
    - {id: b, label: B}
    - {id: c, label: C}
    flows:
    - {source: a, target: b, kind: gradient}
    - {source: a, target: c}
    - source: c
      label: back
      target: a
"""


def sheet_of(spec: str, tex: str) -> Sheet:
    """The figure of a spec, drawn without TeX."""
    return Sheet("fig.yaml", tex, drawn_page(tex), described=spec)


@pytest.mark.parametrize("name", ["cluster", "raft-replication", "fsdp-prefetch", "stale-synchronous", "login", "moe"])
def test_each_element_of_an_example_has_words(name: str) -> None:
    path = ROOT / "examples" / f"{name}.yaml"
    sheet = sheet_of(path.read_text(encoding="utf-8"), load(path).tex())
    words = {
        *(sheet.describe_path(each) for each in sheet.page.paths if each.width),
        *(sheet.describe_node(each) for each in sheet.page.nodes),
    }
    assert len(words) > 10
    assert [each for each in words if "line " in each.replace("line of", "") and "leader line" not in each] == []


def test_a_flow_has_the_place_of_its_entry() -> None:
    sheet = sheet_of(SPEC, loads(SPEC).tex())
    flows = {
        sheet.describe_path(each): sheet.locate_path(each)
        for each in sheet.page.paths
        if "flow from" in sheet.describe_path(each)
    }
    assert {words: (place.line, place.column) for words, place in flows.items()} == {
        "the gradient flow from a to b": (9, 8),
        "the data flow from a to c": (10, 8),
        "the data flow from c to a": (11, 7),
    }


PARTS = """panels:
- content:
    type: topology
    nodes:
    - {{kind: worker, id: n, label: Node, parts: [{{label: G0}}, {{label: "{}"}}, {{label: G7}}]}}
"""


@pytest.mark.parametrize("text", ["…", "...", "→", "=", ",", "·", "—", "⋮"])
def test_a_sign_between_texts_has_no_baseline(text: str) -> None:
    spec = PARTS.format(text)
    assert judge_figure("fig.yaml", loads(spec).tex(), spec, Cache(None)).findings == ()
