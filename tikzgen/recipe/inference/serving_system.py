"""Serving system for language models: a router, a prefill pool and a decode pool."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Part
from tikzgen.model.topology import AnyEntity, Group, Node, Topology, Worker
from tikzgen.recipe.few_of_many import Many, fan_out_flows, make_few_nodes, names_of
from tikzgen.text import Numbered, Text, fill_number


class ServingSystemLabels(Part):
    """Labels of a serving system."""

    clients: Text = "Clients"
    """Label of the clients."""
    router: Text = "Router"
    """Label of the router."""
    prefill: Text = "Prefill pool"
    """Label of the first pool, or of the only pool."""
    decode: Text = "Decode pool"
    """Label of the second pool."""
    worker: Numbered = "GPU {n}"
    """Label of each worker; `{n}` is its number, from 0."""
    transfer: Text = "KV transfer"
    """Label of the cache transfer."""
    requests: Text = "requests"
    """Label of the flow from the clients."""
    prompts: Text = "prompts"
    """Label of the flow from the router."""
    blocks: Text = "KV blocks"
    """Label of the flow from the first pool."""
    tokens: Text = "tokens"
    """Label of the flow to the clients."""


class ServingSystem(EditableRecipe):
    """Serving of language models with prefill and decode on separate workers, or together."""

    field_group = "system"
    field_groups = ("display: most",)
    common = ("prefill: 2", "decode: 3")

    counts = "prefill"
    counted_ids = "p"

    recipe: Literal["serving-system"] = "serving-system"
    """Name of the recipe."""
    id: Slug = "serving-system"
    prefill: Many = 2
    """Number of prefill workers."""
    decode: int = Field(default=2, ge=0, le=100_000)
    """Number of decode workers; with 0, the first pool also decodes and no caches are transferred."""
    most: int = Field(default=3, ge=2, le=16)
    """Maximum number of drawn workers per pool; dots replace the rest."""
    labels: ServingSystemLabels = Field(default_factory=ServingSystemLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        if not self.decode:
            return f"A serving system of {count_of(self.prefill, 'worker')} behind a router"
        return (
            f"A serving system of {self.prefill} prefill and {count_of(self.decode, 'decode worker')} behind a router"
        )

    def iterate_narrower(self) -> Iterator["ServingSystem"]:
        """Yield variants with pools of two and an ellipsis."""
        if self.most > 2:
            yield self.model_copy(update={"most": 2})

    def expand(self) -> FigureModel:
        """Return a figure from the clients through the pools and back."""
        texts = self.labels

        def make_worker(number: int, name: str) -> AnyEntity:
            return Worker(id=name, label=fill_number(texts.worker, number))

        prefill = make_few_nodes("p", self.prefill, make_worker, self.most, first=0)
        decode = make_few_nodes("d", self.decode, make_worker, self.most, first=self.prefill) if self.decode else []
        nodes: list[AnyEntity] = [
            Node(id="clients", label=texts.clients, icon="user"),
            Node(id="router", label=texts.router, icon="load-balancer"),
            *prefill,
        ]
        groups = [Group(id="prefill", label=texts.prefill, members=[node.id for node in prefill])]
        flows = [
            *fan_out_flows(["clients"], ["router"], "message", texts.requests),
            *fan_out_flows(["router"], names_of(prefill), "activation", texts.prompts),
        ]
        last = prefill
        if decode:
            nodes += [Node(id="kv", label=texts.transfer, icon="memory"), *decode]
            groups.append(Group(id="decode", label=texts.decode, members=[node.id for node in decode]))
            flows += fan_out_flows(names_of(prefill), ["kv"], "weight", texts.blocks)
            flows += fan_out_flows(["kv"], names_of(decode), "weight")
            last = decode
        flows += fan_out_flows(names_of(last), ["clients"], "message", texts.tokens)
        return self.figure_of(Topology(nodes=nodes, flows=flows, groups=groups))
