"""Several topologies or timelines in one panel: each has macros of its own, and each can be edited.

`tests/cases/parts/` holds the figures; a first part's macros are called as those of a part that is alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT

import tikzgen.edit
from tikzgen import load
from tikzgen.compile.tex.compile_tex import compile_tex

PARTS = ROOT / "tests/cases/parts"
EDITS = [
    ("topologies", "set", {"parameter": "vonetoqspushlabel", "value": "pull"}, "pull"),
    ("topologies", "set", {"parameter": "qstovonefetchlabel", "value": "give"}, "give"),
    ("topologies", "rename-node", {"node": "v1", "label": "Node B"}, "Node B"),
    ("topologies", "rename-id", {"old": "v1", "new": "x1"}, "(x1)"),
    ("topologies", "recolor", {"what": "v1", "color": "otpurple"}, "otpurple"),
    ("timelines", "set", {"parameter": "abubbleonetwotext", "value": "sleeps"}, "sleeps"),
    ("timelines", "set", {"parameter": "gpuonelanelabelthree", "value": "GPU X"}, "GPU X"),
    ("three", "set", {"parameter": "etofdatalabel", "value": "last"}, "last"),
    ("three", "set", {"parameter": "xbubbleonetext", "value": "rests"}, "rests"),
]


def macros(name: str) -> dict[str, str]:
    return dict(re.findall(r"\\def\\(\w+)\{(.*)\}%", load(PARTS / f"{name}.yaml").tex()))


def test_each_part_has_macros_of_its_own() -> None:
    found = macros("topologies")
    assert (found["workeronetopspushlabel"], found["vonetoqspushlabel"]) == ("push $g$", "push $h$")
    found = macros("timelines")
    assert (found["gpuonebubbleonetext"], found["abubbleonetwotext"]) == ("waits", "idle")
    assert (found["gpuonelanelabel"], found["gpuonelanelabelthree"]) == ("GPU 1", "GPU 5")
    found = macros("three")
    flows = ("atobdatalabel", "ctoddatalabel", "etofdatalabel", "twoatobdatalabel")
    assert [found[macro] for macro in flows] == ["first", "second", "third", "fourth"]


@pytest.mark.tex
@pytest.mark.parametrize("name", ["topologies", "timelines", "three"])
def test_a_panel_of_several_parts_compiles(name: str) -> None:
    assert compile_tex(load(PARTS / f"{name}.yaml").tex()).pdf.startswith(b"%PDF")


@pytest.mark.parametrize(("name", "operation", "arguments", "after"), EDITS)
def test_a_later_part_is_edited(
    name: str, operation: str, arguments: dict[str, str], after: str, tmp_path: Path
) -> None:
    path = load(PARTS / f"{name}.yaml").save(tmp_path / "fig.tex")
    before = path.read_text()
    editing = tikzgen.edit.open(path)
    outcome = editing.attempt(operation, arguments)
    assert outcome.status == "applied", str(outcome)
    editing.save()
    changed = set(path.read_text().splitlines()) - set(before.splitlines())
    assert any(after in line for line in changed)
