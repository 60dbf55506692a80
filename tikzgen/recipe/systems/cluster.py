"""Cluster: machines with GPUs and a switch each, rails that connect the machines, and spines above."""

from typing import Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import FlowKind
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Part
from tikzgen.model.topology import AnyEntity, Auto, Dots, Flow, Group, Node, Topology, Worker
from tikzgen.recipe.few_of_many import Many, drawn_of, fan_out_flows, make_cells
from tikzgen.text import Numbered, Text, fill_number


class ClusterLabels(Part):
    """Labels of a cluster."""

    machines: Text = "Machines"
    """Label of the group of all machines, if there are several."""
    node: Numbered = "Node {n}"
    """Label of each machine; `{n}` is its number, from 0."""
    gpus: Text = "GPUs"
    """Label of the GPUs of each machine."""
    switch: Text = "NVSwitch"
    """Label of the switch in each machine."""
    rails: Text = "Rails"
    """Label of the switches that connect the machines."""
    spines: Text = "Spines"
    """Label of the switches that connect the rails."""
    link: Text = "NVLink"
    """Label of the links within a machine."""
    network: Text = "InfiniBand"
    """Label of the links between machines."""


class Cluster(EditableRecipe):
    """Machines with GPUs, the switches within them, and the network that joins them."""

    field_group = "system"
    field_groups = ("display: most",)
    common = ("nodes: 2", "gpus: 4", "rails: 2", "spines")

    counts = "nodes"

    recipe: Literal["cluster"] = "cluster"
    """Name of the recipe."""
    id: Slug = "cluster"
    nodes: Many = 2
    """Number of machines."""
    gpus: Many = 4
    """Number of GPUs per machine."""
    rails: int = Field(default=1, ge=1, le=64)
    """Number of switches to which every machine is linked."""
    spines: int = Field(default=0, ge=0, le=64)
    """Number of spine switches, each linked to every rail, as in a fat tree; 0 draws no spines."""
    most: int = Field(default=4, ge=2, le=8)
    """Maximum number of drawn cells per box; about half as many machines are drawn. Dots replace the rest."""
    labels: ClusterLabels = Field(default_factory=ClusterLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        above = f" under {count_of(self.spines, 'spine')}" if self.spines else ""
        machines = f"{count_of(self.nodes, 'machine')} with {count_of(self.gpus, 'GPU')} each"
        return f"A cluster of {machines}, joined by {count_of(self.rails, 'rail')}{above}"

    def expand(self) -> FigureModel:
        """Return a figure of layers: spines, rails, the machines' switches, GPUs."""
        texts, most = self.labels, self.most
        nodes: list[AnyEntity] = []
        if self.spines:
            shards = make_cells(self.spines, "{n}", "otpurple", most)
            nodes.append(Node(id="spines", label=texts.spines, parts=shards, color="otpurple"))
        nodes.append(
            Node(id="rails", label=texts.rails, parts=make_cells(self.rails, "{n}", "otblue", most), color="otblue")
        )
        groups: list[Group] = []
        order: list[str] = []
        links: list[Flow] = []
        for number in drawn_of(self.nodes, max(2, most // 2 + 1), first=0):
            if number is None:
                nodes.append(Dots(id="node-dots"))
                order.append("node-dots")
                continue
            gpus = make_cells(self.gpus, "{n}", "otteal", most)
            nodes.append(Node(id=f"switch{number}", label=texts.switch, color="otorange"))
            nodes.append(Worker(id=f"gpus{number}", label=texts.gpus, icon=None, parts=gpus))
            label = fill_number(texts.node, number)
            groups.append(Group(id=f"node{number}", label=label, members=[f"switch{number}", f"gpus{number}"]))
            links += fan_out_flows(
                [f"switch{number}"], [f"gpus{number}"], "nvlink", "" if links else texts.link, direction="both"
            )
            order.append(f"node{number}")
        flows = fan_out_flows(["spines"], ["rails"], "network", direction="both") if self.spines else []
        # Machines are linked to the rails by their network cards, not by their internal switches.
        machines = "machines" if self.nodes > 1 else "node0"
        flows.append(Flow(source="rails", target=machines, kind="network", label=texts.network, direction="both"))
        flows += links
        if self.nodes > 1:
            groups.append(Group(id="machines", label=texts.machines, members=order))
        layout = Auto(direction="down", keep=[groups[-1].members] if self.nodes > 1 else [])
        topology = Topology(nodes=nodes, flows=flows, groups=groups, layout=layout)
        kinds = {"network": FlowKind(color="otblue", width=1.2), "nvlink": FlowKind(color="otteal", width=1.2)}
        return self.figure_of(topology, kinds=kinds)
