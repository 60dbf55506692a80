"""Data-parallel training: a data source, workers, and a parameter server.

Workers receive shards of batches, and exchange gradients and weights with the server.
"""

from typing import Literal

from pydantic import Field

from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Part, make_empty_list
from tikzgen.model.topology import AnyEntity, DataSource, Dots, Flow, Levels, Server, Topology, Worker
from tikzgen.recipe.few_of_many import Count, Crowd
from tikzgen.text import Numbered, Text, fill_number


class DataParallelLabels(Part):
    """Labels of a data-parallel figure."""

    data: Text = "Training data"
    """Label of the data source."""
    worker: Numbered = "Worker {n}"
    """Label of each worker; `{n}` is its number."""
    workers: list[Text] = Field(default_factory=make_empty_list)
    """Labels of the drawn workers, in their order, instead of `worker`."""
    server: Text = "Parameter server"
    """Label of the server."""
    batch: Text = "batch"
    """Label of the data flow."""
    gradient: Text = r"$\nabla\theta$"
    """Label of the gradients; it can contain math."""
    weight: Text = r"$\theta$"
    """Label of the weights; it can contain math."""


class DataParallelIcons(Part):
    """The icons of a data-parallel figure, by name; null draws a box."""

    data: str | None = "dataset"
    """Icon of the data source."""
    worker: str | None = "gpu"
    """Icon of each worker."""
    server: str | None = "server"
    """Icon of the parameter server."""


class DataParallel(EditableRecipe):
    """Data-parallel training with a parameter server."""

    field_group = "system"
    common = ("workers: 4", "title")

    counts = "workers"
    heading = "Distributed data-parallel training"

    recipe: Literal["data-parallel"] = "data-parallel"
    """Name of the recipe."""
    id: Slug = "distributed-training"
    workers: Count = Crowd(count=3)
    """Number of workers: a number, or `{count: 64, show: 3}`, which draws three. Without `show`, dots replace most of
    more than eight workers."""
    labels: DataParallelLabels = Field(default_factory=DataParallelLabels)
    """Labels of the figure."""
    icons: DataParallelIcons = Field(default_factory=DataParallelIcons)
    """Icons of the figure."""

    def summary(self) -> str:
        return f"Data-parallel training: {self.workers.workers_in_words()} and a parameter server"

    def expand(self) -> FigureModel:
        """Return a figure of three layers: data, workers, server."""
        texts, icons = self.labels, self.icons
        numbers = self.workers.drawn_numbers
        names = [f"w{number}" for number in numbers]
        labels = [fill_number(texts.worker, number) for number in numbers]
        labels[: len(texts.workers)] = texts.workers[: len(labels)]
        workers = [Worker(id=i, label=text, icon=icons.worker) for i, text in zip(names, labels, strict=True)]
        column = list(names)
        nodes: list[AnyEntity] = [DataSource(id="data", label=texts.data, icon=icons.data), *workers]
        if self.workers.is_collapsed:
            nodes.insert(-1, Dots())
            column.insert(-1, "dots")
        nodes.append(Server(id="ps", label=texts.server, icon=icons.server))
        flows = [Flow(source="data", target=name, kind="data") for name in names]
        flows[0] = Flow(id="batch", source="data", target=names[0], kind="data", label=texts.batch)
        for name in names:
            first, last = name == names[0], name == names[-1]
            up = Flow(source=name, target="ps", kind="gradient", route="bend")
            down = Flow(source="ps", target=name, kind="weight", route="bend")
            # The outermost curves of a bundle have room for labels, for any number of workers.
            flows.append(up.model_copy(update={"id": "grad", "label": texts.gradient}) if first else up)
            flows.append(down.model_copy(update={"id": "weight", "label": texts.weight}) if last else down)
        levels = Levels(levels=[["data"], column, ["ps"]])
        topology = Topology(nodes=nodes, flows=flows, layout=levels, collapse=self.workers.collapse)
        return self.figure_of(topology)
