"""Layout of topologies: positions of nodes, routes of flows, frames of groups."""
