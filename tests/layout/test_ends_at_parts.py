"""Flows, links and notes at parts of nodes: they end on the border of the part, in any layout."""

import math
import pickle
import re

import pytest
import yaml
from pydantic import ValidationError
from topology_figures import topology_figure
from topology_judge import seen

from tikzgen import Figure
from tikzgen.base.plane.units import PT_PER_CM
from tikzgen.compile.draw.canvas import PaintedPath
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.layout import layout
from tikzgen.layout.scene.items import AsideItem
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.operations.parts_of_figures import renamed_ref
from tikzgen.model.part import shorten_description

_HEAD_CM = 0.3  # cm of an arrow head, which covers the end of its line

TABLE = {
    "id": "table",
    "shape": "box",
    "cells": "rows",
    "parts": [{"label": "x"}, {"label": "y", "id": "head"}, {"label": "z"}],
}
QUEUE = {"id": "q", "shape": "box", "cells": "joined", "parts": [{"label": "x"}, {"label": "y"}]}
DISK = {"id": "disk", "shape": "cylinder", "cells": "rows", "parts": [{"label": "x"}, {"label": "y"}]}
CHIPS = {"id": "chips", "shape": "box", "part_side": "right", "parts": [{"label": "x"}, {"label": "y"}]}
A, B = {"id": "a", "shape": "box"}, {"id": "b", "shape": "box"}
FLOWS = [
    ([A, B, TABLE], [("a", "table.part(1)", "table-part1"), ("b", "table.part(head)", "table-part2")]),
    ([TABLE, A, B], [("table.part(3)", "a", "table-part3"), ("table.part(3)", "b", "table-part3")]),
    ([A, QUEUE], [("a", "q.part(2)", "q-part2")]),
    ([A, DISK, B], [("a", "disk.part(2)", "disk-part2"), ("disk.part(1)", "b", "disk-part1")]),
    ([CHIPS, A, B], [("chips.part(1)", "a", "chips-part1"), ("chips.part(2)", "b", "chips-part2")]),
]
LAYOUTS = [None, {"type": "row"}, {"type": "column"}, {"type": "auto", "direction": "right"}]


def box_of(drawing, name):
    """Return the box of a node in cm."""
    node = drawing.nodes[name]
    corners = [node.anchor(corner) for corner in ("south west", "north east")]
    return tuple(length / PT_PER_CM for corner in corners for length in corner)


@pytest.mark.parametrize(("nodes", "flows"), FLOWS)
@pytest.mark.parametrize("arrangement", LAYOUTS)
def test_flows_end_at_the_border_of_the_part(nodes, flows, arrangement):
    facts = {"layout": arrangement} if arrangement else {}
    stated = [{"source": source, "target": target} for source, target, _ in flows]
    figure = topology_figure(nodes=nodes, flows=stated, **facts)
    drawing = draw(figure.tex())
    lines = seen(drawing, figure.panels[0].content[0]).lines
    assert len(lines) == len(flows)
    for (source, _, name), (_, _, way) in zip(flows, lines, strict=True):
        left, bottom, right, top = box_of(drawing, name)
        x, y = way[0] if "part" in source else way[-1]
        beside = bottom <= y <= top and min(abs(x - left), abs(x - right)) < _HEAD_CM
        below = left <= x <= right and min(abs(y - bottom), abs(y - top)) < _HEAD_CM
        assert beside or below, (name, (x, y), (left, bottom, right, top))


@pytest.mark.parametrize("nodes", [[TABLE], [QUEUE], [DISK], [CHIPS]])
def test_links_end_at_the_border_of_the_part(nodes):
    topology = {"id": "t", "content": {"type": "topology", "nodes": nodes}}
    lanes = {"type": "timeline", "lanes": [{"id": "g"}], "spans": [{"lane": "g", "start": 0, "duration": 1, "id": "s"}]}
    name = nodes[0]["id"]
    links = [{"source": f"t.{name}.part(2)", "target": "l.s"}]
    figure = Figure.model_validate({"panels": [topology, {"id": "l", "content": lanes}], "links": links})
    assert re.search(rf"\\draw\[link[^\]]*\] \(t-{name}-part2\.\w+\)", figure.tex())


SPAN = {"type": "timeline", "lanes": [{"id": "g"}], "spans": [{"lane": "g", "start": 0, "duration": 1, "id": "s"}]}
RECORD = {"type": "topology", "nodes": [TABLE]}
POOL_CELLS = [("[1,1]", (1, 1, 2, 2)), ("[2,0]", (2, 0, 3, 1)), ("[0:2,1]", (0, 1, 2, 2))]


def stroke_ends(drawing, line):
    """Return both ends in cm of the curve that a line of the file draws."""
    (steps,) = [
        item.path
        for group in drawing.items
        if getattr(group, "line", 0) == line
        for item in group.items
        if isinstance(item, PaintedPath) and item.fill is None
    ]
    return [(x / PT_PER_CM, y / PT_PER_CM) for x, y in (steps[0].points[0], steps[-1].points[-1])]


