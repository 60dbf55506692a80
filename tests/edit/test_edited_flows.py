"""A manual edit stays with its flow, whatever an operation does to the other flows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from conftest import NIGHTLY, example_tex, some

from tikzgen import loads
from tikzgen.edit.lift.read_elements import Elements, Key
from tikzgen.edit.merge import MergeConflict, Side
from tikzgen.edit.open_figure import Editing
from tikzgen.edit.operation_calls import from_words
from tikzgen.spec.embedded_spec import rows_of, split_file

WIDTH = "line width=3.3pt"
MOVED = "set-node w2 offset=[1,0.3]"
CALLS = [
    ("distributed-training", [MOVED]),
    ("distributed-training", [MOVED, "set-node w2 offset=[0,0]"]),
    ("distributed-training", [MOVED, "set-node w2 offset=[0,0]", "add-worker"]),
    ("distributed-training", [MOVED, "add-worker", "remove-worker w3"]),
    ("distributed-training", ["remove-worker w2"]),
    ("cluster", ["remove-worker w2"]),
    ("cluster", ["remove-worker w3"]),
    ("cluster", ["add-worker", "remove-worker w1"]),
    ("cluster", ["remove-node net"]),
    ("parameter-server", ["remove-worker w1"]),
    ("recipe: parameter-server\nworkers: 7\n", ["add-worker"]),
]


def apply(text: str, calls: list[str]) -> str:
    for call in calls:
        editing = Editing(Path("fig.tex"), text.encode())
        outcomes = editing.attempt_all(from_words(call.split()))
        assert [outcome.status for outcome in outcomes] == ["applied"], outcomes
        text = editing.text()
    return text


def find_wide_flows(text: str) -> tuple[set[Key], set[Key]]:
    """Return the flows of a file: those of the edited width, and all."""
    elements = Elements(rows_of(split_file(text)[0]))
    flows = {key for key in elements.says if key[0] == "flow"}
    return {key for key in flows if WIDTH in elements.options.get(key, ())}, flows


def edit_each_line(text: str) -> Iterator[str]:
    """Yield the file with another width of one line of its flows, for each of them; by day, for every third one."""
    start = text.index("% flows")
    lines = re.finditer(r"\\draw\[", text[start : text.index("\\end{tikzpicture}", start)])
    for found in islice(lines, 0, None, 1 if NIGHTLY else 3):
        at = start + found.end()
        yield f"{text[:at]}{WIDTH}, {text[at:]}"


@pytest.mark.parametrize(("figure", "calls"), some(CALLS, 4), ids=str)
def test_a_manual_edit_stays_with_its_flow(figure: str, calls: list[str]) -> None:
    before = loads(figure).tex() if ":" in figure else example_tex(figure).read_text(encoding="utf-8")
    known = find_wide_flows(before)[1]
    drawn = find_wide_flows(apply(before, calls))[1]
    for text in edit_each_line(before):
        edited = find_wide_flows(text)[0]
        if not edited:  # a link to a timeline
            continue
        try:
            wide, flows = find_wide_flows(apply(text, calls))
        except MergeConflict as conflict:
            gone = {f"flow {source} to {target}" for _, source, target, *_ in edited - drawn}
            assert any(name in conflict.message for name in gone)
            continue
        assert flows == drawn
        assert wide & known == edited & drawn


@pytest.mark.parametrize("width", ["", f"{WIDTH}, "], ids=["joined", "joined and wider"])
@pytest.mark.parametrize("prefer", [None, "ours"])
def test_a_folded_statement_that_a_person_joined_is_one_statement(width: str, prefer: Side | None) -> None:
    """The operation moves the label of a flow; each side has all of its statement, or none."""
    before = example_tex("cluster").read_text(encoding="utf-8")
    folded = re.search(r"  \\draw\[data\][^;]*\n[^;]*;\n", before)
    assert folded
    joined = re.sub(r"\n +", " ", folded[0].rstrip()).replace("[", f"[{width}", 1) + "\n"
    editing = Editing(Path("fig.tex"), before.replace(folded[0], joined, 1).encode())
    editing.apply("set-node", node="store", offset=[0.5, 0.5])
    text = editing.text(prefer).partition("% tikzgen spec:")[0]
    drawn = apply(before, ["set-node store offset=[0.5,0.5]"]).partition("% tikzgen spec:")[0]
    assert text.replace(width, "").split() == drawn.split()
