"""Spacing of a figure, in cm: the meaning and the bounds of each distance."""

from __future__ import annotations

from pydantic import Field

from tikzgen.base.record import Record
from tikzgen.model.part import Part


class Range(Record):
    """A range of lengths in cm, from `least` to `most`; it includes `least` if it is `closed`."""

    least: float
    most: float
    closed: bool = False


SPACING = {
    "colsep": Range(0, 40),
    "rowsep": Range(0, 40),
    "radius": Range(0, 40),
    "ringheight": Range(0, 80),
    "timeunit": Range(0, 40),
    "laneheight": Range(0, 10),
    "lanesep": Range(0, 10, closed=True),
    "lifelinesep": Range(0, 40),
    "panelsep": Range(0, 20),
}


class Spacing(Part):
    """Distances in cm; each becomes a parameter of the emitted file. Null computes it."""

    colsep: float | None = Field(default=None, gt=SPACING["colsep"].least, le=SPACING["colsep"].most)
    """Between the centres of neighbouring columns."""
    rowsep: float | None = Field(default=None, gt=SPACING["rowsep"].least, le=SPACING["rowsep"].most)
    """Between the centres of neighbouring rows."""
    radius: float | None = Field(default=None, gt=SPACING["radius"].least, le=SPACING["radius"].most)
    """Of a star or a ring; half the width of a ring that is no circle."""
    ringheight: float | None = Field(default=None, gt=SPACING["ringheight"].least, le=SPACING["ringheight"].most)
    """The height of a ring, between its highest and its lowest entity."""
    timeunit: float | None = Field(default=None, gt=SPACING["timeunit"].least, le=SPACING["timeunit"].most)
    """The length of one time unit."""
    laneheight: float | None = Field(default=None, gt=SPACING["laneheight"].least, le=SPACING["laneheight"].most)
    """The thickness of a lane."""
    lanesep: float | None = Field(default=None, ge=SPACING["lanesep"].least, le=SPACING["lanesep"].most)
    """Between neighbouring lanes."""
    lifelinesep: float | None = Field(default=None, gt=SPACING["lifelinesep"].least, le=SPACING["lifelinesep"].most)
    """Between neighbouring lifelines."""
    panelsep: float | None = Field(default=None, gt=SPACING["panelsep"].least, le=SPACING["panelsep"].most)
    """Between neighbouring panels."""