@pytest.mark.parametrize("values", [None, [["a", "b"], ["c", "d"], ["e", "f"]]])
@pytest.mark.parametrize(("keys", "cells"), POOL_CELLS)
@pytest.mark.parametrize(
    ("source", "content", "name"), [("t.s", SPAN, "t-s"), ("t.table.part(2)", RECORD, "t-table-part2")]
)
def test_links_join_spans_and_parts_to_the_border_of_cells(source, content, name, keys, cells, values):
    array = {"id": "pool", "size": [3, 2], "cell": "own"} | ({"values": values} if values else {})
    panels = [{"id": "t", "content": content}, {"id": "c", "content": {"type": "cells", "arrays": [array]}}]
    links = [{"source": source, "target": f"c.pool{keys}"}]
    tex = Figure.model_validate({"panels": panels, "links": links, "width": 17.8}).tex()
    drawing = draw(tex)
    left, bottom, right, top = box_of(drawing, "c-pool")
    wide, high = (right - left) / 2, (top - bottom) / 3
    box = (left + cells[1] * wide, top - cells[2] * high, left + cells[3] * wide, top - cells[0] * high)
    (link,) = re.finditer(r"\\draw\[link[^;]*?\((t-[\w-]+)\.[\w ]+\)[^;]*\((c-[\w-]+)\.[\w ]+\);", tex)
    assert link[1] == name
    assert box_of(drawing, link[2]) == pytest.approx(box, abs=0.01)
    ends = stroke_ends(drawing, tex[: link.start()].count("\n") + 1)
    for (x, y), (left, bottom, right, top) in zip(ends, (box_of(drawing, name), box), strict=True):
        reach = math.hypot(max(left - x, x - right, 0), max(bottom - y, y - top, 0))
        depth = min(x - left, right - x, y - bottom, top - y)
        assert reach < _HEAD_CM
        assert depth < 0.02


def test_a_note_at_a_part_stands_beside_it():
    figure = topology_figure(nodes=[TABLE], notes=[{"text": "here", "about": "table.part(head)"}])
    scene = layout(figure, icons_of_figure(figure))
    values = {one.name: float(one.value) for one in scene.parameters if one.type == "length-cm"}
    (note,) = (item for item in scene.items if isinstance(item, AsideItem))
    _, bottom, _, top = box_of(draw(figure.tex()), "table-part2")
    assert bottom <= note.at[1].compute_cm(values) <= top


def test_slides_show_a_part_with_its_group():
    panel = {"content": {"type": "topology", "nodes": [TABLE]}}
    slides = {"by": "groups", "groups": {"first": ["table.part(1)"], "then": ["table.part(head)"]}}
    tex = Figure.model_validate({"panels": [panel], "slides": slides}).tex()
    order = [tex.index(f"(table-part{number})") for number in (3, 1, 2)]
    assert "uncoverenv" in tex or "onslide" in tex or "only" in tex
    assert len({*order}) == 3


ROUND = topology_figure(
    nodes=[A, TABLE], flows=[{"source": "a", "target": "table.part(head)"}], notes=[{"text": "n", "about": "a"}]
)


def test_the_spec_says_the_part_as_it_was_given():
    facts = shorten_description(ROUND)
    assert facts["panels"][0]["content"][0]["flows"][0]["target"] == "table.part(head)"
    assert Figure.model_validate(yaml.safe_load(yaml.safe_dump(facts))) == ROUND
    other = topology_figure(
        nodes=[A, TABLE], flows=[{"source": "a", "target": "table.part(1)"}], notes=[{"text": "n", "about": "a"}]
    )
    assert other != ROUND


def test_ends_survive_pickling_and_renaming():
    flow = ROUND.panels[0].content[0].flows[0]
    again = pickle.loads(pickle.dumps(flow.target))
    assert (again, again.part, again.spec_text) == ("table", "head", "table.part(head)")
    assert renamed_ref(flow.target, {"table": "index"}).spec_text == "index.part(head)"
    assert renamed_ref("table.part(2)", {"table": "index"}) == "index.part(2)"
    assert renamed_ref(flow.target, {"table": None}) is None


REFUSED = [
    ({"source": "a", "target": "table.part(4)"}, 'there is no part 4 in "table"'),
    ({"source": "a", "target": "table.part(tail)"}, 'no part has the id "tail" in "table"'),
    ({"source": "a", "target": "b.part(1)"}, '"b" has no part'),
    ({"source": "a", "target": "table[0,1]"}, "unknown node"),
    ({"source": "table.part(1)", "target": "table.part(2)"}, 'a flow between parts of "table"'),
    ({"source": "table.part(1)", "target": "table"}, 'a flow between parts of "table"'),
    ({"source": "a", "target": "table.part(1)", "route": "bus"}, "a bus ends at whole nodes"),
]


@pytest.mark.parametrize(("flow", "message"), REFUSED)
def test_a_flow_at_no_part_is_refused(flow, message):
    with pytest.raises(ValidationError) as caught:
        topology_figure(nodes=[A, B, TABLE], flows=[flow])
    assert message in str(caught.value)


def test_parts_of_one_node_have_distinct_ids():
    twice = {**TABLE, "parts": [{"label": "x", "id": "one"}, {"label": "y", "id": "one"}]}
    with pytest.raises(ValidationError, match='the id "one" is used twice in the node'):
        topology_figure(nodes=[twice])
