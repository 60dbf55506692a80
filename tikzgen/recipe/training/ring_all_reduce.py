"""Ring all-reduce: in 2(N-1) steps every rank sends one of N chunks to the next rank."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from pydantic import Field

from tikzgen.base.plain_words import count_of
from tikzgen.base.record import replace
from tikzgen.model.exact_fields import Cost, Duration
from tikzgen.model.figure_options import Slug
from tikzgen.recipe.schedule_display import Displayed, ScheduleLabels
from tikzgen.recipe.schedule_lanes import Naming
from tikzgen.recipe.simulated_recipe import PanelSchedule, Told
from tikzgen.schedule import COMMUNICATION, ring_all_reduce, ring_bytes
from tikzgen.text import Numbered


class RingLabels(ScheduleLabels):
    """Labels of a ring all-reduce."""

    device: Numbered = "GPU {n}"
    """Label of the lane of each rank."""


class RingAllReduce(Displayed):
    """A ring all-reduce: the chunks that each rank sends over time, with the chunk in each cell."""

    field_group = "schedule"
    field_groups = ("durations: size bandwidth latency",)
    common = ("ranks: 4", "size", "bandwidth", "latency: 1/4")

    counts = "ranks"

    recipe: Literal["ring-all-reduce"] = "ring-all-reduce"
    """Name of the recipe."""
    id: Slug = "ring-all-reduce"
    ranks: int = Field(default=4, ge=2, le=1024)
    """Number of ranks (N)."""
    size: Duration = Fraction(1)
    """Amount of data on each rank."""
    bandwidth: Duration = Fraction(1)
    """Amount of data that a link transfers per time unit."""
    latency: Cost = Fraction(0)
    """Additional duration of each step, in time units."""
    labels: RingLabels = Field(default_factory=RingLabels)
    """Labels of the figure."""

    _stem = "rank"

    def summary(self) -> str:
        return f"Ring all-reduce over {count_of(self.ranks, 'rank')} in {count_of(2 * (self.ranks - 1), 'step')}"

    def lane_names(self) -> Naming:
        """Return the names of lanes: one for each rank."""
        return replace(super().lane_names(), plain=COMMUNICATION)

    def _plan(self) -> Iterator[PanelSchedule]:
        yield PanelSchedule("main", ring_all_reduce(**self.collect_facts()))

    def extra_measures(self, plan: PanelSchedule) -> Told:
        """Return the amount that each rank sends, in sizes of the gradient."""
        return {"sent": ring_bytes(self.ranks, 1)}
