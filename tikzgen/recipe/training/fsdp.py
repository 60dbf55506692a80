"""FSDP (ZeRO-3): the parameters of a layer are gathered while the layer before computes."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.model.exact_fields import Cost
from tikzgen.model.figure_options import Slug
from tikzgen.recipe.schedule_display import ManyDevices, ScheduleLabels
from tikzgen.recipe.shared_facts import as_list, iterate_distinct
from tikzgen.recipe.simulated_recipe import PanelSchedule
from tikzgen.schedule import fsdp
from tikzgen.text import Numbered, fill_placeholders

Depth = Annotated[int, Field(ge=0, le=4096)]


class FsdpLabels(ScheduleLabels):
    """Labels of sharded data parallelism."""

    prefetch: Numbered = "prefetch {n}"
    """Caption, if there are several panels; `{n}` is the number of layers gathered ahead."""


class Fsdp(ManyDevices):
    """Sharded data parallelism (FSDP, ZeRO-3): all-gathers hidden behind the layers that compute."""

    field_group = "schedule"
    field_groups = ("durations: gather forward backward reduce_scatter",)
    common = ("layers: 4", "prefetch: [0, 1]", "gather", "forward", "backward: 4", "reduce_scatter: 1")

    counts = "workers"
    _most = 8

    recipe: Literal["fsdp"] = "fsdp"
    """Name of the recipe."""
    id: Slug = "fsdp"
    workers: int = Field(default=2, ge=1, le=4096)
    """Number of workers."""
    layers: int = Field(default=4, ge=1, le=100_000)
    """Number of sharded layers."""
    gather: Cost | list[Cost] = Fraction(1)
    """Duration of the all-gather of a layer, in time units: one value, or one per layer."""
    forward: Cost | list[Cost] = Fraction(2)
    """Duration of a layer's forward, in time units: one value, or one per layer."""
    backward: Cost | list[Cost] | None = None
    """Duration of a layer's backward, in time units: one value, or one per layer; null shows only the forward."""
    reduce_scatter: Cost | list[Cost] = Fraction(0)
    """Duration of the reduce-scatter after a layer's backward, in time units; 0 omits it."""
    prefetch: Annotated[list[Depth], BeforeValidator(as_list, json_schema_input_type=Depth | list[Depth])] = Field(
        default=[1], min_length=1, max_length=16
    )
    """Number of layers gathered ahead: 0 overlaps nothing. A list gives one panel each."""
    reshard_last: bool = False
    """Whether the last layer's parameters are freed after its forward, and gathered again for its backward. PyTorch's
    torchtitan keeps them for the backward."""
    labels: FsdpLabels = Field(default_factory=FsdpLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        ahead = join_words(map(str, self.prefetch))
        sharded = f"Sharded data parallelism (FSDP) with {count_of(self.layers, 'layer')}"
        return f"{sharded} on {count_of(self.workers, 'worker')}, all-gathers prefetched {ahead} layers ahead"

    def _plan(self) -> Iterator[PanelSchedule]:
        for prefetch in iterate_distinct(self.prefetch, "prefetch"):
            yield PanelSchedule(f"prefetch{prefetch}", fsdp(**self.collect_facts(prefetch=prefetch)))

    def list_captions(self) -> list[str]:
        """Return the number of prefetched layers, as text."""
        return [fill_placeholders(self.labels.prefetch, n=prefetch) for prefetch in self.prefetch]
