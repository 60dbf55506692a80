"""Training that fails: checkpoints, lost work and restarts, or redundant computation; how much of the time counts."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tikzgen.model.base import Cost, Duration, Part, Time, fail
from tikzgen.model.figure import Slug
from tikzgen.model.look import PHASES, Phase
from tikzgen.recipe.schedule_options import Displayed, ScheduleLabels
from tikzgen.recipe.scheduled import Planned, once
from tikzgen.recipe.shared_facts import listed
from tikzgen.schedule.failing_run import Means, Survived, survive
from tikzgen.text import Text


class Failure(Part):
    """A worker fails."""

    at: Time
    """When."""
    worker: int = Field(default=0, ge=0, le=4095)
    """Which, counted from 0."""


class RecoveryLabels(ScheduleLabels):
    """The texts of training that fails."""

    step: Text = "step"
    """Legend entry for steps that count."""
    lost: Text = "lost"
    """Legend entry for work that is done again."""
    save: Text = "checkpoint"
    """Legend entry for saves."""
    restart: Text = "restart"
    """Legend entry for restarts, and failovers."""
    names: dict[Means, Text] = Field(default={"checkpoint": "checkpoints", "redundant": "redundant computation"})
    """The captions, where there are several panels."""


class Recovery(Displayed):
    """Training through failures: what is lost and done again, and the goodput; the number in a cell is the step."""

    counts = "workers"
    schedule_facts = (
        *("workers", "steps", "step", "failures", "means", "every", "save", "restart"),
        *("redundancy", "failover"),
    )

    recipe: Literal["recovery"] = "recovery"
    """Names the recipe."""
    id: Slug = "recovery"
    workers: int = Field(default=3, ge=1, le=512)
    """How many workers train together."""
    steps: int = Field(default=8, ge=1, le=10_000)
    """How many steps they take."""
    step: Duration = Fraction(2)
    """How long a step takes."""
    failures: list[Failure] = Field(default_factory=lambda: [Failure(at=Fraction(12), worker=1)], max_length=256)
    """When which worker fails; failures after the last step do not count."""
    means: Annotated[list[Means], BeforeValidator(listed, json_schema_input_type=Means | list[Means])] = Field(
        default=["checkpoint", "redundant"], min_length=1, max_length=2
    )
    """What is done about it: checkpoint (all since the last save is lost), redundant (each worker also computes what
    its neighbour does, as in Bamboo: only the step that runs is lost). A list gives a panel each."""
    every: int = Field(default=3, ge=0, le=10_000)
    """After how many steps the state is saved; 0 never saves."""
    save: Cost = Fraction(1, 2)
    """How long a save takes."""
    restart: Cost = Fraction(3)
    """How long it takes to find the failure, to get another worker and to load what was saved."""
    redundancy: Cost = Fraction(1, 2)
    """How much longer a step takes that is computed twice."""
    failover: Cost = Fraction(1)
    """How long it takes the neighbour to take over."""
    labels: RecoveryLabels = Field(default_factory=RecoveryLabels)
    """The texts."""

    def _run(self, means: Means) -> Survived:
        return survive(
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
        )

    def _plan(self) -> Iterator[Planned]:
        for index, failure in enumerate(self.failures):
            if failure.worker >= self.workers:
                hint = f"the workers are 0 to {self.workers - 1}"
                fail(f"there is no worker {failure.worker}", "failures", index, "worker", hint=hint)
        for means in once(self.means, "means"):
            run = self._run(means)
            yield Planned(means, run.schedule, run=run)

    def numbers(self, place: int) -> Mapping[int, int | None]:
        """The step in what computes."""
        operations = self.plans()[place].schedule.program.operations
        numbered = {"step", "lost"}
        return {i: each.number + self.first if each.kind in numbered else None for i, each in enumerate(operations)}

    def captions(self) -> list[str]:
        """What the means are called."""
        return [self.labels.names.get(means, means) for means in self.means]

    def looks(self) -> dict[str, Phase]:
        """The looks of what counts and what does not."""
        texts = self.labels
        return {
            "step": PHASES["forward"].model_copy(update={"label": texts.step}),
            "lost": PHASES["input-grad"].model_copy(update={"label": texts.lost, "color": "otorange", "tint": 80}),
            "save": PHASES["backward"].model_copy(update={"label": texts.save}),
            "restart": PHASES["communication"].model_copy(update={"label": texts.restart}),
        }

    def told(self, plan: Planned) -> dict[str, Fraction | int | tuple[Fraction | int, ...]]:
        """How much of the time was spent on steps that count, and on what it was lost."""
        run: Survived = plan.run
        return {
            "goodput": self.steps * self.step / run.schedule.makespan,
            "lost": run.spent("lost"),
            "saving": run.spent("save"),
            "restarting": run.spent("restart"),
        }
