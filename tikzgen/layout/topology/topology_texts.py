"""Where the texts of a topology stand, roughly: what a link across the figure had better not strike through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tikzgen.layout.attempt import PAD
from tikzgen.layout.extent import Extent
from tikzgen.layout.topology.flow_outline import label_place, outline
from tikzgen.layout.topology.network import Network
from tikzgen.layout.topology.topology_items import Edge

__all__ = ["topology_texts"]

_ROUND = 0.09  # cm of the room round a flow's label


def topology_texts(net: Network, edges: Sequence[Edge]) -> Iterator[tuple[str, Extent]]:
    """The places of the texts in boxes and below icons, with their nodes' names, and of those beside flows, without."""
    for node in net.topology.nodes:
        name, shape = net.plan.name(net.panel, node.id), net.shapes[node.id]
        x, y = net.where[node.id].at
        if node.id in net.boxes:
            yield name, outline(net, node.id).grown(-PAD)
            continue
        yield name, outline(net, node.id)
        if shape.below:
            half, top = shape.caption / 2, y - shape.height / 2
            yield name, Extent(x - half, top - shape.below, x + half, top)
    for flow, edge in zip(net.topology.flows, edges, strict=True):
        if edge.label and not edge.turn:
            yield "", label_place(net, flow, edge).grown(-_ROUND)
