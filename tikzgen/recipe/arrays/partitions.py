"""Partitions of datasets in a dataflow job: narrow and wide dependencies, and stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.model.cells import CellArray, CellFlow, CellKey, Cells, Header
from tikzgen.model.figure import FigureModel
from tikzgen.model.figure_options import Slug
from tikzgen.model.panel_parts import Legend
from tikzgen.model.part import Id, Part, fail
from tikzgen.recipe.arrays.computed_arrays import LETTERS, ComputedArrays
from tikzgen.recipe.simulated_recipe import Told
from tikzgen.schedule.held import DatasetStep, ImpossibleFacts, Lineage, Transformation, trace_lineage
from tikzgen.text import Numbered, Text, fill_placeholders

_MOST_LINES = 256


class PartitionStep(Part):
    """Transformation of one or two datasets to a new one."""

    do: Transformation
    """`map`, `filter` and `union` are narrow, `group` is wide; `join` is narrow for parents with its partitioning."""
    of: list[Id] = Field(min_length=1, max_length=8)
    """Parents."""
    to: Id
    """Dataset that it makes."""
    narrow: list[Id] | None = None
    """Parents of a join that are partitioned as its result. Null takes results of `group` and `join` with as many
    partitions."""


class PartitionsLabels(Part):
    """Labels of partitions."""

    dataset: Text = "{id}"
    """Label of each dataset."""
    stage: Numbered = "stage {n}"
    """Name of a stage in the description."""


class Partitions(ComputedArrays):
    """The partitions of datasets: narrow and wide dependencies, and the stages that wide ones end."""

    field_group = "arrays"
    common = ("datasets: {A: 3, B: 3}", "steps: [{do: group, of: [A], to: B}]")
    schedule_facts: ClassVar[tuple[str, ...]] = ("datasets", "steps")

    recipe: Literal["partitions"] = "partitions"
    """Name of the recipe."""
    id: Slug = "partitions"
    datasets: dict[Id, Annotated[int, Field(ge=1, le=16)]] = Field(
        default={"A": 3, "B": 3, "C": 2, "D": 2, "E": 2, "F": 4, "G": 3}, min_length=1, max_length=24
    )
    """Datasets with their numbers of partitions."""
    steps: list[PartitionStep] = Field(
        default=[
            PartitionStep(do="group", of=["A"], to="B"),
            PartitionStep(do="map", of=["C"], to="D"),
            PartitionStep(do="union", of=["D", "E"], to="F"),
            PartitionStep(do="join", of=["B", "F"], to="G"),
        ],
        max_length=32,
    )
    """Transformations, in order."""
    labels: PartitionsLabels = Field(default_factory=PartitionsLabels)
    """Labels of the figure."""

    @property
    def _lineage(self) -> Lineage:
        return self.compute_once("lineage", self._trace)

    def _trace(self) -> Lineage:
        steps = [
            DatasetStep(step.do, tuple(step.of), step.to, None if step.narrow is None else tuple(step.narrow))
            for step in self.steps
        ]
        found = trace_lineage(self.datasets, steps)
        lines = sum(len(each.pairs) for each in found.dependencies)
        if lines > _MOST_LINES:
            message = f"{lines} lines between partitions are more than {_MOST_LINES}"
            raise ImpossibleFacts(message, "datasets", hint="use fewer partitions")
        return found

    def check_facts(self) -> None:
        """Check the number of parents of each step."""
        for index, step in enumerate(self.steps):
            if step.do in ("map", "filter", "group") and len(step.of) > 1:
                fail(f"a {step.do} has one parent", "steps", index, "of", 1, hint="use union or join for several")

    @property
    def measured_names(self) -> Sequence[str]:
        """Names of the stages."""
        return [f"stage {number}" for number in range(1, len(self._lineage.stages) + 1)]

    def measure_arrays(self) -> Told:
        """Return the dependencies, the wide ones among them, and the partitions of each stage."""
        found = self._lineage
        return {
            "dependencies": len(found.dependencies),
            "wide": sum(each.wide for each in found.dependencies),
            "partitions": tuple(sum(self.datasets[name] for name in names) for names in found.stages),
        }

    def summary(self) -> str:
        stages = count_of(len(self._lineage.stages), "stage")
        return f"A job over {count_of(len(self.datasets), 'dataset')} in {stages}"

    def list_derivations(self) -> list[str]:
        """Return the wide dependencies and the stages."""
        found = self._lineage
        told = [f"{each.parent} to {each.child} is wide" for each in found.dependencies if each.wide]
        return told + [f"stage {n}: {join_words(names)}" for n, names in enumerate(found.stages, 1)]

    def expand(self) -> FigureModel:
        """Return one column of datasets for each depth, with a line for each dependency of partitions."""
        found = self._lineage
        stage = {name: number for number, names in enumerate(found.stages, 1) for name in names}
        arrays = []
        columns = self._make_columns()
        for name, beside in (
            (name, above) for names in columns for name, above in zip(names, ["", *names], strict=False)
        ):
            many = self.datasets[name]
            arrays.append(
                CellArray(
                    id=name,
                    label=fill_placeholders(self.labels.dataset, id=name),
                    rows=Header(side="none", apart=True),
                    columns=Header(side="none"),
                    size=[many, 1],
                    fill="\n".join([LETTERS[stage[name]]] * many),
                    values=[[str(stage[name])] for _ in range(many)] if len(found.stages) > 4 else {},
                    beside=beside or None,
                    side="below" if beside else "right",
                )
            )
        flows = [
            CellFlow(
                source=f"{each.parent}[{source},0]",
                target=f"{each.child}[{target},0]",
                kind="message" if each.wide else "data",
                route="straight",
            )
            for each in found.dependencies
            for source, target in each.pairs
        ]
        keys = {LETTERS[number]: CellKey(owner=number) for number in range(1, len(found.stages) + 1)}
        cells = Cells(arrays=arrays, keys=keys, flows=flows, arrange="row", owner_name=self.labels.stage)
        return self.figure_of(cells, legend=Legend(of=["owners"]))

    def _make_columns(self) -> list[list[str]]:
        """Return the datasets in columns, each directly before its first child, ordered as their children are."""
        children: dict[str, list[str]] = {name: [] for name in self.datasets}
        for step in self.steps:
            for name in step.of:
                children[name].append(step.to)
        back: dict[str, int] = {}
        made = [step.to for step in self.steps]
        for name in [*reversed(made), *(name for name in self.datasets if name not in made)]:
            back[name] = 1 + max((back[child] for child in children[name]), default=-1)
        order = [*self.datasets]
        columns: list[list[str]] = []
        at: dict[str, float] = {}
        for far in range(max(back.values()) + 1):
            names = [name for name in order if back[name] == far]
            places = {
                name: sum(at[child] for child in children[name]) / len(children[name]) if children[name] else 0.0
                for name in names
            }
            names.sort(key=lambda name: (places[name], order.index(name)))
            at.update((name, place) for place, name in enumerate(names))
            columns.insert(0, names)
        return columns
