"""Training with failures: checkpoints, lost work and restarts, redundancy or rerouting, and goodput."""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.base.record import replace
from tikzgen.model.exact_fields import Cost, Duration, Time
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Phase
from tikzgen.model.part import Part, fail
from tikzgen.model.timeline import Lane, LaneGroup
from tikzgen.recipe.schedule_display import ManyDevices, ScheduleLabels, look_of
from tikzgen.recipe.schedule_lanes import LanesOfSchedule, lanes_of_schedule
from tikzgen.recipe.shared_facts import as_list, iterate_distinct
from tikzgen.recipe.simulated_recipe import PanelSchedule, Told
from tikzgen.schedule import (
    Means,
    Survived,
    build_program,
    make_costs,
    measure_slowdown,
    plan_full_pipelines,
    reroute_pipelines,
    simulate,
    simulate_recovery,
)
from tikzgen.schedule import ScheduleLane as Stream
from tikzgen.text import Numbered, Text, fill_placeholders


class Failure(Part):
    """Failure of a worker."""

    at: Time
    """Time of the failure."""
    worker: int = Field(default=0, ge=0, le=4095)
    """Number of the worker, from 0."""


class RecoveryLabels(ScheduleLabels):
    """Labels of training with failures."""

    step: Text = "step"
    """Legend entry for steps that are not repeated."""
    lost: Text = "lost"
    """Legend entry for work that is repeated."""
    save: Text = "checkpoint"
    """Legend entry for checkpoints."""
    restart: Text = "restart"
    """Legend entry for restarts and failovers."""
    names: dict[Means, Text] = Field(
        default={
            "checkpoint": "checkpoints",
            "redundant": "redundant computation",
            "rerouted": "microbatches rerouted",
        }
    )
    """Captions, if there are several panels."""
    whole: Text = "all workers"
    """Caption of a step before failures, with `inside`."""
    pipeline: Numbered = "pipeline {n}"
    """Label of the workers of each pipeline, with `inside`."""


