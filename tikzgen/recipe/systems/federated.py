"""Federated learning: devices train on data that never leaves them, a server averages their models."""

from typing import Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Part
from tikzgen.model.topology import AnyEntity, DataSource, Dots, Flow, Group, Line, Server, Topology, Worker
from tikzgen.recipe.few_of_many import Many, drawn_of, fan_out_flows
from tikzgen.text import Numbered, Text, fill_number


class FederatedLabels(Part):
    """Labels of federated learning."""

    server: Text = "Server"
    """Label of the server."""
    rule: Text = r"$w \leftarrow \sum_k \frac{n_k}{n} w_k$"
    """Averaging rule of the server, after its label."""
    clients: Text = "Clients"
    """Label of the group of all clients, if there are several."""
    client: Numbered = "Client {n}"
    """Label of each client; `{n}` is its number."""
    data: Numbered = "$D_{{n}}$"
    """Label of the data of each client; `{n}` is its number."""
    model: Text = "$w$"
    """Label of the flow from the server."""
    update: Text = "$w_k$"
    """Label of the flow from the clients."""


class Federated(EditableRecipe):
    """Federated learning: a server, clients, and the data that stay where they are."""

    field_group = "system"
    field_groups = ("display: most icon",)
    common = ("clients: 5", "data")

    counts = "clients"

    recipe: Literal["federated"] = "federated"
    """Name of the recipe."""
    id: Slug = "federated"
    clients: Many = 3
    """Number of clients."""
    most: int = Field(default=3, ge=2, le=16)
    """Maximum number of drawn clients; dots replace the rest."""
    data: bool = True
    """Whether the data of each client are drawn."""
    icon: str = "edge-device"
    """Name of the clients' icon."""
    labels: FederatedLabels = Field(default_factory=FederatedLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        return f"Federated learning of {count_of(self.clients, 'client')} and a server that averages"

    def expand(self) -> FigureModel:
        """Return a figure of a server above its clients, each with its data."""
        texts = self.labels

        server = Server(id="ps", label=texts.server, rule=texts.rule, icon=None)
        nodes: list[AnyEntity] = [server]
        groups: list[Group] = []
        own: list[Flow] = []
        members: list[str] = []  # members of the outer group: clients, or their groups
        numbers = drawn_of(self.clients, self.most)
        for number in numbers:
            if number is None:
                nodes.append(Dots(id="c-dots"))
                members.append("c-dots")
                continue
            nodes.append(Worker(id=f"c{number}", label=fill_number(texts.client, number), icon=self.icon))
            members.append(f"site{number}" if self.data else f"c{number}")
            if self.data:
                label = fill_number(texts.data, number)
                nodes.append(DataSource(id=f"data{number}", label=label, shape="cylinder"))
                site = [f"c{number}", f"data{number}"]
                groups.append(Group(id=f"site{number}", members=site, layout=Line(type="column")))
                own.append(Flow(source=f"data{number}", target=f"c{number}", kind="data"))
        clients = [f"c{number}" for number in numbers if number is not None]
        flows = (
            fan_out_flows(["ps"], clients, "weight", texts.model)
            + fan_out_flows(clients, ["ps"], "gradient", texts.update)
            + own
        )
        if self.clients > 1:
            groups.append(Group(id="clients", label=texts.clients, members=members, layout=Line()))
        return self.figure_of(Topology(nodes=nodes, flows=flows, groups=groups))
