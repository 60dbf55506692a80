"""Braces and ranges over the nodes of a topology: outside of everything, and not on each other."""

from __future__ import annotations

from typing import Any

from tikzgen import Figure
from tikzgen.layout import layout
from tikzgen.layout.scene.items import SpanningItem
from tikzgen.layout.topology.shapes.node_boxes import BoxShape, PlainTextShape
from tikzgen.layout.topology.topology_items import NodeItem
from tikzgen.model.looks.icons import icons_of_figure
from tikzgen.model.topology.node_shapes import SHAPES

OUTLINED = [name for name in SHAPES.list_entry_names() if not isinstance(SHAPES[name], BoxShape | PlainTextShape)]


def figure(*nodes: dict[str, Any], **facts: Any) -> Figure:
    return Figure.model_validate({"panels": [{"content": {"type": "topology", "nodes": nodes, **facts}}]})


def test_braces_stand_outside_of_all_and_not_on_each_other() -> None:
    nodes = [{"kind": "node", "id": name, "label": name} for name in "abc"]
    braces = [
        {"over": over, "label": "text", "side": side, "look": look}
        for side in ("above", "below", "left", "right")
        for over, look in ((["a", "b"], "brace"), (["b", "c"], "range"), (["a"], "brace"))
    ]
    made = figure(*nodes, braces=braces)
    scene = layout(made, icons_of_figure(made))
    values = {one.name: float(one.value) for one in scene.parameters if one.type == "length-cm"}
    items = [inner for item in scene.items for inner in getattr(item, "items", (item,))]
    lines = [item for item in items if isinstance(item, SpanningItem)]
    assert len(lines) == len(braces)
    nodes_at = [item for item in items if isinstance(item, NodeItem)]
    for line in lines:
        (x0, y0), (x1, y1) = ((x.compute_cm(values), y.compute_cm(values)) for x, y in (line.start, line.end))
        across = [y0, y1, *(item.y.compute_cm(values) for item in nodes_at)]
        along = [x0, x1, *(item.x.compute_cm(values) for item in nodes_at)]
        assert {"above": y0 == max(across), "below": y0 == min(across), "left": x0 == min(along)}.get(
            line.side, x0 == max(along)
        )
    for side in ("above", "below"):
        heights = [line.start[1].compute_cm(values) for line in lines if line.side == side]
        # the first two meet over b, the third one lies beside the second
        assert abs(heights[0] - heights[1]) > 0.3
        assert heights[1] == heights[2]
