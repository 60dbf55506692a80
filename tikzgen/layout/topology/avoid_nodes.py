"""Flows that would pass through an entity between their ends bend around it; what is clear stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from tikzgen.base.record import replace
from tikzgen.layout.extent import in_cm
from tikzgen.layout.topology.flow_path import Run, flow_path
from tikzgen.layout.topology.network import Network
from tikzgen.model.topology import Levels, Line, Tree
from tikzgen.plane.path import clearest, strikes
from tikzgen.plane.rectangles import Box

_BENDS = (10, -10, 20, -20, 30, -30, 40, -40, 50, -50, 60, -60)  # degrees, the first ones preferred
_ARCS = (0, 10, -10, 20, -20)  # degrees more than an arc usually has
_CLEAR = 0.05  # cm between a flow and what it passes
_FACING = {"east": "west", "west": "east", "north": "south", "south": "north"}


def detoured(net: Network, runs: Sequence[Run]) -> list[Run]:
    """The runs, each of those that would pass through an entity on a way that passes through fewest."""
    found = list(runs)
    taken: set[tuple[str, str, int]] = set()
    for index, run in enumerate(runs):
        if run.how not in ("straight", "bend", "arc") or run.flow.route != "auto" or _near(net, run):
            continue
        others = [box for name, boxes in net.solids.items() if name not in run.ends for box in boxes]
        ways = _arcs(run) if run.how == "arc" else _ways(net, run)
        free = (way for way in (run, *ways) if not way.bend or _seen(way).isdisjoint(taken))
        best = clearest(free, partial(_struck, net, others))
        if best != run:
            found[index] = best
            taken.add((*run.ends, best.bend))
    return found


def _seen(run: Run) -> set[tuple[str, str, int]]:
    """A curve, seen from either end: from the other one it bends to the other side."""
    return {(*run.ends, run.bend), (*run.ends[::-1], -run.bend)}


def _struck(net: Network, boxes: Sequence[Box], run: Run, most: float) -> int:
    """How many of the boxes a flow passes through."""
    return strikes(in_cm(flow_path(net, run), net.plan.values), boxes, _CLEAR, most)


def _ways(net: Network, run: Run) -> Iterator[Run]:
    """Straight ways, also between the other sides that face each other, and curves between both; twins stay curves."""
    (x0, y0), (x1, y1) = (net.centers[name] for name in run.ends)
    choices = [run.sides]
    if run.sides[0] in ("east", "west") and y0 != y1:
        choices.append(("north", "south") if y1 > y0 else ("south", "north"))
    elif run.sides[0] in ("north", "south") and x0 != x1:
        choices.append(("east", "west") if x1 > x0 else ("west", "east"))
    if run.how == "straight":
        yield from (replace(run, sides=choice) for choice in choices)
    yield from (replace(run, how="bend", sides=choice, bend=bend) for choice in choices for bend in _BENDS)


def _arcs(run: Run) -> Iterator[Run]:
    """Higher and lower arcs over what is in the way, and those on the other side."""
    side, back = run.sides[0], _FACING[run.sides[0]]
    for sides, bend in (((side, side), run.bend), ((back, back), -run.bend)):
        yield from (replace(run, sides=sides, bend=bend + (more if bend > 0 else -more)) for more in _ARCS)


def _near(net: Network, run: Run) -> bool:
    """Whether nothing can stand between the ends of a flow, or all that does is in line with them."""
    if isinstance(net.topology.arrangement, Line):
        return True
    source, target = (net.where[name] for name in run.ends)
    if isinstance(net.topology.arrangement, (Levels, Tree)) and source.level != target.level:
        return abs(source.level - target.level) < 2
    return abs(source.x - target.x) + abs(source.y - target.y) <= 1


def struck_captions(net: Network, runs: Sequence[Run]) -> frozenset[str]:
    """The ids of entities whose wide captions are met by flows that run sideways, their own or others'.

    With them those of all wide captions in the same column, which are set alike.
    """
    wide = [name for name, shape in net.shapes.items() if shape.below and shape.caption > shape.width]
    paths = [run.way for run in runs if wide and {*run.sides} <= {"east", "west"}]
    columns = {net.where[name].x for name in wide if any(strikes(path, net.solids[name][1:]) for path in paths)}
    return frozenset(name for name in wide if net.where[name].x in columns)
