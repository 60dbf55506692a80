"""Where the labels of flows stand: beside their own lines, where nothing passes through them if that can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, product

from tikzgen.base.record import replace
from tikzgen.layout.topology.flow_path import Run, label_place, together
from tikzgen.layout.topology.network import Network
from tikzgen.model.topology import Levels
from tikzgen.plane.drawn import Drawn
from tikzgen.plane.path import clearest, pieces
from tikzgen.plane.rectangles import Box, Point

_SHARES = (0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8)  # of a flow: where its label may stand
_ROUND = 0.1  # cm of the room round a flow's label, which a line may touch


def labelled(net: Network, runs: Sequence[Run]) -> list[Run]:
    """The runs with the places of their labels."""
    inner = {index for members in together(runs, "straight") for index in members[1:-1]}
    found = [_usual(net, run, inner=index in inner) for index, run in enumerate(runs)]
    free = [index for index, run in enumerate(found) if run.flow.label and not run.inline]
    if not free:
        return found
    labels = {index: _box(net, found[index]) for index in free}
    drawn = Drawn(ways(found), [(box[2] - box[0], box[3] - box[1]) for box in labels.values()])
    solids = [box for boxes in net.solids.values() for box in boxes]
    for number, box in (*labels.items(), *enumerate(solids, len(runs))):
        drawn.put(number, box)
    for index in free:
        run = found[index]
        found[index] = clearest(chain((run,), _others(run)), partial(_cost, net, drawn, index))
        drawn.put(index, _box(net, found[index]))
    return found


def ways(runs: Sequence[Run]) -> list[list[Point]]:
    """The courses of all flows, in cm."""
    return [pieces(run.way) for run in runs]


def _usual(net: Network, run: Run, *, inner: bool) -> Run:
    side = run.flow.side if run.flow.side != "auto" else _outer_side(net, run)
    inner = inner and run.flow.side == "auto" and run.flow.label_at == "beside"
    inline = bool(run.flow.label) and run.how != "loop" and (inner or run.flow.label_at == "on")
    return replace(run, side=side, inline=inline, pos=_position(net, run))


def _outer_side(net: Network, run: Run) -> str:
    """Labels stand on the outer side: of a bend, of a pair, of the whole bundle."""
    if run.bend or run.how == "loop":
        return "left" if run.bend >= 0 else "right"
    (x0, y0), (x1, y1) = (net.centers[name] for name in run.ends)
    if run.sides[0] in ("north", "south"):
        west = run.apart < 0 if run.apart else (x0 + x1) / 2 <= net.middle[0]
        return "left" if west == (y1 > y0) else "right"
    north = run.apart > 0 if run.apart else (y0 + y1) / 2 >= net.middle[1] - 1e-9
    return "left" if north == (x1 > x0) else "right"


def _position(net: Network, run: Run) -> float:
    """Labels of a fan stand nearer to its many ends: there it is wide, and the one end has its caption."""
    if run.how != "bend" or not isinstance(net.topology.arrangement, Levels):
        return 0.5
    here, there = (net.peers[net.where[name].level] for name in run.ends)
    return 0.5 if here == there else 0.38 if here > there else 0.62


def _cost(net: Network, drawn: Drawn, index: int, run: Run, most: float) -> float:
    return drawn.cost(_box(net, run), but=index, most=most)


def _others(run: Run) -> Iterator[Run]:
    """The same with its label at other places, the usual side first; never within a loop."""
    other = {"left": "right", "right": "left"}[run.side]
    sides = (run.side, other) if run.flow.side == "auto" and run.how != "loop" else (run.side,)
    yield from (replace(run, side=side, pos=share) for side, share in product(sides, _SHARES))


def _box(net: Network, run: Run) -> Box:
    return label_place(net, run).grown(-_ROUND).box(net.plan.values)
