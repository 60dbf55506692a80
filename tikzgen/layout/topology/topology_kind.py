"""Layout kind of topologies."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tikzgen.layout.attempt import DistanceNeed, LayoutAttempt
from tikzgen.layout.layout_kinds import FactsByPlace, LayoutKind, Linked, Said
from tikzgen.layout.scene.scene import Fate, PlacedPart
from tikzgen.layout.topology.collapse_similar_nodes import leave_out_many
from tikzgen.layout.topology.place_topology import distances_of_topology, record_topology, topology
from tikzgen.layout.topology.topology_contract import TopologyContract
from tikzgen.layout.topology.topology_macros import topology_texts
from tikzgen.model.content import Path
from tikzgen.model.layout_record import TopologyRecord
from tikzgen.model.panel_parts import Panel
from tikzgen.model.topology import Topology


class Topologies(TopologyContract):
    """Layout of topologies."""

    def with_dots(self, part: Topology, linked: Collection[str]) -> Topology:
        return leave_out_many(part, linked)

    def texts(self, timelines: FactsByPlace, panel: Panel, index: int, part: Topology) -> Iterator[Said]:
        return topology_texts(panel, part)

    def fates(
        self, plan: LayoutAttempt, panel: Panel, at: Path, part: Topology, used: Collection[str]
    ) -> Iterator[Fate]:
        yield from super().fates(plan, panel, at, part, used)
        for place, flow in enumerate(part.flows):
            where = (*at, "flows", part.place_of("flows", place))
            yield Fate("flow", where, f"{flow.source} {flow.target}", "drawn")
            if flow.step:
                yield Fate("step", (*where, "step"), str(flow.step), "drawn")

    def needs(self, plan: LayoutAttempt, panel: Panel, index: int, part: Topology) -> dict[str, DistanceNeed]:
        return distances_of_topology(plan, panel, part)

    def place_part(self, plan: LayoutAttempt, panel: Panel, index: int, part: Topology, linked: Linked) -> PlacedPart:
        return topology(plan, panel, part, _points(part, linked), [name for name, _ in linked])

    def record(self, plan: LayoutAttempt, panel: Panel, index: int, part: Topology) -> TopologyRecord | None:
        return record_topology(plan, panel, index, part)


def _points(part: Topology, linked: Linked) -> dict[str, tuple[float, ...]]:
    """Return the shares of flows at which links end, by flow id."""
    flows = {flow.id for flow in part.flows}
    found: dict[str, dict[float, None]] = {}
    for name, at in linked:
        if name in flows:
            found.setdefault(name, {})[float(at or 0.5)] = None
    return {name: tuple(stops) for name, stops in found.items()}


KIND: LayoutKind[Topology] = Topologies()
