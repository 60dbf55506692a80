"""How flows run: from which side of a node, how far apart, bent or straight, and where their labels stand."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from tikzgen.base.record import replace
from tikzgen.layout.constants import APART
from tikzgen.layout.length import ZERO, Length, Pair
from tikzgen.layout.topology.flow_labels import labelled
from tikzgen.layout.topology.flow_path import Run, laid, together
from tikzgen.layout.topology.flow_texts import flow_text
from tikzgen.layout.topology.network import Network
from tikzgen.model.topology import Flow, Levels, Tree

_BESIDE = 0.12  # cm between a label on a flow and the flow beside it
_EDGE = 0.2  # cm that flows keep from the corners of their nodes, both together
_OPPOSITE = {"east": "west", "west": "east", "north": "south", "south": "north"}
_BEND = 10  # degrees by which a curve sets out to the left of the line between its ends,
_STEEP = 0.6  # and at most this part of the angle between that line and the side that it leaves
_ARC = 55  # degrees for a curve over what is in the way
_PART = 20  # degrees between curves that would lie on one another
_MANY = 5  # nodes whose flows meet on one side: so many take its whole length, at icons and in curves, too
_ICON = 0.6  # of an icon's side, for its corners may be empty; below it stands its caption


def route(net: Network) -> list[Run]:
    """How every flow runs, and where its label stands."""
    return labelled(net, courses(net))


def courses(net: Network) -> list[Run]:
    """How every flow runs: first each for itself, then clear of each other."""
    runs = [Run(flow, how, _sides(net, flow)) for flow, how in zip(net.topology.flows, _routes(net), strict=True)]
    fan = _fan_bend(net, runs)
    runs = _part_curves([_bent(net, run, fan) for run in runs])
    return [laid(net, _onto(net, run)) for run in _spread_ends(net, _parallel(net, runs))]


def _onto(net: Network, run: Run) -> Run:
    """The run with its ends on the outlines of what it joins."""
    source, target = (net.onto(*end) for end in zip(run.ends, run.sides, run.shifts, strict=True))
    return run if (source, target) == run.shifts else replace(run, shifts=(source, target))


def _sides(net: Network, flow: Flow) -> tuple[str, str]:
    """The sides on which a flow leaves its source and reaches its target."""
    if flow.source == flow.target:
        return "", ""
    source, target = net.where[flow.source], net.where[flow.target]
    (x0, y0), (x1, y1) = net.centers[flow.source], net.centers[flow.target]
    a, b = net.shapes[flow.source], net.shapes[flow.target]
    layout = net.topology.arrangement
    levelled = isinstance(layout, (Levels, Tree)) and source.level != target.level
    downwards = isinstance(layout, Tree) or (isinstance(layout, Levels) and layout.direction == "down")
    gap_x = abs(x1 - x0) - (a.width + b.width) / 2
    gap_y = abs(y1 - y0) - (a.height + b.height) / 2
    across = not downwards if levelled else gap_x >= gap_y
    side = ("east" if x1 > x0 else "west") if across else ("north" if y1 > y0 else "south")
    return side, _OPPOSITE[side]


def _routes(net: Network) -> list[str]:
    """Decide how each flow runs: loop, bend, arc over what is in the way, or straight beside its twin."""
    flows = net.topology.flows
    pairs: dict[frozenset[str], list[Flow]] = {}
    for flow in flows:
        pairs.setdefault(frozenset((flow.source, flow.target)), []).append(flow)
    found = []
    for flow in flows:
        twins = pairs[frozenset((flow.source, flow.target))]
        if flow.source == flow.target:
            found.append("loop")
        elif flow.route != "auto":
            found.append(flow.route)
        elif _blocked(net, flow):
            found.append("arc")
        elif len(twins) == 2 and twins[0].source != twins[1].source:
            found.append("straight" if net.boxes.issuperset((flow.source, flow.target)) else "bend")
        else:
            found.append("straight")
    return found


def _blocked(net: Network, flow: Flow) -> bool:
    """Whether another entity stands between the two, on the same row or column."""
    source, target = net.where[flow.source], net.where[flow.target]
    for line, low, high in (
        (("x", source.x), source.y, target.y) if source.x == target.x else (None, 0.0, 0.0),
        (("y", source.y), source.x, target.x) if source.y == target.y else (None, 0.0, 0.0),
    ):
        if line is not None:
            places = net.lines[line]
            low, high = min(low, high), max(low, high)
            if bisect_left(places, high - 1e-9) - bisect_right(places, low + 1e-9) > 0:
                return True
    return False


def _fan_bend(net: Network, runs: Sequence[Run]) -> int:
    """Of curves that are all alike: between levels as the steepest can be, for it runs beside the others' nodes."""
    steepest = 90.0
    for run in runs if isinstance(net.topology.arrangement, Levels) else ():
        if run.how == "bend":
            (x0, y0), (x1, y1) = (net.centers[name] for name in run.ends)
            a, b = (net.shapes[name] for name in run.ends)
            if run.sides[0] in ("east", "west"):
                away, along = abs(x1 - x0) - (a.width + b.width) / 2, abs(y1 - y0)
            else:
                away, along = abs(y1 - y0) - (a.height + b.height) / 2, abs(x1 - x0)
            steepest = min(steepest, math.degrees(math.atan2(max(away, 0.0), along)))
    return min(_BEND, max(1, int(steepest * _STEEP)))


