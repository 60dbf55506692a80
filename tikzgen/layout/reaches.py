"""What flows add to the extent of a panel: their labels, arcs and loops."""

from __future__ import annotations

from tikzgen.layout.network import Network
from tikzgen.layout.scene import Edge, Extent
from tikzgen.model.topology import Flow

__all__ = ["reach"]

_ROUND = 0.106  # cm round a flow's label: the 3pt of the template


def reach(net: Network, flow: Flow, edge: Edge) -> list[Extent]:
    """What a flow's label or arc adds to the extent of the panel."""
    (sx, sy), (tx, ty) = net.where[flow.source].at, net.where[flow.target].at
    found = []
    mid_x, mid_y = sx + (tx - sx) * edge.pos, sy + (ty - sy) * edge.pos
    if edge.route == "arc":
        rise = 0.27 * (abs((tx - sx).at(net.plan.values)) + abs((ty - sy).at(net.plan.values)))
        rise += net.shapes[flow.source].height / 2
        found.append(Extent(mid_x, mid_y, mid_x + (rise if edge.source.endswith("east") else 0), mid_y + rise))
        mid_y = mid_y + (rise if edge.source.endswith("north") else 0)
    if edge.route == "loop":
        found.append(Extent(sx, sy, sx, sy + net.shapes[flow.source].height / 2 + 0.8))
        mid_y = sy + net.shapes[flow.source].height / 2 + 0.7
    if edge.label:
        size = net.plan.measure(flow.label)
        lean = 0.12 if edge.bend else 0.0
        values = net.plan.values
        dx, dy = (tx - sx).at(values), (ty - sy).at(values)
        # the shifts of both ends move the middle of the line
        mid_x = mid_x + (edge.source_shift[0] + edge.target_shift[0]) * 0.5
        mid_y = mid_y + (edge.source_shift[1] + edge.target_shift[1]) * 0.5
        left = edge.side == "left"
        right_of = dy < 0 if left else dy > 0
        above = dx > 0 if left else dx < 0
        width, height = size.width + 2 * _ROUND + lean, size.height + size.depth + 2 * _ROUND + lean
        reach_x = width if abs(dy) > 1e-6 else width / 2
        reach_y = height if abs(dx) > 1e-6 else height / 2
        found.append(
            Extent(
                mid_x - (reach_x if not right_of or abs(dy) < 1e-6 else 0),
                mid_y - (reach_y if not above or abs(dx) < 1e-6 else 0),
                mid_x + (reach_x if right_of or abs(dy) < 1e-6 else 0),
                mid_y + (reach_y if above or abs(dx) < 1e-6 else 0),
            )
        )
    return found
