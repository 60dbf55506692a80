"""By how many degrees flows set out to the left of the line between their ends."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tikzgen.layout.topology.network import Network
from tikzgen.model.topology import Flow, Levels

__all__ = ["arc_bend", "fan_bend", "part_curves"]

_BEND = 10  # degrees by which a curve sets out to the left of the line between its ends,
_STEEP = 0.6  # and at most this part of the angle between that line and the side that it leaves
_ARC = 55  # degrees for a curve over what is in the way
_PART = 20  # degrees between curves that would lie on one another


def fan_bend(net: Network, flows: Sequence[Flow], routes: Sequence[str], ends: Sequence[tuple[str, str]]) -> int:
    """Of curves that are all alike: between levels as the steepest can be, for it runs beside the others' nodes."""
    if not isinstance(net.topology.layout, Levels):
        return _BEND
    steepest = 90.0
    for flow, how, (side, _) in zip(flows, routes, ends, strict=True):
        if how == "bend":
            (x0, y0), (x1, y1) = net.center(flow.source), net.center(flow.target)
            a, b = net.shapes[flow.source], net.shapes[flow.target]
            if side in ("east", "west"):
                away, along = abs(x1 - x0) - (a.width + b.width) / 2, abs(y1 - y0)
            else:
                away, along = abs(y1 - y0) - (a.height + b.height) / 2, abs(x1 - x0)
            steepest = min(steepest, math.degrees(math.atan2(max(away, 0.0), along)))
    return min(_BEND, max(1, int(steepest * _STEEP)))


def arc_bend(net: Network, flow: Flow) -> int:
    """Of an arc over what is in the way."""
    (x0, y0), (x1, y1) = net.center(flow.source), net.center(flow.target)
    # above a row, or to the right of a column
    return _ARC if (x1 > x0 if y0 == y1 else y1 < y0) else -_ARC


def part_curves(flows: Sequence[Flow], bends: Sequence[int]) -> list[int]:
    """The same bends, greater ones where a curve would lie on another one between the same two nodes."""
    taken: set[tuple[str, str, int]] = set()
    found = []
    for flow, bend in zip(flows, bends, strict=True):
        more = _PART if bend > 0 else -_PART
        # seen from its other end, the same curve bends to the other side
        while bend and {(flow.source, flow.target, bend), (flow.target, flow.source, -bend)} & taken:
            bend += more
        taken.add((flow.source, flow.target, bend))
        found.append(bend)
    return found
