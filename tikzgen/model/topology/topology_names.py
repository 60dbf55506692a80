"""Operations on topologies, and the names in a figure that they take."""

from __future__ import annotations

from collections.abc import Iterable

from tikzgen.model.figure import FigureModel
from tikzgen.model.operations.worker_operations import WORKERS
from tikzgen.model.topology.node_operations import GROUPS, NODE_OPERATIONS, NODES, layered_names, list_entities
from tikzgen.model.topology.topology import Topology
from tikzgen.model.topology.topology_operations import TOPOLOGY_OPERATIONS, unframed_names

OPERATIONS = (*NODE_OPERATIONS, *TOPOLOGY_OPERATIONS)


def list_names(figure: FigureModel) -> dict[str, Iterable[str]]:
    """Return the names of nodes, groups, workers and flows."""
    nodes = [node for _, _, part in figure.parts(Topology) for node in list_entities(part)]
    flows = [flow for _, _, part in figure.parts(Topology) for flow in part.flows]
    return {
        "nodes": NODES.names_in(figure),
        "with_icon": NODES.names_in(figure) if any(node.icon for node in nodes) else (),
        "groups": GROUPS.names_in(figure),
        "workers": WORKERS.names_in(figure),
        "flow_sources": (flow.source for flow in flows),
        "flow_targets": (flow.target for flow in flows),
        "layered": (name for _, _, part in figure.parts(Topology) for name in layered_names(part)),
        "unframed": (name for _, _, part in figure.parts(Topology) for name in unframed_names(part)),
    }