def _bent(net: Network, run: Run, fan: int) -> Run:
    """A curve with its bend: an arc rises over what is in the way, above a row or to the right of a column."""
    if run.how != "arc":
        return replace(run, bend=fan) if run.how == "bend" else run
    (x0, y0), (x1, y1) = (net.centers[name] for name in run.ends)
    side = "north" if run.sides[0] in ("east", "west") else "east"
    return replace(run, sides=(side, side), bend=_ARC if (x1 > x0 if y0 == y1 else y1 < y0) else -_ARC)


def _part_curves(runs: Sequence[Run]) -> list[Run]:
    """The same bends, greater ones where a curve would lie on another one between the same two nodes."""
    taken: set[tuple[str, str, int]] = set()
    found = []
    for run in runs:
        bend, more = run.bend, _PART if run.bend > 0 else -_PART
        # seen from its other end, the same curve bends to the other side
        while bend and {(*run.ends, bend), (*run.ends[::-1], -bend)} & taken:
            bend += more
        taken.add((*run.ends, bend))
        found.append(run if bend == run.bend else replace(run, bend=bend))
    return found


def _parallel(net: Network, runs: Sequence[Run]) -> list[Run]:
    """Straight flows between the same two nodes, set off from the line between these, so that they run side by side."""
    found = list(runs)
    for members in (each for each in together(runs, "straight") if len(each) > 1):
        apart = _gap(net, [runs[index] for index in members])
        for place, index in enumerate(members):
            found[index] = replace(runs[index], apart=(place - (len(members) - 1) / 2) * apart)
    return found


def _gap(net: Network, runs: Sequence[Run]) -> float:
    """How far apart twins run, in cm: upright ones leave room for the labels that stand on the inner ones."""
    upright = _sides(net, runs[0].flow)[0] in ("north", "south")
    inner = [flow_text(net.plan, run.flow)[0].width for run in runs[1:-1] if run.flow.label]
    if not upright or not inner:
        return APART
    room = min(net.shapes[name].width for name in runs[0].ends) - _EDGE
    return max(APART, min(max(inner) / 2 + _BESIDE, room / (len(runs) - 1)))


def _spread_ends(net: Network, runs: Sequence[Run]) -> list[Run]:
    """The flows that meet on one side, spread along it, nearest to where they come from: straight ones at a box, and
    whatever comes from many nodes."""
    shifts = [[ZERO, ZERO] for _ in runs]
    meeting: dict[tuple[str, str], list[tuple[int, int, str]]] = {}
    for index, run in enumerate(runs):
        for end, name in enumerate(run.ends if run.how in ("straight", "bend") else ()):
            meeting.setdefault((name, run.sides[end]), []).append((index, end, run.ends[1 - end]))
    for (name, side), arrivals in meeting.items():
        is_box = name in net.boxes
        if len({other for _, _, other in arrivals}) < _MANY or (side == "south" and not is_box):
            arrivals = [each for each in arrivals if is_box and runs[each[0]].how == "straight"]
        if len({other for _, _, other in arrivals}) < 2:
            continue
        axis = 0 if side in ("north", "south") else 1
        half = (net.shapes[name].width if axis == 0 else net.shapes[name].height) / 2
        offsets = {other: net.where[other].at[axis] - net.where[name].at[axis] for _, _, other in arrivals}
        farthest = max(abs(offset.at(net.plan.values)) for offset in offsets.values())
        room = max(half - 2 * APART, half * 0.4) if is_box else half * _ICON
        factor = min(1.0, room / farthest) if farthest else 1.0
        for index, end, other in arrivals:
            shifts[index][end] = offsets[other] * round(factor, 3)
    return [_shifted(run, *ends) for run, ends in zip(runs, shifts, strict=True)]


def _shifted(run: Run, source: Length, target: Length) -> Run:
    """A flow whose ends are set off along their sides."""
    if source == target == ZERO and not run.apart:
        return run

    def along(side: str, amount: Length) -> Pair:
        return (amount, ZERO) if side in ("north", "south") else (ZERO, amount)

    return replace(run, shifts=(along(run.sides[0], source + run.apart), along(run.sides[1], target + run.apart)))
