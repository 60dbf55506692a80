"""Notes on topologies: clear of all at any distances, beside what they are about or led to it, or refused.

`tests/cases/notes/` holds the figures.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from topology_judge import faults, stretched

from tikzgen import Figure, load
from tikzgen.base.errors import SpecError
from tikzgen.compile.compile_tex import compile_tex
from tikzgen.icons import wanted
from tikzgen.layout import layout
from tikzgen.layout.topology.topology_items import Aside
from tikzgen.model.operations import read_operation
from tikzgen.model.topology import Topology

CASES = sorted((ROOT / "tests" / "cases" / "notes").glob("*.yaml"))


def topology(drawn: Figure) -> Topology:
    return next(part for _, _, part in drawn.parts(Topology))


def figure(*notes: dict[str, Any], **facts: Any) -> Figure:
    nodes = [{"kind": "worker", "id": f"w{index}", "label": f"W {index}"} for index in (1, 2, 3)]
    flows = [{"source": "w1", "target": "w2", "id": "f"}, {"source": "w2", "target": "w3"}]
    content = {"type": "topology", "nodes": nodes, "flows": flows, "notes": notes, **facts}
    return Figure.model_validate({"panels": [{"content": content}]})


def asides(drawn: Figure) -> list[Aside]:
    found = layout(drawn, wanted(drawn)).items
    return [item for scope in found for item in getattr(scope, "items", (scope,)) if isinstance(item, Aside)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize("width", [None, 8.4, 17.8])
def test_notes_are_clear_of_all(path: Path, width: float | None) -> None:
    drawn = load(path).model_copy(update={"width": width})
    assert drawn.check() == ()
    if topology(drawn).layout.type == "auto":
        for factor in (0.5, 1.0, 2.0):
            assert faults(stretched(drawn.tex(), factor), topology(drawn)) == []
    assert len(asides(drawn)) == len(topology(drawn).notes)


@pytest.mark.tex
def test_notes_compile() -> None:
    assert compile_tex(load(CASES[0]).tex()).pdf.startswith(b"%PDF")


def test_a_note_stands_on_its_side_and_its_line_ends_at_what_it_is_about() -> None:
    for side, place, sign in (("left", 0, -1), ("right", 0, 1), ("above", 1, 1), ("below", 1, -1)):
        row = {"layout": {"type": "auto", "direction": "down" if side in ("left", "right") else "right"}}
        (aside,) = asides(figure({"text": "slow", "about": "w2", "side": side, "leader": True}, **row))
        values = {"colsep": 1.0, "rowsep": 1.0}
        start, goal = ((x.at(values), y.at(values)) for x, y in aside.line)
        assert sign * (goal[place] - start[place]) > 0.3
        (bare,) = asides(figure({"text": "slow", "about": "w2", "side": side}, **row))
        assert sign * (bare.at[place].at(values) - start[place]) > 0
        assert bare.line == ()


def test_a_long_note_is_broken() -> None:
    (short,), (long,) = (asides(figure({"text": "slow " * count, "about": "w1"})) for count in (1, 30))
    assert short.wrap == 0
    assert 3 < long.wrap <= 4.5


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(SpecError, match=r"notes\[0\]\.side: there is no free paper in the middle"):
        figure({"text": "a wide text that has no room there", "side": "center"}).tex()
    for note in ({"leader": True}, {"leader": True, "about": "w1", "side": "center"}, {"about": "w9"}):
        with pytest.raises(ValueError, match=r"leads to what|needs no line|no node"):
            figure({"text": "x", **note})


def test_notes_follow_what_they_are_about() -> None:
    drawn = figure({"text": "x", "about": "w3"}, {"text": "y", "about": "f"}, {"text": "z"})
    fewer = read_operation("remove-worker", {}).change(drawn)
    assert [note.text for note in topology(fewer).notes] == ["y", "z"]
    renamed = read_operation("rename-id", {"old": "w3", "new": "last"}).change(drawn)
    assert topology(renamed).notes[0].about == "last"
