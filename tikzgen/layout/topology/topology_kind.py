"""Topologies, as one of the kinds of what a panel may hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tikzgen.base.record import replace
from tikzgen.layout.attempt import Need, Plan
from tikzgen.layout.drawn_kinds import Charts, Kind, Linked
from tikzgen.layout.labels import Slot
from tikzgen.layout.links.curved_links import Site
from tikzgen.layout.scene import Piece
from tikzgen.layout.topology.ellipses import elided
from tikzgen.layout.topology.place_topology import spacing, stands_clear, topology
from tikzgen.layout.topology.places import places
from tikzgen.layout.topology.topology_macros import topology_slots
from tikzgen.model.content import Path
from tikzgen.model.figure import Panel
from tikzgen.model.topology import Auto, Topology

_MANY = 300  # flows: more than these run straight where that was stated
_FEW = 4  # entities, among which a curve may pass below the upper box
_LIFT, _UNDER, _TILT = 40, -30, 35  # degrees


class Topologies(Kind[Topology]):
    """Entities and flows."""

    def shown(self, part: Topology, linked: Collection[str]) -> Topology:
        return elided(part, linked)

    def slots(self, charts: Charts, panel: Panel, part: Topology, at: Path) -> Iterator[Slot]:
        return topology_slots(panel, part, at)

    def needs(self, plan: Plan, panel: Panel, index: int, part: Topology) -> dict[str, Need]:
        if is_nested(plan, panel, part):
            from tikzgen.layout.topology.place_nested import nested_spacing  # most stated layouts go without

            return nested_spacing(plan, panel, part)
        return spacing(plan, panel.id, part)

    def place(self, plan: Plan, panel: Panel, index: int, part: Topology, linked: Linked) -> Piece:
        points = _points(part, linked)
        if is_nested(plan, panel, part):
            from tikzgen.layout.topology.place_nested import nested_sites, nested_topology

            piece = nested_topology(plan, panel, part, points)
            sites = nested_sites(plan, panel.id, part, points)
        else:
            piece = topology(plan, panel.id, part, points)
            sites = _sites(plan, panel.id, part, points)
        return replace(piece, sites=dict(sites)) if plan.figure.links else piece


def is_nested(plan: Plan, panel: Panel, part: Topology) -> bool:
    """Whether a topology finds its own layout: it was asked to, or frames would be in the way of what was stated.

    Frames are always in the way of stated places: only a layout that knows them keeps what is foreign outside.
    """
    if part.groups or isinstance(part.arrangement, Auto):
        return True
    if part.crowded:
        return False
    routed = len(part.flows) <= _MANY and any(flow.route in ("auto", "straight") for flow in part.flows)
    return (part.asks or routed) and not stands_clear(plan, panel.id, part)


def _points(part: Topology, linked: Linked) -> dict[str, tuple[float, ...]]:
    """Where along which flows links end."""
    flows = {flow.id for flow in part.flows}
    found: dict[str, dict[float, None]] = {}
    for name, at in linked:
        if name in flows:
            found.setdefault(name, {})[float(at or 0.5)] = None
    return {name: tuple(stops) for name, stops in found.items()}


def _sites(
    plan: Plan, panel: str, part: Topology, points: Mapping[str, tuple[float, ...]]
) -> Iterator[tuple[str, Site]]:
    """What links can end on, by reference."""
    for node in (*part.nodes, *part.groups):
        yield node.id, Site(plan.name(panel, node.id), turn="level")
    where = places(part)
    for flow in part.flows:
        stops = points.get(flow.id or "", ())
        base = plan.name(panel, flow.id or "")
        for number, place in enumerate(stops):
            name = base if len(stops) == 1 else f"{base}-{number + 1}"
            # a curve comes down, over the flow's label and clear of the box below; from below where the upper box is
            # wider than the level under it, and so in the way
            rise = where[flow.target].y - where[flow.source].y
            upper = (place > 0.5) == (rise > 0)
            lift = 0 if not rise else _UNDER if upper and len(where) < _FEW else _LIFT
            tilt = 0 if upper or not rise else _TILT
            yield f"{flow.id}@{place:g}", Site(name, turn="point", lift=lift, tilt=tilt)


KIND: Kind[Topology] = Topologies()
