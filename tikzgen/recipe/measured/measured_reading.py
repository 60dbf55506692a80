"""Contents of traces in a figure of a measured run, so that it can be drawn and measured without them."""

from fractions import Fraction
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field

from tikzgen.model.exact_fields import Share, Time
from tikzgen.model.part import Id, Part, Words, empty
from tikzgen.text import Text

Rank = Annotated[int, Field(ge=0, le=1_000_000)]

MOST_CELLS = 50_000
"""More are no picture, and more than TeX bears."""
MOST_RANKS_COUNT = 64
"""Of a figure."""


class MeasuredLane(Part):
    """Row of the timeline."""

    id: Id
    """Its id."""
    label: Text = ""
    """Text at its beginning; rows after the first of what overlaps have none."""
    rank: Rank
    """Whose time it is."""
    group: Text = ""
    """At the bracket around it and others, if it has one."""


class MeasuredCell(Part):
    """Cell of the timeline, in ms."""

    lane: Id
    """Where it is."""
    phase: Id
    """Its class, or what an operation is."""
    start: Time
    """When it begins."""
    duration: Time
    """How long it lasts; 0 is a moment."""
    events: int = Field(default=1, ge=1)
    """How many events of the trace it stands for."""
    occupancy: Share | Literal[1] = 1
    """The share of its length in which something ran."""
    number: int | None = Field(default=None, ge=0, le=10**9)
    """The microbatch."""
    stage: int | None = Field(default=None, ge=0, le=10**6)
    """The part of the model, counted through all ranks."""
    waited: Time = Fraction(0)
    """How long before it its annotation began."""

    @property
    def end(self) -> Fraction:
        """End of the cell."""
        return self.start + self.duration


class MeasuredPeriod(Part):
    """Period for a mark, in ms."""

    name: Words
    """What it is: a step, or exposed communication."""
    start: Time
    """When it begins."""
    end: Time
    """When it ends."""
    rank: Rank | None = None
    """Whose it is; null is all ranks'."""
    exposed: Time = Fraction(0)
    """For how much of it communication is exposed."""


class RankNumbers(Part):
    """Measures of one rank, computed from its events, not from cells; times in ms."""

    rank: Rank
    """Which."""
    values: dict[Id, Time]
    """By name."""
    classes: dict[Id, Time] = Field(default_factory=dict)
    """How long something of each class ran."""


class Reading(Part):
    """Contents of the traces, from which a figure can be drawn again without them."""

    facts: Words
    """A digest of the facts that it was read by."""
    lanes: list[MeasuredLane] = Field(min_length=1, max_length=4096)
    """The rows."""
    cells: list[MeasuredCell] = Field(max_length=MOST_CELLS)
    """What is drawn."""
    length: Time
    """From the first moment to the last, in ms."""
    makespan: Time
    """From the first computation to the last end."""
    ranks: list[RankNumbers]
    """What was measured."""
    periods: list[MeasuredPeriod] = Field(default_factory=empty)
    """What marks may show."""
    residual: Time = Fraction(0)
    """How far apart the clocks of ranks may be after all, in ms."""
    world: int = Field(default=1, ge=1)
    """How many ranks ran, drawn or not."""
    notes: list[Words] = Field(default_factory=empty)
    """What a reader must know: ranks, clocks, the step, what was merged."""

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
