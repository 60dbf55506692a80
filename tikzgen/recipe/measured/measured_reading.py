"""Contents of traces in a figure of a measured run, so that it can be drawn and measured without them."""

from fractions import Fraction
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field

from tikzgen.model.exact_fields import Share, Time
from tikzgen.model.part import Id, Part, Words, make_empty_list
from tikzgen.text import Text

Rank = Annotated[int, Field(ge=0, le=1_000_000)]

MOST_CELLS = 50_000
"""Maximum number of cells in a figure; TeX does not support more."""
MOST_RANKS_COUNT = 64
"""Maximum number of ranks in a figure."""


class MeasuredLane(Part):
    """Row of the timeline."""

    id: Id
    """Id of the lane."""
    label: Text = ""
    """Label of the lane; only the first of several rows for overlapping cells has one."""
    rank: Rank
    """Rank of the lane."""
    group: Text = ""
    """Label of the bracket that contains the lane; empty means no bracket."""
    replica: int = Field(default=0, ge=0)
    """Number of the replica: the position of the rank on the axes other than pp."""


class MeasuredCell(Part):
    """Cell of the timeline, in ms."""

    lane: Id
    """Lane of the cell."""
    phase: Id
    """Class of the cell, or phase of an operation."""
    start: Time
    """Start time."""
    duration: Time
    """Duration; 0 is an instant."""
    events: int = Field(default=1, ge=1)
    """Number of merged trace events."""
    occupancy: Share | Literal[1] = 1
    """Share of the cell's duration in which an event ran."""
    number: int | None = Field(default=None, ge=0, le=10**9)
    """Number of the microbatch."""
    stage: int | None = Field(default=None, ge=0, le=10**6)
    """Number of the stage, counted across all ranks."""
    waited: Time = Fraction(0)
    """Time between the start of the annotation and the start of the cell."""
    step: int | None = Field(default=None, ge=0)
    """Number of the step, if several are drawn."""

    @property
    def end(self) -> Fraction:
        """End of the cell."""
        return self.start + self.duration


class MeasuredPeriod(Part):
    """Period for a mark, in ms."""

    name: Words
    """Type of the period: a step, or exposed communication."""
    start: Time
    """Start time."""
    end: Time
    """End time."""
    rank: Rank | None = None
    """Rank of the period; null means all ranks."""
    exposed: Time = Fraction(0)
    """Duration of exposed communication in the period."""
    device: Words | Literal[""] = ""
    """Device of the period, if the rank has several."""


class RankNumbers(Part):
    """Measures of a device, computed from its events, not from cells; times in ms."""

    rank: Rank
    """Number of the rank."""
    device: Words | Literal[""] = ""
    """Device, if the rank has several."""
    values: dict[Id, Time]
    """Measures by name."""
    classes: dict[Id, Time] = Field(default_factory=dict)
    """Busy time of each class."""


class Reading(Part):
    """Contents of the traces, from which a figure can be drawn again without them."""

    facts: Words
    """Digest of the parameters with which the traces were read."""
    lanes: list[MeasuredLane] = Field(min_length=1, max_length=4096)
    """Rows of the timeline."""
    cells: list[MeasuredCell] = Field(max_length=MOST_CELLS)
    """Drawn cells."""
    length: Time
    """Length of the drawn period, in ms."""
    makespan: Time
    """Time from the start of the first computation to the end of the run, in ms."""
    ranks: list[RankNumbers]
    """Measures of each device of each rank."""
    periods: list[MeasuredPeriod] = Field(default_factory=make_empty_list)
    """Periods for marks."""
    residual: Time = Fraction(0)
    """Remaining uncertainty between the clocks of ranks, in ms."""
    world: int = Field(default=1, ge=1)
    """Number of ranks in the run, including ranks that are not drawn."""
    axes: dict[Id, int] = Field(default_factory=dict)
    """Sizes of the axes of parallelism; empty if nothing states them."""
    bubble: bool = True
    """Whether idle time between operations is known."""
    unit: Literal["time", "plan step"] = "time"
    """Unit of the times: ms, or thousandths of a step of a plan."""
    notes: list[Words] = Field(default_factory=make_empty_list)
    """Notes for readers about ranks, clocks, the step and merged slices."""

    @property
    def ranks_count(self) -> int:
        """Number of ranks, each with one or more devices."""
        return len({each.rank for each in self.ranks})

    @property
    def replicas(self) -> dict[int, list[MeasuredLane]]:
        """Lanes of each copy of the model, by number."""
        found: dict[int, list[MeasuredLane]] = {}
        for lane in self.lanes:
            found.setdefault(lane.replica, []).append(lane)
        return found

    def in_unit(self, by: Fraction) -> Self:
        """Return the reading in another unit of time; `by` units are one ms."""
        if by == 1:
            return self
        return self.model_copy(
            update={
                "cells": [_scale_fields(cell, by, "start", "duration", "waited") for cell in self.cells],
                "periods": [_scale_fields(period, by, "start", "end", "exposed") for period in self.periods],
                "ranks": [_scale_fields(rank, by, "values", "classes") for rank in self.ranks],
                "length": self.length * by,
                "makespan": self.makespan * by,
                "residual": self.residual * by,
            }
        )


_P = TypeVar("_P", bound=Part)


def _scale_fields(part: _P, by: Fraction, *names: str) -> _P:
    values = {name: getattr(part, name) for name in names}
    return part.model_copy(
        update={
            name: {key: each * by for key, each in value.items()} if isinstance(value, dict) else value * by
            for name, value in values.items()
        }
    )
