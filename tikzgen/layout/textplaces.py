"""Where the texts of a panel stand, roughly: what a link across the figure had better not strike through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.chart import Chart
from tikzgen.layout.network import Network
from tikzgen.layout.plan import PAD, Plan
from tikzgen.layout.reaches import label_place, outline
from tikzgen.layout.scene import Edge, Extent
from tikzgen.layout.swings import span_outlines
from tikzgen.layout.timelines.room import is_level

__all__ = ["span_texts", "topology_texts"]

_ROUND = 0.09  # cm of the room round a flow's label
Named = tuple[str, Extent]
"""A text's place, and the name of the node that it is in; empty for a text beside a flow."""


def span_texts(plan: Plan, chart: Chart) -> Iterator[Named]:
    """The texts in the spans of a timeline."""
    outlines = span_outlines(plan, chart, frozenset(chart.names))
    for span, name in zip(chart.part.spans, chart.names, strict=True):
        if not span.label and span.number is None:
            continue
        size = plan.measure(span.label or str(span.number))
        width, height = size.width, size.height + size.depth
        if chart.part.direction != "right" and not is_level(plan, chart.part, span):
            width, height = height, width
        node = plan.name(chart.panel, name)
        box = outlines[node]
        wide = min(width, box.width(plan.values)) / 2
        high = min(height, box.height(plan.values)) / 2
        x, y = (box.left + box.right) * 0.5, (box.bottom + box.top) * 0.5
        yield node, Extent(x - wide, y - high, x + wide, y + high)


def topology_texts(net: Network, edges: Sequence[Edge]) -> Iterator[Named]:
    """The texts in boxes, below icons and beside flows."""
    for node in net.topology.nodes:
        name, shape = net.plan.name(net.panel, node.id), net.shapes[node.id]
        x, y = net.where[node.id].at
        if node.id in net.boxes:
            yield name, outline(net, node.id).grown(-PAD)
        elif shape.below:
            half, top = shape.caption / 2, y - shape.height / 2
            yield name, Extent(x - half, top - shape.below, x + half, top)
    for flow, edge in zip(net.topology.flows, edges, strict=True):
        if edge.label and not edge.turn:
            yield "", label_place(net, flow, edge).grown(-_ROUND)
