"""What flows add to the extent of a panel: their labels, arcs and loops."""

from __future__ import annotations

import math

from tikzgen.layout.network import Network
from tikzgen.layout.orthogonal import Course
from tikzgen.layout.scene import Edge, Extent, union
from tikzgen.model.topology import Flow

__all__ = ["reach", "turned"]

_SWING = 0.325  # of its length: how far aside an arc has its control points, which PGF counts to a picture's size
_LOOSENESS = 0.3915  # of the distance of its ends: where TikZ puts the control points of a curve
_ROUND = 0.106  # cm round a flow's label: the 3pt of the template


def reach(net: Network, flow: Flow, edge: Edge) -> list[Extent]:
    """What a flow's label or arc adds to the extent of the panel."""
    (sx, sy), (tx, ty) = net.where[flow.source].at, net.where[flow.target].at
    found = []
    mid_x, mid_y = sx + (tx - sx) * edge.pos, sy + (ty - sy) * edge.pos
    shape = net.shapes[flow.source]
    if edge.route == "arc":
        rise = _SWING * (abs((tx - sx).at(net.plan.values)) + abs((ty - sy).at(net.plan.values)))
        ends = (shape, net.shapes[flow.target])
        rise += max(end.width if edge.source.endswith("east") else end.height for end in ends) / 2
        found.append(Extent(mid_x, mid_y, mid_x + (rise if edge.source.endswith("east") else 0), mid_y + rise))
        mid_x = mid_x + (rise if edge.source.endswith("east") else 0)
        mid_y = mid_y + (rise if edge.source.endswith("north") else 0)
    if edge.route == "bend":
        found.append(_bent(net, flow, edge.bend))
    if edge.route == "loop":
        # TikZ lets a loop grow with what it stands on; a label or number stands at three quarters of its height
        rise = max(0.5, 0.82 * (shape.height + 0.1)) + 0.05
        tall = net.plan.measure(flow.label) if edge.label else None
        above = 0.75 * rise + max(0.25 if edge.step else 0.0, tall.height + tall.depth + 2 * _ROUND if tall else 0.0)
        mid_y = sy + (shape.height / 2 + 0.75 * rise)
        found.append(Extent(sx - 0.3, sy, sx + 0.3, sy + (shape.height / 2 + max(rise, above))))
    if edge.label:
        size = net.plan.measure(flow.label)
        lean = 0.12 if edge.route == "bend" else 0.0
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


def turned(net: Network, flow: Flow, edge: Edge, course: Course) -> list[Extent]:
    """What an elbow or a bus adds: its corners, and its label beside one leg."""
    found = [Extent(x, y, x, y) for x, y in course.spots]
    if edge.label:
        size = net.plan.measure(flow.label)
        width, height = size.width + 2 * _ROUND, size.height + size.depth + 2 * _ROUND
        x, y = course.label
        beyond = course.beyond == (edge.side == course.side)
        if course.level:
            low = y if beyond else y - height
            found.append(Extent(x - width / 2, low, x + width / 2, low + height))
        else:
            left = x if beyond else x - width
            found.append(Extent(left, y - height / 2, left + width, y + height / 2))
    return found


def _bent(net: Network, flow: Flow, bend: int) -> Extent:
    """The control points of a bent flow, which PGF counts to a picture's size."""
    (sx, sy), (tx, ty) = net.where[flow.source].at, net.where[flow.target].at
    dx, dy = (tx - sx).at(net.plan.values), (ty - sy).at(net.plan.values)
    reach, angle, turn = _LOOSENESS * math.hypot(dx, dy), math.atan2(dy, dx), math.radians(bend)
    out_x, out_y = reach * math.cos(angle + turn), reach * math.sin(angle + turn)
    in_x, in_y = reach * math.cos(angle + math.pi - turn), reach * math.sin(angle + math.pi - turn)
    near = Extent(sx + out_x, sy + out_y, sx + out_x, sy + out_y)
    far = Extent(tx + in_x, ty + in_y, tx + in_x, ty + in_y)
    return union([near, far], net.plan.values)
