"""MapReduce: splits of the input are mapped, shuffled by key, and reduced."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Color
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Part
from tikzgen.model.topology import AnyEntity, Flow, Levels, Node, Topology, Worker
from tikzgen.recipe.few_of_many import Maker, Many, make_few_nodes, names_of
from tikzgen.text import Numbered, Text, fill_number


class MapreduceLabels(Part):
    """Labels of a MapReduce job."""

    split: Numbered = "split {n}"
    """Label of each part of the input; `{n}` is its number, from 0."""
    map: Numbered = "map {n}"
    """Label of each map task; `{n}` is its number, from 0."""
    reduce: Numbered = "reduce {n}"
    """Label of each reduce task; `{n}` is its number, from 0."""
    output: Numbered = "part {n}"
    """Label of each part of the output; `{n}` is its number, from 0."""


class Mapreduce(EditableRecipe):
    """A MapReduce job: every map task sends to every reduce task."""

    field_group = "system"
    field_groups = ("display: most direction",)
    common = ("maps: 3", "reduces: 2")

    counts = "maps"
    counted_ids = "map"

    recipe: Literal["mapreduce"] = "mapreduce"
    """Name of the recipe."""
    id: Slug = "mapreduce"
    maps: Many = 3
    """Number of map tasks, which is also the number of parts of the input."""
    reduces: Many = 2
    """Number of reduce tasks, which is also the number of parts of the output."""
    most: int = Field(default=4, ge=2, le=8)
    """Maximum number of drawn tasks of one type; dots replace the rest."""
    direction: Literal["auto", "right", "down"] = "auto"
    """Direction from the input to the output; `auto` is right, or down if four columns are wider than the figure."""
    labels: MapreduceLabels = Field(default_factory=MapreduceLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        return f"A MapReduce job of {count_of(self.maps, 'map task')} and {count_of(self.reduces, 'reduce task')}"

    def iterate_narrower(self) -> Iterator["Mapreduce"]:
        """Yield the variant with four rows instead of four columns."""
        if self.direction == "auto":
            yield self.model_copy(update={"direction": "down"})

    def expand(self) -> FigureModel:
        """Return a figure of four columns: input, map, reduce, output."""
        texts, most = self.labels, self.most

        def make_file_maker(text: Text) -> Maker:
            return lambda number, name: Node(id=name, label=fill_number(text, number), shape="text")

        def make_task_maker(text: Text, color: Color) -> Maker:
            return lambda number, name: Worker(id=name, label=fill_number(text, number), shape="rounded", color=color)

        columns = [
            make_few_nodes("in", self.maps, make_file_maker(texts.split), most, first=0),
            make_few_nodes("map", self.maps, make_task_maker(texts.map, "otblue"), most, first=0),
            make_few_nodes("red", self.reduces, make_task_maker(texts.reduce, "otorange"), most, first=0),
            make_few_nodes("out", self.reduces, make_file_maker(texts.output), most, first=0),
        ]
        reads, maps, reduces, writes = map(names_of, columns)
        flows = [
            *(Flow(source=one, target=other) for one, other in zip(reads, maps, strict=True)),
            *(Flow(source=one, target=other, kind="activation", route="straight") for one in maps for other in reduces),
            *(Flow(source=one, target=other) for one, other in zip(reduces, writes, strict=True)),
        ]
        levels = Levels(
            levels=[[node.id for node in column] for column in columns],
            direction="down" if self.direction == "down" else "right",
        )
        nodes: list[AnyEntity] = [node for column in columns for node in column]
        return self.figure_of(Topology(nodes=nodes, flows=flows, layout=levels))
