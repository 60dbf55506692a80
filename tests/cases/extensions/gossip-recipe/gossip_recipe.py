"""A recipe of a third party: peers that send their state to each other in a ring."""

from typing import Literal

from pydantic import Field

from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.topology.entities import Worker
from tikzgen.model.topology.flows_and_groups import Flow
from tikzgen.model.topology.topology import Topology
from tikzgen.model.topology.topology_layouts import Ring


class Gossip(EditableRecipe):
    """Peers that send their state to the next one."""

    recipe: Literal["gossip"] = "gossip"
    """Names the recipe."""
    id: Slug = "gossip"
    """The name of the figure."""
    peers: int = Field(default=4, ge=3, le=12)
    """How many peers there are."""

    def summary(self) -> str:
        return f"Gossip among {self.peers} peers"

    def expand(self) -> FigureModel:
        names = [f"p{number}" for number in range(self.peers)]
        nodes = [Worker(id=name, label=name.upper()) for name in names]
        flows = [Flow(source=a, target=b) for a, b in zip(names, names[1:] + names[:1], strict=True)]
        return self.figure_of(Topology(nodes=nodes, flows=flows, layout=Ring(type="ring")))
