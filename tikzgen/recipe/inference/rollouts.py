"""Reinforcement learning: generators with rollouts of different lengths, a buffer, and a trainer."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.model.exact_fields import Cost, Duration
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Phase
from tikzgen.recipe.schedule_display import Displayed, ScheduleLabels, look_of, with_note
from tikzgen.recipe.shared_facts import as_list, by_bound, iterate_distinct
from tikzgen.recipe.simulated_recipe import PanelSchedule, Told
from tikzgen.schedule import Learnt, simulate_rollouts
from tikzgen.text import Numbered, Text

Bound = Annotated[int, Field(ge=0, le=100_000)] | None


class RolloutsLabels(ScheduleLabels):
    """Labels of reinforcement learning."""

    device: Numbered = "generator {n}"
    """Label of the lane of each generator."""
    trainer: Text = "trainer"
    """Label of the trainer's lane."""
    rollout: Text = "rollout"
    """Legend entry for rollouts."""
    version: Text = "its weights"
    """Meaning of the numbers in rollouts, in the legend entry for rollouts if a cell shows a number."""
    train: Text = "training step"
    """Legend entry for training steps."""
    sync: Text = "weights"
    """Legend entry for the transfer of weights."""
    synchronous: Text = "synchronous"
    """The caption for bound 0, if there are several panels."""
    off: Numbered = "at most {n} behind"
    """The caption for other bounds, if there are several panels; `{n}` is the bound."""
    asynchronous: Text = "asynchronous"
    """The caption without a bound, if there are several panels."""


class Rollouts(Displayed):
    """Synchronous and asynchronous reinforcement learning, with the weight version of each rollout."""

    field_group = "schedule"
    field_groups = ("durations: lengths train sync",)
    common = ("generators: 3", "lengths", "batch: 3", "steps: 3", "bound: [0, 1]")

    counts = "generators"

    recipe: Literal["rollouts"] = "rollouts"
    """Name of the recipe."""
    id: Slug = "rollouts"
    generators: int = Field(default=3, ge=1, le=512)
    """Number of generators."""
    lengths: list[Duration] = Field(
        default_factory=lambda: [Fraction(each) for each in (2, 6, 3, 4, 2, 5)], min_length=1, max_length=10_000
    )
    """Duration of each rollout, in their start order; the list repeats."""
    batch: int = Field(default=3, ge=1, le=100_000)
    """Number of rollouts per training step."""
    steps: int = Field(default=3, ge=1, le=10_000)
    """Number of training steps."""
    train: Duration = Fraction(3)
    """Duration of a training step, in time units."""
    sync: Cost = Fraction(1)
    """Latency of the transfer of new weights to the generators, in time units."""
    bound: Annotated[list[Bound], BeforeValidator(as_list, json_schema_input_type=Bound | list[Bound])] = Field(
        default=[0, 1, None], min_length=1, max_length=8
    )
    """Maximum number of versions between a rollout and the current weights: 0 is synchronous, 1 one step off, null
    unbounded. A list gives one panel each."""
    labels: RolloutsLabels = Field(default_factory=RolloutsLabels)
    """Labels of the figure."""

    _stem = "gen"

    def summary(self) -> str:
        kinds = by_bound(self.bound, "synchronous", "at most {n} behind", "asynchronous")
        pool = f"{count_of(self.generators, 'generator')} and a trainer of {count_of(self.steps, 'step')}"
        return f"Reinforcement learning with {pool}: {join_words(kinds)}"

    def _plan(self) -> Iterator[PanelSchedule]:
        panels = by_bound(self.bound, "sync", "bound{n}", "async")
        for panel, bound in zip(panels, iterate_distinct(self.bound, "bound"), strict=True):
            run = simulate_rollouts(**self.collect_facts(bound=bound))
            yield PanelSchedule(panel, run.schedule, run=run)

    def label_streams(self) -> dict[str, str]:
        """Return the labels of lanes, including the trainer."""
        return super().label_streams() | {"trainer": self.labels.trainer}

    def number_cells(self, plan: PanelSchedule) -> Mapping[int, int | None]:
        """Return the version of the weights; None during their transfer."""
        operations = plan.schedule.operations
        return {i: None if each.kind == "sync" else each.number for i, each in enumerate(operations)}

    def list_captions(self) -> list[str]:
        """Return the labels of the bounds."""
        texts = self.labels
        return by_bound(self.bound, texts.synchronous, texts.off, texts.asynchronous)

    def make_looks(self) -> dict[str, Phase]:
        """Return the styles of rollouts and training steps."""
        texts = self.labels
        return {
            "rollout": look_of("forward", texts.rollout, cell_label=with_note(texts.rollout, texts.version)),
            "train": look_of("backward", texts.train),
            "sync": look_of("communication", texts.sync),
        }

    def extra_measures(self, plan: PanelSchedule) -> Told:
        """Return the age of the weights per step, and the waiting time of the trainer."""
        run: Learnt = plan.run
        return {
            "staleness": run.staleness,
            "worst_staleness": max(run.staleness),
            "trainer_idle": run.trainer_idle,
            "syncing": self.steps * self.sync,
        }
