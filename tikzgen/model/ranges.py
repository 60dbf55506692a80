"""How long the distances of a figure may be, for the model and for whoever reads a figure without the model."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["SPACING", "Range"]


class Range(NamedTuple):
    """Lengths in cm from `least`, which is allowed itself where `closed`, to `most`."""

    least: float
    most: float
    closed: bool = False


SPACING = {
    "colsep": Range(0, 40),
    "rowsep": Range(0, 40),
    "radius": Range(0, 40),
    "timeunit": Range(0, 40),
    "laneheight": Range(0, 10),
    "lanesep": Range(0, 10, closed=True),
    "lifelinesep": Range(0, 40),
    "panelsep": Range(0, 20),
}
