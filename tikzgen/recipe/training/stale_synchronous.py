"""Workers at a parameter server that may run ahead of each other by a bound: BSP, SSP and ASP."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tikzgen.base.plain_words import count_of, join_words
from tikzgen.model.exact_fields import Cost, Duration
from tikzgen.model.figure_options import Slug
from tikzgen.model.looks import Phase
from tikzgen.model.part import fail
from tikzgen.recipe.schedule_display import ManyDevices, ScheduleLabels, look_of, with_note
from tikzgen.recipe.shared_facts import as_list, by_bound, iterate_distinct
from tikzgen.recipe.simulated_recipe import PanelSchedule, Told
from tikzgen.schedule import ServerRun, parameter_server, server_load
from tikzgen.text import Numbered, Text

Bound = Annotated[int, Field(ge=0, le=100_000)] | None


class StaleLabels(ScheduleLabels):
    """Labels of workers at a parameter server."""

    device: Numbered = "GPU {n}"
    """Label of the lane of each worker."""
    server: Text = "server"
    """Label of the server's lane."""
    bsp: Text = "BSP: all wait for all"
    """Caption for bound 0, if there are several panels."""
    ssp: Numbered = "SSP: at most {n} ahead"
    """Caption for other bounds, if there are several panels; `{n}` is the bound."""
    asp: Text = "ASP: none waits"
    """Caption without a bound, if there are several panels."""
    update: Text = "update"
    """Legend entry for updates."""
    staleness: Text = "its staleness"
    """Meaning of the numbers in updates, in the legend entry for updates if a cell shows a number."""


class StaleSynchronous(ManyDevices):
    """Synchronous, stale-synchronous and asynchronous workers at a parameter server, with staleness."""

    field_group = "schedule"
    field_groups = ("durations: fetch compute push update",)
    common = ("workers: 3", "steps: 3", "bound: [0, 1]", "compute", "until")

    counts = "workers"
    _most = 12

    recipe: Literal["stale-synchronous"] = "stale-synchronous"
    """Name of the recipe."""
    id: Slug = "stale-synchronous"
    workers: int = Field(default=3, ge=1, le=4096)
    """Number of workers."""
    steps: int = Field(default=3, ge=1, le=100_000)
    """Number of steps (clocks) of each worker."""
    until: Duration | None = None
    """End time, instead of `steps`: workers continue until then."""
    bound: Annotated[list[Bound], BeforeValidator(as_list, json_schema_input_type=Bound | list[Bound])] = Field(
        default=[0, 1, None], min_length=1, max_length=8
    )
    """Maximum number of steps that a worker can be ahead of the slowest: 0 is BSP, null is ASP. A list gives one panel
    each."""
    joint: bool = True
    """Whether the server applies one update for all workers, or one for each, with bound 0."""
    fetch: Cost | list[Cost] = Fraction(1, 2)
    """Duration of a fetch, in time units: one value, or one per worker."""
    compute: Cost | list[Cost | list[Cost]] | None = None
    """Duration of a step's computation, in time units: one value, or one per worker (lists repeat by step). Null is 2,
    but 4 for the last worker."""
    push: Cost | list[Cost] = Fraction(1, 2)
    """Duration of a push, in time units: one value, or one per worker."""
    update: Cost | None = None
    """Duration of an update at the server, in time units. Null is 1/2, or less if more than eight workers have
    separate updates, so that the server keeps pace."""
    labels: StaleLabels = Field(default_factory=StaleLabels)
    """Labels of the figure."""

    _stem = "w"

    def summary(self) -> str:
        kinds = by_bound(self.bound, "synchronous", "at most {n} ahead", "asynchronous")
        return f"{count_of(self.workers, 'worker')} at a parameter server: {join_words(kinds)}"

    def _plan(self) -> Iterator[PanelSchedule]:
        compute = self._list_compute_times()
        if len(compute) != self.workers:
            fail(
                f"{len(compute)} values for {self.workers} workers",
                "compute",
                hint="give one value, or one for each worker",
            )
        panels = by_bound(self.bound, "bsp", "ssp{n}", "asp")
        for panel, bound in zip(panels, iterate_distinct(self.bound, "bound"), strict=True):
            joint = bound == 0 and self.joint
            found = parameter_server(
                compute,
                bound=bound,
                joint=joint,
                fetch=self.fetch,
                push=self.push,
                update=self._choose_update_time(joint=joint),
                clocks=self.steps if self.until is None else None,
                until=self.until,
            )
            yield PanelSchedule(panel, found.schedule, run=found)

    def _choose_update_time(self, *, joint: bool) -> Fraction:
        """Return the duration of an update: one for all workers, or one for each."""
        usual = Fraction(1, 2) if joint else Fraction(4, max(self.workers, 8))
        return usual if self.update is None else self.update

    def _list_compute_times(self) -> list[Fraction | list[Fraction]]:
        """Return the compute times of each worker."""
        if self.compute is None:
            return [*[Fraction(2)] * (self.workers - 1), Fraction(4)]
        return self.compute if isinstance(self.compute, list) else [self.compute] * self.workers

    def label_streams(self) -> dict[str, str]:
        """Return the labels of lanes, including the server."""
        return super().label_streams() | {"server": self.labels.server}

    def find_horizon(self) -> Fraction | None:
        """Return `until`: without the later operations, the cause of a wait after it is unknown."""
        return self.until

    def number_cells(self, plan: PanelSchedule) -> dict[int, int | None]:
        """Return the numbers in cells: staleness in updates, step in computations, nothing for messages."""
        found: dict[int, int | None] = {
            index: None
            for index, operation in enumerate(plan.schedule.operations)
            if operation.kind in ("fetch", "push")
        }
        return found | {update.index: update.staleness for update in plan.run.updates}

    def list_captions(self) -> list[str]:
        """Return the labels of the bounds."""
        texts = self.labels
        return by_bound(self.bound, texts.bsp, texts.ssp, texts.asp)

    def make_looks(self) -> dict[str, Phase]:
        """Return the style of updates."""
        texts = self.labels
        return {"update": look_of("update", texts.update, cell_label=with_note(texts.update, texts.staleness))}

    def extra_measures(self, plan: PanelSchedule) -> Told:
        """Return the traffic per direction, and each worker's progress, waiting time and age of weights."""
        run: ServerRun = plan.run
        staleness = tuple(update.staleness for update in run.updates)
        return {
            **server_load(self.workers, 0),
            "clocks": run.clocks,
            "blocked": run.blocked,
            "staleness": staleness,
            "worst_staleness": max(staleness, default=0),
        }
