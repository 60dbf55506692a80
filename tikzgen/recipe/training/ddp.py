"""DistributedDataParallel: gradient buckets are reduced while the backward still runs, or after it."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.model.exact_fields import Cost, Duration
from tikzgen.model.figure_options import Slug
from tikzgen.recipe.schedule_display import ManyDevices, ScheduleLabels
from tikzgen.recipe.shared_facts import as_list, once
from tikzgen.recipe.simulated_recipe import PanelSchedule
from tikzgen.schedule import ddp
from tikzgen.text import Text


class DdpLabels(ScheduleLabels):
    """Labels of data-parallel steps."""

    overlap: Text = "all-reduce during the backward"
    """The caption with overlap, where there are several panels."""
    serial: Text = "all-reduce after the backward"
    """The caption without overlap, where there are several panels."""


class Ddp(ManyDevices):
    """One data-parallel step (PyTorch DDP) that reduces a bucket while it computes the next one."""

    counts = "workers"
    _most = 8

    recipe: Literal["ddp"] = "ddp"
    """Names the recipe."""
    id: Slug = "ddp"
    workers: int = Field(default=2, ge=1, le=4096)
    """How many workers."""
    buckets: list[Duration] = Field(default=[Fraction(2)] * 4, min_length=1, max_length=4096)
    """How long the backward of each bucket takes, in the order in which they become ready."""
    all_reduce: Cost | list[Cost] = Fraction(3)
    """How long the all-reduce of a bucket takes: one duration, or one for each."""
    forward: Cost | list[Cost] = Fraction(4)
    """How long the forward takes: one duration for all workers, or one for each."""
    update: Cost = Fraction(0)
    """How long the optimiser takes after the last all-reduce; 0 leaves it out."""
    overlap: Annotated[list[bool], BeforeValidator(as_list, json_schema_input_type=bool | list[bool])] = Field(
        default=[True], min_length=1, max_length=2
    )
    """Whether buckets are reduced as they become ready, or all after the backward; a list gives a panel each."""
    labels: DdpLabels = Field(default_factory=DdpLabels)
    """The texts."""

    def summary(self) -> str:
        overlap = join_words("during" if each else "after" for each in self.overlap)
        buckets = count_of(len(self.buckets), "gradient bucket")
        step = f"a data-parallel step (DDP) of {count_of(self.workers, 'worker')}"
        return f"{step[0].upper()}{step[1:]}: {buckets} reduced {overlap} the backward"

    def _plan(self) -> Iterator[PanelSchedule]:
        for overlap in once(self.overlap, "overlap"):
            yield PanelSchedule("overlap" if overlap else "serial", ddp(**self.facts(overlap=overlap)))

    def numbers(self, plan: PanelSchedule) -> dict[int, int | None]:
        """Return no number for forward and update, which occur once; operations of buckets are numbered."""
        return {
            index: None for index, each in enumerate(plan.schedule.operations) if each.kind in ("forward", "update")
        }

    def captions(self) -> list[str]:
        """Return whether communication overlaps, as text."""
        return [self.labels.overlap if overlap else self.labels.serial for overlap in self.overlap]
