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
    "cellwidth": Range(0, 10),
    "cellheight": Range(0, 10),
    "arraysep": Range(0, 20),
    "depthx": Range(0, 10),
    "depthy": Range(0, 10),
    "byteunit": Range(0, 40),
    "barheight": Range(0, 10),
    "barsep": Range(0, 10, closed=True),
    "panelsep": Range(0, 20),
}


class Spacing(Part):
    """Distances in cm; each becomes a parameter of the emitted file. Null computes it."""

    colsep: float | None = Field(default=None, gt=SPACING["colsep"].least, le=SPACING["colsep"].most)
    """Distance between the centers of neighboring columns."""
    rowsep: float | None = Field(default=None, gt=SPACING["rowsep"].least, le=SPACING["rowsep"].most)
    """Distance between the centers of neighboring rows."""
    radius: float | None = Field(default=None, gt=SPACING["radius"].least, le=SPACING["radius"].most)
    """Radius of a star or a ring; half the width of an elliptic ring."""
    ringheight: float | None = Field(default=None, gt=SPACING["ringheight"].least, le=SPACING["ringheight"].most)
    """Height of a ring, between the centers of its highest and its lowest node."""
    timeunit: float | None = Field(default=None, gt=SPACING["timeunit"].least, le=SPACING["timeunit"].most)
    """Length of one time unit."""
    laneheight: float | None = Field(default=None, gt=SPACING["laneheight"].least, le=SPACING["laneheight"].most)
    """Thickness of a lane."""
    lanesep: float | None = Field(default=None, ge=SPACING["lanesep"].least, le=SPACING["lanesep"].most)
    """Distance between neighboring lanes."""
    lifelinesep: float | None = Field(default=None, gt=SPACING["lifelinesep"].least, le=SPACING["lifelinesep"].most)
    """Distance between neighboring lifelines."""
    cellwidth: float | None = Field(default=None, gt=SPACING["cellwidth"].least, le=SPACING["cellwidth"].most)
    """Width of a cell of an array."""
    cellheight: float | None = Field(default=None, gt=SPACING["cellheight"].least, le=SPACING["cellheight"].most)
    """Height of a cell of an array."""
    arraysep: float | None = Field(default=None, gt=SPACING["arraysep"].least, le=SPACING["arraysep"].most)
    """Distance between neighboring arrays."""
    depthx: float | None = Field(default=None, gt=SPACING["depthx"].least, le=SPACING["depthx"].most)
    """Offset of each layer of an array to the right, from the layer in front of it."""
    depthy: float | None = Field(default=None, gt=SPACING["depthy"].least, le=SPACING["depthy"].most)
    """Offset of each layer of an array up, from the layer in front of it."""
    byteunit: float | None = Field(default=None, gt=SPACING["byteunit"].least, le=SPACING["byteunit"].most)
    """Length of one unit of the sizes of bars."""
    barheight: float | None = Field(default=None, gt=SPACING["barheight"].least, le=SPACING["barheight"].most)
    """Thickness of a bar."""
    barsep: float | None = Field(default=None, ge=SPACING["barsep"].least, le=SPACING["barsep"].most)
    """Distance between neighboring bars."""
    panelsep: float | None = Field(default=None, gt=SPACING["panelsep"].least, le=SPACING["panelsep"].most)
    """Distance between neighboring panels."""