class Recovery(ManyDevices):
    """Training through failures: lost and repeated work, and the goodput, with the step in each cell."""

    field_group = "schedule"
    field_groups = ("durations: step save restart redundancy failover",)
    common = (
        "workers: 3",
        "steps: 8",
        "failures: [{at: 12, worker: 1}]",
        "means: [checkpoint, redundant]",
        "step",
        "every",
    )

    counts = "workers"
    _most = 12

    recipe: Literal["recovery"] = "recovery"
    """Name of the recipe."""
    id: Slug = "recovery"
    workers: int = Field(default=3, ge=1, le=512)
    """Number of workers that train together."""
    steps: int = Field(default=8, ge=1, le=10_000)
    """Number of steps."""
    step: Duration = Fraction(2)
    """Duration of a step, in time units."""
    failures: list[Failure] = Field(default_factory=lambda: [Failure(at=Fraction(12), worker=1)], max_length=256)
    """Times of failures, with their workers; failures after the last step have no effect."""
    means: Annotated[list[Means], BeforeValidator(as_list, json_schema_input_type=Means | list[Means])] = Field(
        default=["checkpoint", "redundant"], min_length=1, max_length=3
    )
    """Recovery method. `checkpoint`: all work since the last save is lost. `redundant`: each worker also computes a
    part of its neighbor's work, as in Bamboo; only the current step is lost. `rerouted`: peers in other pipelines
    take the failed worker's microbatches, as in ReCycle; the current step is lost, and later ones take longer. A
    list gives one panel each."""
    every: int = Field(default=3, ge=0, le=10_000)
    """Number of steps between two checkpoints; 0 never saves."""
    save: Cost = Fraction(1, 2)
    """Duration of a checkpoint, in time units."""
    restart: Cost = Fraction(3)
    """Time to detect the failure, to get another worker and to load the checkpoint, in time units."""
    redundancy: Cost = Fraction(1, 2)
    """Additional duration of a step with redundant computation, in time units."""
    failover: Cost = Fraction(1)
    """Time until the neighbor or the peers take over, in time units."""
    stages: int = Field(default=1, ge=1, le=64)
    """Number of stages of a pipeline with `means: rerouted`; this number of consecutive workers is one pipeline."""
    microbatches: int = Field(default=4, ge=1, le=256)
    """Number of microbatches of a pipeline in one step, with `means: rerouted`."""
    inside: bool = False
    """Whether to show one step by microbatch, with `means: rerouted`: with all workers (by 1F1B, with duration
    `step`), and without the failed ones."""
    labels: RecoveryLabels = Field(default_factory=RecoveryLabels)
    """Labels of the figure."""

    def summary(self) -> str:
        means = join_words(self.labels.names.get(each, each) for each in self.means)
        work = f"{count_of(self.steps, 'step')} of {count_of(self.workers, 'worker')}"
        return f"{work} through {count_of(len(self.failures), 'failure')}, with {means}"

    def _simulate(self, means: Means) -> Survived:
        return simulate_recovery(
            means,
            [(failure.at, failure.worker) for failure in self.failures],
            workers=self.workers,
            steps=self.steps,
            step=self.step,
            every=self.every,
            save=self.save,
            restart=self.restart,
            redundancy=self.redundancy,
            failover=self.failover,
            pace=lambda out: measure_slowdown(self.stages, self.workers // self.stages, self.microbatches, out),
        )

    def _plan(self) -> Iterator[PanelSchedule]:
        for index, failure in enumerate(self.failures):
            if failure.worker >= self.workers:
                hint = f"the workers are 0 to {self.workers - 1}"
                fail(f"unknown worker {failure.worker}", "failures", index, "worker", hint=hint)
        if "rerouted" in self.means and self.workers % self.stages:
            fail(f"{self.workers} workers are no pipelines of {self.stages} stages", "stages", hint="stages: 1")
        if self.inside:
            yield from self._plan_inside()
            return
        for means in iterate_distinct(self.means, "means"):
            run = self._simulate(means)
            yield PanelSchedule(means, run.schedule, run=run)

    def _plan_inside(self) -> Iterator[PanelSchedule]:
        if self.means != ["rerouted"]:
            fail("steps have microbatches where these are rerouted", "inside", hint="means: rerouted")
        failed = {failure.worker for failure in self.failures}
        cost = make_costs(self.stages, forward=self.step / (3 * (self.microbatches + self.stages - 1)))
        size = self.stages, self.workers // self.stages, self.microbatches
        for panel, plan in (("whole", plan_full_pipelines(*size)), ("rerouted", reroute_pipelines(*size, failed))):
            yield PanelSchedule(panel, simulate(build_program(plan, cost)))

    def draw(self, plan: PanelSchedule) -> LanesOfSchedule:
        """Return the lanes; for a single step, shades are pipelines and numbers their microbatches."""
        if not self.inside:
            return super().draw(plan)
        naming = self.lane_names()
        picture = lanes_of_schedule(
            plan.schedule,
            naming,
            numbers=self.number_cells(plan),
            shades=("pipeline", lambda task: task.microbatch // self.microbatches),
        )
        # failed workers keep their lanes
        devices = {naming.make_id(Stream(n)): n for n in range(self.workers)}
        lanes = [Lane(id=name, label=naming.label(n)) for name, n in devices.items()]
        return replace(picture, lanes=lanes, devices=devices)

    def shown_devices(self) -> Collection[int] | None:
        """Return the drawn devices, including every device that fails."""
        found = super().shown_devices()
        return found and {*found, *(failure.worker for failure in self.failures)}

    def _make_node_brackets(self, picture: LanesOfSchedule) -> list[LaneGroup]:
        """Return a bracket for each pipeline of a step."""
        if not self.inside or self.stages == 1:
            return super()._make_node_brackets(picture)
        ids = [lane.id for lane in picture.lanes]
        return [
            LaneGroup(lanes=ids[first : first + self.stages], label=fill_placeholders(self.labels.pipeline, n=number))
            for number, first in enumerate(range(0, len(ids), self.stages), 1)
        ]

    def number_cells(self, plan: PanelSchedule) -> Mapping[int, int | None]:
        """Return the number of the step, or of the microbatch, for operations that compute."""
        operations = plan.schedule.operations
        if self.inside:
            return {i: each.number % self.microbatches + self.first for i, each in enumerate(operations)}
        numbered = {"step", "lost"}
        return {i: each.number + self.first if each.kind in numbered else None for i, each in enumerate(operations)}

    def list_captions(self) -> list[str]:
        """Return the labels of the means."""
        names = [self.labels.names.get(means, means) for means in self.means]
        return [self.labels.whole, *names] if self.inside else names

    def make_looks(self) -> dict[str, Phase]:
        """Return the styles of useful and lost time."""
        texts = self.labels
        if self.inside:
            return {}
        return {
            "step": look_of("step", texts.step),
            "lost": look_of("weight-grad", texts.lost),
            "save": look_of("forward", texts.save),
            "restart": look_of("communication", texts.restart),
        }

    def extra_measures(self, plan: PanelSchedule) -> Told:
        """Return the share of time of useful steps, and the time lost by cause."""
        if self.inside:
            return {}
        run: Survived = plan.run
        return {
            "goodput": self.steps * self.step / run.schedule.makespan,
            "lost": run.time_spent("lost"),
            "saving": run.time_spent("save"),
            "restarting": run.time_spent("restart"),
        }
