"""Shapes of entities: flows end on their outlines, texts stand inside, and what cannot be is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest
from drawn_outlines import distance_to, find_painted, list_points

from tikzgen import Figure
from tikzgen.compile.draw.canvas import DrawnGroup
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.layout.topology.shapes.node_boxes import BoxShape, PlainTextShape
from tikzgen.model.topology.node_shapes import SHAPES

OUTLINED = [name for name in SHAPES.list_entry_names() if not isinstance(SHAPES[name], BoxShape | PlainTextShape)]


def figure(*nodes: dict[str, Any], **facts: Any) -> Figure:
    return Figure.model_validate({"panels": [{"content": {"type": "topology", "nodes": nodes, **facts}}]})


@pytest.mark.parametrize("form", OUTLINED)
@pytest.mark.parametrize("size", [(0.3, 0.25), (2.0, 0.25), (3.5, 1.2)])
def test_the_text_stands_inside(form: str, size: tuple[float, float]) -> None:
    wide, tall = SHAPES[form].size(*size)
    # at the height of the text's upper edge, the outline is beyond its end
    assert wide / 2 - SHAPES[form].compute_inset((wide, tall), "east", size[1] / 2) >= size[0] / 2
    assert tall / 2 - SHAPES[form].compute_inset((wide, tall), "north", size[0] / 2) >= size[1] / 2


@pytest.mark.parametrize("form", OUTLINED)
@pytest.mark.parametrize("side", ["north", "south", "east", "west"])
def test_outlines_touch_their_box_in_the_middle_of_each_side(form: str, side: str) -> None:
    assert SHAPES[form].compute_inset((2.0, 1.0), side, 0.0) == pytest.approx(0, abs=0.01)
    away = SHAPES[form].compute_inset((2.0, 1.0), side, 0.4)
    assert away == pytest.approx(SHAPES[form].compute_inset((2.0, 1.0), side, -0.4), abs=0.06)
    assert form == "cylinder" or away > 0.01


@pytest.mark.parametrize("form", OUTLINED)
def test_flows_end_on_the_outline(form: str) -> None:
    hub = {"kind": "node", "id": "hub", "label": "the hub of all", "shape": form}
    others = [{"kind": "node", "id": f"n{index}", "label": f"N {index}"} for index in range(5)]
    flows = [{"source": "hub", "target": f"n{index}"} for index in range(5)]
    drawing = draw(figure(hub, *others, flows=flows, layout={"type": "auto", "direction": "down"}).tex())
    parts = [item for item in drawing.items if isinstance(item, DrawnGroup)]
    (drawn,) = (part for part in parts if part.node is not None and part.node.name == "hub")
    border = list_points(next(item for item in find_painted(drawn.items) if item.fill is not None))
    ways = [item for item in find_painted(drawing.items) if item.stroke and item.fill is None]
    starts = [way.path[0].points[0] for way in ways if {step.kind for step in way.path} <= {"M", "L"}]
    assert len(starts) >= 5
    aside = [distance_to(start, border) for start in starts]
    assert sum(found < 0.8 for found in aside) >= 5  # pt: the others' tips are lines as well


def test_a_shape_takes_the_place_of_a_kinds_own_icon() -> None:
    nodes = figure({"kind": "worker", "id": "w1", "shape": "circle"}, {"kind": "worker", "id": "w2"}).tex()
    assert nodes.count(r"\gpupic") == 2  # defined, and drawn once


def test_an_icon_with_parts_and_replicas_stands_in_a_card_with_them() -> None:
    parts = [{"label": "first"}, {"label": "second"}]
    tex = figure({"kind": "worker", "id": "w1", "label": "Worker", "parts": parts, "replicas": 3}).tex()
    assert {"w1", "w1-icon", "w1-part1", "w1-part2"} <= set(draw(tex).nodes)
    assert tex.count("]w1.north west)") == 4  # twice a sheet


@pytest.mark.parametrize(
    ("node", "says"),
    [
        ({"shape": "circle", "icon": "gpu"}, 'an icon does not fit into "circle"'),
        ({"shape": "card"}, "a card needs an icon"),
        ({"shape": "cloud", "replicas": 2}, '"cloud" has no replicas'),
        ({"shape": "diamond", "parts": [{"label": "p"}]}, '"diamond" has no parts'),
        ({"part_side": "left"}, "needs parts"),
        ({"part_side": "left", "parts": [{"label": "p"}], "shape": "cylinder"}, '"cylinder" has no side for parts'),
        ({"part_side": "left", "parts": [{"label": "p"}], "cells": "rows"}, "cells: rows needs parts inside of a box"),
        ({"part_side": "right", "parts": [{"label": "p"}], "replicas": 2}, "the copies of a stack occupy this side"),
    ],
)
def test_what_a_shape_cannot_hold_is_refused(node: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        figure({"kind": "node", "id": "a", **node})


def _boxes(made: Figure) -> dict[str, tuple[float, float, float, float]]:
    """The borders of nodes on paper, in pt."""
    found = {}
    for part in draw(made.tex()).items:
        if isinstance(part, DrawnGroup) and part.node is not None and part.node.name:
            points = [point for item in find_painted(part.items) for step in item.path for point in step.points]
            if points:
                xs, ys = [x for x, _ in points], [y for _, y in points]
                found[part.node.name] = (min(xs), min(ys), max(xs), max(ys))
    return found


@pytest.mark.parametrize("side", ["above", "below", "left", "right"])
@pytest.mark.parametrize("cells", ["apart", "joined"])
def test_flows_end_on_chips_outside(side: str, cells: str) -> None:
    """The chips are as long as their side together, and the flow that meets it ends where they do."""
    axis, outer = (1, side == "above") if side in ("above", "below") else (0, side == "right")
    hub = {"kind": "worker", "id": "w1", "label": "W", "part_side": side, "cells": cells}
    ends = {"source": "w1", "target": "n"} if side in ("below", "right") else {"source": "n", "target": "w1"}
    layout = {"type": "auto", "direction": "right" if axis == 0 else "down"}
    made = figure(
        {**hub, "parts": [{"label": "a"}, {"label": "b"}, {"label": "c"}]},
        {"kind": "node", "id": "n", "label": "N"},
        flows=[{**ends, "direction": "none"}],
        layout=layout,
    )
    boxes = _boxes(made)
    chips = [boxes[f"w1-part{place}"] for place in (1, 2, 3)]
    low, high = (f(chip[1 - axis + 2 * way] for chip in chips) for f, way in ((min, 0), (max, 1)))
    assert (low, high) == pytest.approx((boxes["w1"][1 - axis], boxes["w1"][3 - axis]), abs=0.1)
    (line,) = (item for item in find_painted(draw(made.tex()).items) if item.stroke and len(item.path) == 2)
    border = {chip[axis + 2 * outer] for chip in chips}
    assert len(border) == 1
    assert min(abs(step.end[axis] - border.copy().pop()) for step in line.path) < 0.8  # pt: half the lines


@pytest.mark.parametrize("form", ["box", "rounded", "cylinder"])
@pytest.mark.parametrize("cells", ["apart", "joined", "rows"])
def test_parts_stand_in_their_entity_apart_joined_or_in_rows(form: str, cells: str) -> None:
    parts = [{"label": text} for text in ("a", "beta", "long text")]
    made = figure({"kind": "node", "id": "n", "label": "N", "shape": form, "parts": parts, "cells": cells})
    boxes = _boxes(made)
    around, one, other = boxes["n"], boxes["n-part1"], boxes["n-part2"]
    for index in (1, 2, 3):
        inner = boxes[f"n-part{index}"]
        assert around[0] - 0.1 <= inner[0] <= inner[2] <= around[2] + 0.1
        assert around[1] - 0.1 <= inner[1] <= inner[3] <= around[3] + 0.1
    gap = abs(other[1] - one[3]) if cells == "rows" and other[1] > one[1] else one[1] - other[3]
    aside = other[0] - one[2]
    assert (abs(gap) < 1) if cells == "rows" else (abs(aside) < 1) == (cells == "joined")


def test_a_legend_explains_roles_kinds_steps_and_states() -> None:
    nodes = [
        {"kind": "server", "id": "ps", "label": "S"},
        {"kind": "worker", "id": "w1", "label": "W", "state": "failed"},
    ]
    flows = [{"source": "ps", "target": "w1", "kind": "weight", "step": 1}]
    told = {"of": ["roles", "kinds", "steps", "states"], "texts": {"worker": "Trainer", "1": "first"}}
    content = {"type": "topology", "nodes": nodes, "flows": flows}
    tex = Figure.model_validate({"legend": told, "panels": [{"content": content}]}).tex()
    found = re.findall(r"\((legend-\w+)-text\) at .*\{\\(\w+)\}", tex)
    assert [name for name, _ in found] == [
        "legend-serverrole",
        "legend-workerrole",
        "legend-weightkind",
        "legend-onestep",
        "legend-failedstate",
    ]
    texts = dict(re.findall(r"\\def\\(\w+)\{([^}]*)\}", tex))
    assert [texts[macro] for _, macro in found] == ["server", "Trainer", "weight", "first", "failed"]
