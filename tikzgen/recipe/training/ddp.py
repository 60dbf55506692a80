"""DistributedDataParallel: gradient buckets are reduced while the backward still runs, or after it."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.model.exact_fields import Cost, Duration
from tikzgen.model.figure_options import Slug
from tikzgen.recipe.schedule_display import ManyDevices, ScheduleLabels
from tikzgen.recipe.shared_facts import as_list, iterate_distinct
from tikzgen.recipe.simulated_recipe import PanelSchedule
from tikzgen.schedule import ddp
from tikzgen.text import Text


class DdpLabels(ScheduleLabels):
    """Labels of data-parallel steps."""

    overlap: Text = "all-reduce during the backward"
    """Caption with overlap, if there are several panels."""
    serial: Text = "all-reduce after the backward"
    """Caption without overlap, if there are several panels."""


class Ddp(ManyDevices):
    """One data-parallel step (PyTorch DDP) that reduces a bucket while it computes the next one."""

    field_group = "schedule"
    field_groups = ("durations: buckets all_reduce forward update",)
    common = ("workers: 2", "buckets: [2, 2, 2]", "all_reduce: 3", "forward", "overlap: [false, true]")

    counts = "workers"
    _most = 8

    recipe: Literal["ddp"] = "ddp"
    """Name of the recipe."""
    id: Slug = "ddp"
    workers: int = Field(default=2, ge=1, le=4096)
    """Number of workers."""
    buckets: list[Duration] = Field(default=[Fraction(2)] * 4, min_length=1, max_length=4096)
    """Duration of the backward of each bucket, in time units, in the order in which they become ready."""
    all_reduce: Cost | list[Cost] = Fraction(3)
    """Duration of the all-reduce of a bucket, in time units: one value, or one per bucket."""
    forward: Cost | list[Cost] = Fraction(4)
    """Duration of the forward, in time units: one value, or one per worker."""
    update: Cost = Fraction(0)
    """Duration of the optimizer step after the last all-reduce, in time units; 0 omits it."""
    overlap: Annotated[list[bool], BeforeValidator(as_list, json_schema_input_type=bool | list[bool])] = Field(
        default=[True], min_length=1, max_length=2
    )
    """Whether buckets are reduced as they become ready, or all after the backward; a list gives one panel each."""
    labels: DdpLabels = Field(default_factory=DdpLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        overlap = join_words("during" if each else "after" for each in self.overlap)
        buckets = count_of(len(self.buckets), "gradient bucket")
        step = f"a data-parallel step (DDP) of {count_of(self.workers, 'worker')}"
        return f"{step[0].upper()}{step[1:]}: {buckets} reduced {overlap} the backward"

    def _plan(self) -> Iterator[PanelSchedule]:
        for overlap in iterate_distinct(self.overlap, "overlap"):
            yield PanelSchedule("overlap" if overlap else "serial", ddp(**self.collect_facts(overlap=overlap)))

    def number_cells(self, plan: PanelSchedule) -> dict[int, int | None]:
        """Return no number for forward and update, which occur once; operations of buckets are numbered."""
        return {
            index: None for index, each in enumerate(plan.schedule.operations) if each.kind in ("forward", "update")
        }

    def list_captions(self) -> list[str]:
        """Return whether communication overlaps, as text."""
        return [self.labels.overlap if overlap else self.labels.serial for overlap in self.overlap]
