"""Notes on topologies and timelines: clear of all, beside what they are about or led to it, or refused.

`tests/cases/notes/` holds the figures.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, some
from folded import unfold
from ruamel.yaml import YAML
from topology_judge import faults, stretched

from tikzgen import Figure, load
from tikzgen.base.errors import SpecError
from tikzgen.base.plane.affine import map_point
from tikzgen.base.plane.rectangles import Box, compute_bounding_box, grow_box, has_overlap, is_within
from tikzgen.compile.draw.canvas import DrawnGroup, TextOnCanvas
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.draw.node_borders import NodeBorder
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.layout import layout
from tikzgen.layout.scene.items import AsideItem
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.operations.operations_table import read_operation
from tikzgen.model.timeline.timeline import Timeline
from tikzgen.model.topology.topology import Topology

CASES = sorted((ROOT / "tests" / "cases" / "notes").glob("*.yaml"))


def topology(drawn: Figure) -> Topology:
    return next(part for _, _, part in drawn.parts(Topology))


def figure(*notes: dict[str, Any], **facts: Any) -> Figure:
    nodes = [{"kind": "worker", "id": f"w{index}", "label": f"W {index}"} for index in (1, 2, 3)]
    flows = [{"source": "w1", "target": "w2", "id": "f"}, {"source": "w2", "target": "w3"}]
    content = {"type": "topology", "nodes": nodes, "flows": flows, "notes": notes, **facts}
    return Figure.model_validate({"panels": [{"content": content}]})


def asides(drawn: Figure) -> list[AsideItem]:
    found = layout(drawn, icons_of_figure(drawn)).items
    return [item for scope in found for item in getattr(scope, "items", (scope,)) if isinstance(item, AsideItem)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize("width", some([None, 8.4, 17.8]))
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
        start, goal = ((x.compute_cm(values), y.compute_cm(values)) for x, y in aside.line)
        assert sign * (goal[place] - start[place]) > 0.3
        (bare,) = asides(figure({"text": "slow", "about": "w2", "side": side}, **row))
        assert sign * (bare.at[place].compute_cm(values) - start[place]) > 0
        assert bare.line == ()


def test_a_long_note_is_broken() -> None:
    (short,), (long,) = (asides(figure({"text": "slow " * count, "about": "w1"})) for count in (1, 30))
    assert short.wrap == 0
    assert 3 < long.wrap <= 4.5


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(SpecError, match=r"notes\[0\]\.side: no blank space for .* in the middle"):
        figure({"text": "a wide text that has no room there", "side": "center"}).tex()
    for note in ({"leader": True}, {"leader": True, "about": "w1", "side": "center"}, {"about": "w9"}):
        with pytest.raises(ValueError, match=r"needs a target|needs no line|unknown node"):
            figure({"text": "x", **note})


def test_notes_follow_what_they_are_about() -> None:
    drawn = figure({"text": "x", "about": "w3"}, {"text": "y", "about": "f"}, {"text": "z"})
    fewer = read_operation("remove-worker", {}).change(drawn)
    assert [note.text for note in topology(fewer).notes] == ["y", "z"]
    renamed = read_operation("rename-id", {"old": "w3", "new": "last"}).change(drawn)
    assert topology(renamed).notes[0].about == "last"


TIMELINE = YAML(typ="safe").load(
    """
lanes: [{id: g0, label: GPU 0}, {id: g1, label: GPU 1}, {id: g2, label: GPU 2}]
spans:
- {lane: g0, start: 0, duration: 3, phase: forward, label: F}
- {lane: g1, start: 3, duration: 3, phase: forward, label: F}
- {lane: g2, start: 6, duration: 3, phase: forward, label: F}
- {lane: g2, start: 9, duration: 4, phase: backward, label: B}
- {lane: g1, start: 13, duration: 4, phase: backward, label: B}
- {lane: g0, start: 17, duration: 4, phase: backward, label: B}
bubbles: [{lane: g2, start: 0, end: 6}]
dependencies: [{source: g0-forward1, target: g1-forward1, kind: message}]
notes:
- {text: idle here, side: center}
- {text: the critical stage, about: g2-backward1}
- {text: a note beside the panel, side: right, boxed: true}
- {text: no work left, about: g0, side: above}
- {text: waits, about: g1-backward1, leader: true}
- {text: all of one step}
"""
)


@pytest.mark.parametrize("direction", ["right", "up", "down"])
@pytest.mark.parametrize("width", [None, 8.4])
def test_notes_on_a_timeline_are_clear_of_all(direction: str, width: float | None) -> None:
    content = {"type": "timeline", "direction": direction, **TIMELINE}
    drawn = Figure.model_validate({"width": width, "panels": [{"content": content}]})
    assert drawn.check() == ()
    drawing = draw(drawn.tex())
    spans = [_box(drawing.nodes[name]) for name in ("g0-forward1", "g1-forward1", "g2-forward1", "g2-backward1")]
    texts = [box for item in drawing.items if isinstance(item, DrawnGroup) for box in _texts(item)]
    assert len(texts) >= 6
    for box in texts:
        assert not any(has_overlap(grow_box(span, -0.05), box) and not is_within(box, span) for span in spans)


def _box(shape: NodeBorder) -> Box:
    return compute_bounding_box([shape.anchor("south west"), shape.anchor("north east")])


def _texts(part: DrawnGroup) -> list[Box]:
    words = [item for item in part.items if isinstance(item, TextOnCanvas)]
    return [
        compute_bounding_box([map_point((x, y), item.matrix) for x, y, _ in item.ink]) for item in words if item.ink
    ]


def test_what_a_note_on_a_timeline_is_about_goes_with_it() -> None:
    drawn = Figure.model_validate({"panels": [{"content": {"type": "timeline", **TIMELINE}}]})
    (timeline,) = (part for _, _, part in drawn.parts(Timeline))
    for name, facts in (("remove-span", {"span": "g1-backward1"}), ("remove-lane", {"lane": "g0"})):
        (after,) = (part for _, _, part in read_operation(name, facts).change(drawn).parts(Timeline))
        assert (len(timeline.notes), len(after.notes)) == (6, 5)
    stray = {"type": "timeline", **TIMELINE, "notes": [{"text": "x", "about": "g9"}]}
    with pytest.raises(ValueError, match="unknown span or lane"):
        Figure.model_validate({"panels": [{"content": stray}]})


def test_a_note_without_free_paper_is_led_to_by_a_number() -> None:
    path = ROOT / "tests/cases/crowded/note-by-number.yaml"
    found = re.findall(r"\\node\[stepmark\] at (.+) \{(\d+)\};", unfold(load(path).tex()))
    assert [number for _, number in found] == ["1", "1"]
    spec = YAML(typ="safe").load(path)
    spec["panels"][0]["content"]["notes"][1]["side"] = "below"
    with pytest.raises(SpecError, match="no blank space"):
        Figure.model_validate(spec).tex()
