"""How a flow runs, the path that this draws, and what stands along it: its label, its number, the ends of links."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tikzgen.base.record import Record, replace
from tikzgen.layout.constants import (
    LABEL_INNER_PT,
    LOOP_ANGLES,
    LOOP_LEAST,
    LOOP_LOOSENESS,
    STEP_AT,
    STEP_INNER_PT,
    STEP_LINE_PT,
    STEP_SIZE_PT,
)
from tikzgen.layout.extent import Extent, around, in_cm
from tikzgen.layout.length import NOWHERE, Length, Pair
from tikzgen.layout.topology.flow_texts import flow_text
from tikzgen.layout.topology.network import Network
from tikzgen.model.topology import Flow
from tikzgen.plane.path import LOOSENESS, Path, arms, auto_shift, bow_arms
from tikzgen.plane.units import CM_PER_PT

_ROUND = LABEL_INNER_PT * CM_PER_PT  # cm


class Run(Record):
    """How a flow runs: the sides that it leaves and reaches, how far its ends are set off along them.

    A curve sets out `bend` degrees to the left of the line between its ends. Its label stands at `pos`, on a `side` of
    its direction, or `inline`. Straight flows between the same two nodes are `apart` (cm). Once all this is known it
    has its `path` from border to border, and the same in cm, its `way`.
    """

    flow: Flow
    how: str
    sides: tuple[str, str]
    shifts: tuple[Pair, Pair] = (NOWHERE, NOWHERE)
    bend: int = 0
    side: str = ""
    pos: float = 0.5
    inline: bool = False
    apart: float = 0.0
    path: Path[Length] = Path(())
    way: Path[float] = Path(())

    @property
    def ends(self) -> tuple[str, str]:
        """The nodes at its ends."""
        return self.flow.source, self.flow.target


def laid(net: Network, run: Run) -> Run:
    """The run with its path."""
    path = flow_path(net, run)
    return replace(run, path=path, way=in_cm(path, net.plan.values))


def together(runs: Sequence[Run], how: str) -> list[list[int]]:
    """The runs of a kind by their places: those between the same two nodes in one list."""
    groups: dict[frozenset[str], list[int]] = {}
    for index, run in enumerate(runs):
        if run.how == how:
            groups.setdefault(frozenset(run.ends), []).append(index)
    return list(groups.values())


def flow_path(net: Network, run: Run) -> Path[Length]:
    """The path from border to border."""
    if run.how == "loop":
        return _loop(net, run.flow.source)
    source, target = (net.foot(*end) for end in zip(run.ends, run.sides, run.shifts, strict=True))
    if run.bend:
        dx, dy = ((target[axis] - source[axis]).at(net.plan.values) for axis in (0, 1))
        return Path.curve(source, target, bow_arms(dx, dy, run.bend))
    return Path.through(source, target)


def _loop(net: Network, name: str) -> Path[Length]:
    """A loop above a node, from border to border: it grows with the height of the node."""
    (x, y), (wide, tall) = net.where[name].at, net.half(name)
    aside = min(wide, tall / math.tan(math.radians(LOOP_ANGLES[1])))
    distance = max(LOOP_LEAST, LOOSENESS * LOOP_LOOSENESS * 2 * aside)
    return Path.curve((x - aside, y + tall), (x + aside, y + tall), arms(LOOP_ANGLES, distance))


def label_place(net: Network, run: Run) -> Extent:
    """Where a flow's label stands."""
    size, _ = flow_text(net.plan, run.flow)
    width, height = size.width + 2 * _ROUND, size.height + size.depth + 2 * _ROUND
    x, y = run.path.at(run.pos)
    if not run.inline:
        dx, dy = auto_shift(run.way, run.pos, run.side, width, height)
        x, y = x + dx, y + dy
    return around((x, y), width / 2, height / 2)


def reach(net: Network, run: Run) -> Iterator[Extent]:
    """What a flow's curve or corners, its label and its number add to the extent of the panel."""
    flow = run.flow
    half = net.plan.figure.kind(flow.kind).width * CM_PER_PT / 2
    yield from (around(point, half, half) for point in run.path.between())
    if flow.label:
        yield label_place(net, run)
    if flow.step:
        size = net.plan.measure(str(flow.step), size=STEP_SIZE_PT)
        inner, line = STEP_INNER_PT * CM_PER_PT, STEP_LINE_PT * CM_PER_PT
        radius = math.hypot(size.width / 2 + inner, (size.height + size.depth) / 2 + inner) + line / 2
        x, y = run.path.at(STEP_AT if flow.label else 0.5)
        # the style of a loop places what stands on it
        yield around((x, y + radius if run.how == "loop" else y), radius, radius)


def stops(net: Network, run: Run) -> Iterator[tuple[str, float, Extent]]:
    """The points along a flow that links end on: the names of their coordinates, where along it, and their places."""
    identifier = run.flow.id or ""
    wanted, base = net.points.get(identifier, ()), net.plan.name(net.panel, identifier)
    for place, at in enumerate(wanted):
        name = base if len(wanted) == 1 else f"{base}-{place + 1}"
        yield name, at, around(run.path.at(at))
