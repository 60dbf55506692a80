"""Local SGD: every worker takes H steps alone, then all average their weights."""

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
from tikzgen.schedule import local_sgd
from tikzgen.text import Numbered, Text, fill_placeholders

Steps = Annotated[int, Field(ge=1, le=100_000)]


class LocalSgdLabels(ScheduleLabels):
    """Labels of local SGD."""

    device: Numbered = "GPU {n}"
    """Label of the lane of each worker."""
    local_steps: Numbered = "average every {n} steps"
    """Caption, if there are several panels; `{n}` is the number of steps between averages."""
    every_step: Text = "average every step"
    """Caption for an average after every step."""


class LocalSgd(ManyDevices):
    """Local SGD: workers train independently and average their weights periodically."""

    field_group = "schedule"
    field_groups = ("durations: step average",)
    common = ("workers: 4", "steps: 8", "local_steps: [2, 4]", "step", "average")

    counts = "workers"

    recipe: Literal["local-sgd"] = "local-sgd"
    """Name of the recipe."""
    id: Slug = "local-sgd"
    workers: int = Field(default=4, ge=1, le=4096)
    """Number of workers."""
    steps: int = Field(default=8, ge=1, le=100_000)
    """Total number of steps of each worker."""
    local_steps: Annotated[list[Steps], BeforeValidator(as_list, json_schema_input_type=Steps | list[Steps])] = Field(
        default=[4], min_length=1, max_length=16
    )
    """Number of steps (H) between two averages; a list gives one panel each."""
    step: Cost | list[Cost] = Fraction(1)
    """Duration of a step, in time units: one value, or one per worker."""
    average: Cost = Fraction(1)
    """Duration of an average, in time units."""
    labels: LocalSgdLabels = Field(default_factory=LocalSgdLabels)
    """Labels of the figure."""

    _stem = "w"

    def summary(self) -> str:
        between = join_words("every step" if steps == 1 else f"every {steps} steps" for steps in self.local_steps)
        return f"Local SGD of {count_of(self.workers, 'worker')}: {count_of(self.steps, 'step')}, averages {between}"

    def _plan(self) -> Iterator[PanelSchedule]:
        for local_steps in iterate_distinct(self.local_steps, "local_steps"):
            yield PanelSchedule(f"h{local_steps}", local_sgd(**self.collect_facts(local_steps=local_steps)))

    def list_captions(self) -> list[str]:
        """Return how often weights are averaged, as text."""
        texts = self.labels
        return [
            texts.every_step if steps == 1 else fill_placeholders(texts.local_steps, n=steps)
            for steps in self.local_steps
        ]
