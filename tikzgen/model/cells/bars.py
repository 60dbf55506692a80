"""Scaled bars with segments, and their axis."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Self

from pydantic import Field, model_validator

from tikzgen.model.cells.cell_fills import MOST_OWNERS
from tikzgen.model.exact_fields import Cost, Duration
from tikzgen.model.looks import Hatch
from tikzgen.model.part import Id, Part, fail, label_by_id, make_empty_list
from tikzgen.text import Text


class BarPart(Part):
    """A segment of a bar."""

    size: Cost
    """Length of the segment, in units of the axis."""
    role: str | None = None
    """Name of a phase, whose fill the segment has."""
    owner: int | None = Field(default=None, ge=0, lt=MOST_OWNERS)
    """Number of the owner of the segment."""
    hatch: Hatch = "none"
    """Pattern over the fill."""
    label: Text = ""
    """Text in the segment; it is left out if it does not fit."""
    id: Id | None = None
    """Name of the segment in addresses; otherwise, its number, from 0."""

    @model_validator(mode="after")
    def _check_meaning(self) -> Self:
        if (self.role is None) == (self.owner is None):
            fail("needs a role or an owner", "role", hint="write role: forward or owner: 0")
        return self


class SizeBar(Part):
    """A bar. All bars have one scale."""

    id: Id
    """Name of the bar in the figure."""
    label: Text = ""
    """Text left of the bar. Without this field, the text is the id; an empty string leaves it blank."""
    parts: list[BarPart] = Field(min_length=1, max_length=64)
    """The segments, left to right."""
    total: Text | None = None
    """Text at the end of the bar; null is the sum of its segments with the unit."""

    @model_validator(mode="before")
    @classmethod
    def _label_by_id(cls, data: Any) -> Any:
        return label_by_id(data)

    def stated_fields(self) -> frozenset[str]:
        """Return "label" if the label is empty, because without this field, the bar shows its id."""
        return frozenset() if self.label else frozenset({"label"})

    @property
    def size(self) -> Fraction:
        """Sum of its segments."""
        return sum((part.size for part in self.parts), Fraction(0))


class SizeLimit(Part):
    """A limit on the axis of bars, drawn as a dashed line across them."""

    at: Cost
    """Position on the axis."""
    label: Text = ""
    """Text at the line."""


class SizeAxis(Part):
    """The axis below the bars."""

    unit: Text = ""
    """Unit of the sizes."""
    ticks: Duration | None = None
    """Distance of the ticks; null takes a round one."""
    limits: list[SizeLimit] = Field(default_factory=make_empty_list, max_length=8)
    """Limits, such as the memory of a device."""
