"""Topologies: nodes, flows, groups and their layouts."""

from __future__ import annotations

from tikzgen.model.topology.entities import LOOKS, AnyEntity, DataSource, Dots, Entity, Node, Pin, Server, Shard, Worker
from tikzgen.model.topology.flows_and_groups import Flow, Group
from tikzgen.model.topology.layout_record import LayersRecord, LayoutRecord, TopologyRecord, read_layout_record
from tikzgen.model.topology.node_shapes import SHAPES, NodeShape, PartsPlace, halve_side
from tikzgen.model.topology.topology import Topology
from tikzgen.model.topology.topology_layouts import (
    Arrangement,
    Auto,
    Bar,
    Grid,
    LayoutHint,
    Levels,
    Line,
    Ring,
    Row,
    Star,
    TopologyBrace,
    Tree,
)

__all__ = [
    "LOOKS",
    "SHAPES",
    "AnyEntity",
    "Arrangement",
    "Auto",
    "Bar",
    "DataSource",
    "Dots",
    "Entity",
    "Flow",
    "Grid",
    "Group",
    "LayersRecord",
    "LayoutHint",
    "LayoutRecord",
    "Levels",
    "Line",
    "Node",
    "NodeShape",
    "PartsPlace",
    "Pin",
    "Ring",
    "Row",
    "Server",
    "Shard",
    "Star",
    "Topology",
    "TopologyBrace",
    "TopologyRecord",
    "Tree",
    "Worker",
    "halve_side",
    "read_layout_record",
]
