"""Combined tensor, pipeline and data parallelism: the distribution of a model over ranks."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import TEXT_WIDE, Hue, width_in_cm
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Part
from tikzgen.model.topology import AnyEntity, Auto, Dots, Flow, Group, Topology, Worker
from tikzgen.recipe.few_of_many import Maker, Many, drawn_of, make_cells, make_few_nodes, names_of
from tikzgen.text import Numbered, Text, fill_number

_CELL_CM = 1.2  # cm per cell
_FRAME_CM = 0.7  # cm of a frame around a row of cells
_GAP = 1.9  # cm between replicas
_DOTS_GAP = 0.8  # additional cm if an ellipsis is in a gap
_DOTS = "d-dots"
COLORS: tuple[Hue, ...] = ("otblue", "otorange", "otteal", "otpurple")


class Parallel3dLabels(Part):
    """Labels of 3D parallelism."""

    replica: Numbered = "data-parallel replica {n}"
    """Label of the group of each replica; `{n}` is its number, from 0."""
    stage: Numbered = "stage {n}"
    """Label of each pipeline stage; `{n}` is its number, from 0."""
    rank: Numbered = "{n}"
    """Label of each tensor-parallel cell; `{n}` is the rank of its GPU, from 0."""
    activations: Text = "activations"
    """Label of the flows between stages."""
    gradients: Text = "all-reduce"
    """Label of the flows between replicas."""


class Parallel3d(EditableRecipe):
    """Tensor, pipeline and data parallelism: cells are GPUs, boxes are stages, groups are replicas."""

    field_group = "system"
    field_groups = ("display: most",)
    common = ("tensor: 2", "pipeline: 3", "data: 2")

    counts = "data"

    recipe: Literal["3d-parallel"] = "3d-parallel"
    """Name of the recipe."""
    id: Slug = "parallel"
    tensor: Many = 2
    """Number of GPUs that share every layer of a stage (TP)."""
    pipeline: Many = 3
    """Number of pipeline stages (PP)."""
    data: Many = 2
    """Number of replicas of the model (DP)."""
    most: int = Field(default=4, ge=2, le=8)
    """Maximum number of drawn cells, stages and replicas, with fewer replicas if they fill the page; dots replace the
    rest."""
    labels: Parallel3dLabels = Field(default_factory=Parallel3dLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        ranks = count_of(self.tensor * self.pipeline * self.data, "GPU")
        ways = f"{self.tensor} tensor-parallel, {self.pipeline} pipeline-parallel, {self.data} data-parallel"
        return f"3D parallelism over {ranks}: {ways}"

    def expand(self) -> FigureModel:
        """Return a figure with one group per replica, each with a row of stages."""
        texts = self.labels
        nodes: list[AnyEntity] = []
        flows: list[Flow] = []
        groups: list[Group] = []
        columns: list[list[str]] = []
        beside = self._replicas_per_row()
        for number in drawn_of(self.data, beside or (self.most if "most" in self.stated_fields() else 2), first=0):
            if number is None:
                nodes.append(Dots(id=_DOTS))
                columns.append([])
                continue
            stages = make_few_nodes(f"d{number}s", self.pipeline, self._make_stage_maker(number), self.most, first=0)
            nodes += stages
            columns.append(names_of(stages))
            names = [node.id for node in stages]  # includes the ellipsis, so that the chain passes through it
            groups.append(Group(id=f"d{number}", label=fill_number(texts.replica, number), members=names))
            for one, other in pairwise(names):
                label = "" if flows else texts.activations
                flows.append(Flow(source=one, target=other, kind="activation", label=label))
        for source, target in _pair_exchanging_stages(columns):
            label = texts.gradients if source == columns[0][0] else ""
            flows.append(Flow(source=source, target=target, kind="gradient", direction="both", label=label))
        layout = Auto(direction="right" if beside else "down")
        topology = Topology(nodes=nodes, flows=flows, groups=groups, layout=layout)
        return self.figure_of(topology)

    def _replicas_per_row(self) -> int:
        """Return the number of replicas, with dots, that fit next to each other in the width; 0 if two do not."""
        room = width_in_cm(self.width) if self.width is not None else TEXT_WIDE
        one = _CELL_CM * min(self.tensor, self.most) + _FRAME_CM
        if (room + _GAP) / (one + _GAP) >= self.data <= self.most:
            return self.most
        fitting = int((room - _DOTS_GAP + _GAP) / (one + _GAP))  # an ellipsis widens its gap
        return min(fitting + 1, self.most) if fitting > 1 else 0

    def _make_stage_maker(self, replica: int) -> Maker:
        def make_stage(number: int, name: str) -> AnyEntity:
            first = (replica * self.pipeline + number) * self.tensor
            color: Hue = COLORS[number % 4]
            shards = make_cells(self.tensor, self.labels.rank, color, self.most, first)
            return Worker(id=name, label=fill_number(self.labels.stage, number), icon=None, parts=shards, color=color)

        return make_stage


def _pair_exchanging_stages(columns: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of stages of adjacent replicas that exchange gradients.

    At an ellipsis, the middle stages exchange through it.
    """
    for place, (first, second) in enumerate(pairwise(columns)):
        yield from zip(first, second, strict=True) if first and second else ()
        if not second:
            after = columns[place + 2]
            for row, (one, other) in enumerate(zip(first, after, strict=True)):
                if row == len(first) // 2:
                    yield one, _DOTS
                    yield _DOTS, other
                else:
                    yield one, other
