"""FSDP (ZeRO-3): the parameters of a layer are gathered while the layer before computes."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.model.exact_fields import Cost
from tikzgen.model.figure_options import Slug
from tikzgen.recipe.schedule_display import ManyDevices, ScheduleLabels
from tikzgen.recipe.shared_facts import as_list, once
from tikzgen.recipe.simulated_recipe import PanelSchedule
from tikzgen.schedule import fsdp
from tikzgen.text import Numbered, fill_placeholders

Depth = Annotated[int, Field(ge=0, le=4096)]


class FsdpLabels(ScheduleLabels):
    """Labels of sharded data parallelism."""

    prefetch: Numbered = "prefetch {n}"
    """The caption, where there are several panels; `{n}` is the number of layers gathered ahead."""


class Fsdp(ManyDevices):
    """Sharded data parallelism (FSDP, ZeRO-3): all-gathers hidden behind the layers that compute."""

    counts = "workers"
    _most = 8

    recipe: Literal["fsdp"] = "fsdp"
    """Names the recipe."""
    id: Slug = "fsdp"
    workers: int = Field(default=2, ge=1, le=4096)
    """How many workers."""
    layers: int = Field(default=4, ge=1, le=100_000)
    """How many layers are sharded."""
    gather: Cost | list[Cost] = Fraction(1)
    """How long the all-gather of a layer takes: one duration, or one for each layer."""
    forward: Cost | list[Cost] = Fraction(2)
    """How long a layer's forward takes: one duration, or one for each layer."""
    backward: Cost | list[Cost] | None = None
    """How long a layer's backward takes; null shows the forward only."""
    reduce_scatter: Cost | list[Cost] = Fraction(0)
    """How long the reduce-scatter after a layer's backward takes; 0 leaves it out."""
    prefetch: Annotated[list[Depth], BeforeValidator(as_list, json_schema_input_type=Depth | list[Depth])] = Field(
        default=[1], min_length=1, max_length=16
    )
    """How many layers are gathered ahead: 0 overlaps nothing. A list gives a panel each."""
    reshard_last: bool = False
    """Whether the last layer's parameters are freed after its forward, and gathered again for its backward. PyTorch's
    torchtitan keeps them, for they are needed again at once."""
    labels: FsdpLabels = Field(default_factory=FsdpLabels)
    """The texts."""

    def summary(self) -> str:
        ahead = join_words(map(str, self.prefetch))
        sharded = f"Sharded data parallelism (FSDP) with {count_of(self.layers, 'layer')}"
        return f"{sharded} on {count_of(self.workers, 'worker')}, all-gathers prefetched {ahead} layers ahead"

    def _plan(self) -> Iterator[PanelSchedule]:
        for prefetch in once(self.prefetch, "prefetch"):
            yield PanelSchedule(f"prefetch{prefetch}", fsdp(**self.facts(prefetch=prefetch)))

    def captions(self) -> list[str]:
        """Return the number of prefetched layers, as text."""
        return [fill_placeholders(self.labels.prefetch, n=prefetch) for prefetch in self.prefetch]
