"""Flows of level and upright legs: an elbow has one corner; a bus joins or leaves a trunk that many flows share."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence

from tikzgen.base.record import replace
from tikzgen.layout.constants import APART
from tikzgen.layout.length import ZERO, Length, Pair
from tikzgen.layout.topology.flow_path import Run
from tikzgen.layout.topology.network import Network
from tikzgen.model.topology import Flow, Line

_GAP = 0.5  # cm between the side of a node and the trunk beside it
_HEAD = 0.35  # cm: an arrow shorter than this is all head


def squared(net: Network, runs: Sequence[Run]) -> list[Run | None]:
    """The elbows and buses among the runs with their corners; None for one that needs no corner."""
    found: list[Run | None] = list(runs)
    meant = [run for run in runs if run.how in ("elbow", "bus")]
    meeting = Counter(end for run in meant for end in zip(run.ends, run.sides, strict=True))
    for members in together(runs, ("elbow", "bus")):
        flows = [runs[index].flow for index in members]
        spread = _spread(net, flows)
        # the innermost trunk stays where it is, the others move outwards
        lift = _lift(net, flows) + (spread - 1) * (len(members) - 1) / 2 * APART
        for place, index in enumerate(members):
            apart, run = (place - (len(members) - 1) / 2) * APART, runs[index]
            square = _elbow(net, run, apart) if run.how == "elbow" else _bus(net, run, apart, lift, spread)
            if square is None and not _aligned(net, run.flow):
                square = _through(net, run, meeting, apart)
            found[index] = square
    return found


def together(runs: Sequence[Run], hows: Sequence[str]) -> list[list[int]]:
    """The runs of these kinds by their places: those of one kind between the same two nodes in one list."""
    groups: dict[tuple[str, frozenset[str]], list[int]] = {}
    for index, run in enumerate(runs):
        if run.how in hows:
            groups.setdefault((run.how, frozenset(run.ends)), []).append(index)
    return list(groups.values())


def _side(positive: bool, axis: str) -> str:
    return ("east" if positive else "west") if axis == "x" else ("north" if positive else "south")


def _label_side(net: Network, flow: Flow, *, level: bool, beyond: bool) -> str:
    """On which side of a leg's direction a label stands that is above or right of it (`beyond`), or on the other."""
    (x0, y0), (x1, y1) = net.centers[flow.source], net.centers[flow.target]
    forward = x1 > x0 if level else y1 > y0
    return "left" if (forward == beyond) == level else "right"


def _free(net: Network, axis: str, line: float, low: float, high: float) -> bool:
    """Whether no entity stands on this line between two places, the second one included."""
    places = net.lines.get((axis, line), [])
    if low < high:
        return bisect_right(places, high + 1e-9) == bisect_right(places, low + 1e-9)
    return bisect_left(places, high - 1e-9) == bisect_left(places, low - 1e-9)


def _elbow(net: Network, run: Run, apart: float) -> Run | None:
    """One corner, on whichever of the two ways no entity stands; level first where both are free."""
    (x0, y0), (x1, y1) = (net.centers[name] for name in run.ends)
    source, target = (net.shapes[name] for name in run.ends)
    here, there = (net.where[name] for name in run.ends)
    east, north = x1 > x0, y1 > y0
    wide, tall = abs(x1 - x0) - _HEAD, abs(y1 - y0) - _HEAD
    # the corner moves outwards, so that flows beside each other neither touch nor cross
    right, up = Length(apart if east else -apart), Length(apart if north else -apart)
    level_free = _free(net, "y", here.y, here.x, there.x) and _free(net, "x", there.x, there.y, here.y)
    upright_free = _free(net, "x", here.x, here.y, there.y) and _free(net, "y", there.y, there.x, here.x)
    if wide > source.width / 2 and tall > target.height / 2 + target.below and level_free:
        sides, shifts = (_side(east, "x"), _side(not north, "y")), ((ZERO, -up), (right, ZERO))
        side = _label_side(net, run.flow, level=True, beyond=(apart >= 0) != north)
        return replace(run, sides=sides, shifts=shifts, turn="-|", pos=0.25, side=side)
    if tall > source.height / 2 + source.below and wide > target.width / 2 and upright_free:
        sides, shifts = (_side(north, "y"), _side(not east, "x")), ((-right, ZERO), (ZERO, up))
        side = _label_side(net, run.flow, level=True, beyond=(apart >= 0) == north)
        return replace(run, sides=sides, shifts=shifts, turn="|-", pos=0.75, side=side)
    return None


