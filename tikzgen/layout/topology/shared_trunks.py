"""Which flows share a trunk: buses with a common end, and what flows from many to many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tikzgen.model.topology import Flow

_MANY = 3  # flows that leave, and that arrive: so many of a kind share trunks

_Hub = tuple[str, str, int]
"""A kind of flow, an entity, and whether it is the source (0) or the target (1)."""


def shared_trunks(flows: Sequence[Flow]) -> list[int]:
    """The number of each flow's bundle, 0 for none: buses with a common end, and flows from many to many."""
    hubs: dict[_Hub, list[int]] = {}
    for index, flow in enumerate(flows):
        for place, end in enumerate((flow.source, flow.target)):
            if flow.source != flow.target and flow.route in ("auto", "bus"):
                hubs.setdefault((flow.kind, end, place), []).append(index)
    found = [0] * len(flows)
    for hub, members in sorted(hubs.items(), key=lambda each: -len(each[1])):
        joining = (index for index in members if not found[index] and _joins(flows, hubs, hub, index))
        free = list({(flows[index].source, flows[index].target): index for index in joining}.values())
        if len(free) > 1:
            for index in free:
                found[index] = max(found) + 1 if index == free[0] else found[free[0]]
    return found


def _joins(flows: Sequence[Flow], hubs: Mapping[_Hub, Sequence[int]], hub: _Hub, index: int) -> bool:
    """Whether a flow shares a trunk: it is a bus, or one of many that leave where as many arrive elsewhere."""
    flow = flows[index]
    if flow.route == "bus":
        return True
    labels = sum(bool(flows[one].label) for one in hubs[hub])
    ends = ((flow.kind, flow.source, 0), (flow.kind, flow.target, 1))
    return hub[2] == 0 and labels < 2 and min(len(hubs[end]) for end in ends) >= _MANY