def _aligned(net: Network, flow: Flow) -> bool:
    here, there = net.where[flow.source], net.where[flow.target]
    return here.x == there.x or here.y == there.y


def _bus(net: Network, run: Run, apart: float, lift: float, spread: float) -> Run | None:
    """Within a row or column that is all there is, or has an entity in the way: round it."""
    if not _aligned(net, run.flow):
        return None
    here, there = (net.where[name] for name in run.ends)
    level = here.y == there.y
    axis, line, ends = ("y", here.y, (here.x, there.x)) if level else ("x", here.x, (here.y, there.y))
    between = any(min(ends) < place < max(ends) for place in net.lines[axis, line])
    around = between or isinstance(net.topology.arrangement, Line)
    return _over(net, run, apart, lift, spread, level=level) if around else None


def _is_level(net: Network, flow: Flow) -> bool:
    return abs(net.centers[flow.source][1] - net.centers[flow.target][1]) < 1e-6


def _lift(net: Network, flows: Sequence[Flow]) -> float:
    """How much farther from a row or column its trunks run, so that the labels of the inner ones stand below them."""
    inner = [net.plan.measure(flow.label) for flow in flows[: len(flows) // 2] if flow.label]
    level = _is_level(net, flows[0])
    size = max((size.height + size.depth if level else size.width for size in inner), default=0.0)
    return max(0.0, size + 2 * APART - _GAP) if inner else 0.0


def _spread(net: Network, flows: Sequence[Flow]) -> float:
    """How many times farther apart than their ends trunks run, so that labels on upright ones keep off the others."""
    inner = [net.plan.measure(flow.label).width for flow in flows[1:-1] if flow.label]
    if not inner or _is_level(net, flows[0]):
        return 1.0
    return round(max(1.0, (max(inner) / 2 + APART / 2) / APART), 3)


def _along(amount: float, *, level: bool) -> Pair:
    """A shift along the side that level (or upright) flows leave."""
    return (ZERO, Length(amount)) if level else (Length(amount), ZERO)


def _through(net: Network, run: Run, meeting: Mapping[tuple[str, str], int], apart: float) -> Run:
    """Between two rows or columns, along a trunk before the side where most flows meet."""
    level = run.sides[0] in ("east", "west")
    here, there = (meeting[end] for end in zip(run.ends, run.sides, strict=True))
    # a tie goes to the same node for both directions
    first = here > there or (here == there and run.sides[0] in ("east", "south"))
    hub, leaf = run.ends if first else run.ends[::-1]
    side = run.sides[not first]
    (hub_x, hub_y), (leaf_x, leaf_y) = net.centers[hub], net.centers[leaf]
    # two trunks run side by side; their branches turn so that they do not cross each other
    branch = apart if (leaf_y > hub_y if level else leaf_x > hub_x) else -apart
    gap = Length(-_GAP + apart if side in ("west", "south") else _GAP - apart)
    at_hub, at_leaf = _along(apart, level=level), _along(branch, level=level)
    return replace(
        run,
        shifts=(at_hub, at_leaf) if first else (at_leaf, at_hub),
        turn="|-" if level == first else "-|",
        pos=0.75 if first else 0.25,
        side=_label_side(net, run.flow, level=level, beyond=branch >= 0 if level else branch > 0),
        hub="source" if first else "target",
        trunk=(gap, at_hub[1]) if level else (at_hub[0], gap),
    )


def _over(net: Network, run: Run, apart: float, lift: float, spread: float, *, level: bool) -> Run:
    """Along a row above it, along a column to its right: clear of captions and of the largest entity there."""

    def across(name: str) -> float:
        return net.shapes[name].height if level else net.shapes[name].span

    here, there = (net.where[name] for name in run.ends)
    peers = [name for name, at in net.where.items() if (at.y == here.y if level else at.x == here.x)]
    own, its = map(across, run.ends)
    first = own >= its
    # the outer one of two has its ends farther out as well
    outward = apart if (here.x < there.x if level else here.y < there.y) else -apart
    gap = Length(_GAP + lift + apart * spread + (max(map(across, peers)) - max(own, its)) / 2)
    shifts = _along(-outward, level=not level), _along(outward, level=not level)
    at = shifts[not first]
    return replace(
        run,
        sides=(_side(True, "y" if level else "x"),) * 2,
        shifts=shifts,
        turn="-|" if level == first else "|-",
        pos=0.25 if first else 0.75,
        side=_label_side(net, run.flow, level=level, beyond=apart >= 0),
        hub="source" if first else "target",
        trunk=(at[0], gap) if level else (gap, at[1]),
    )
