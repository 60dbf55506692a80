"""A run as it is drawn: lanes, cells in them, what marks may show, and the measures, which are those of the events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tikzgen.base.record import NOTHING, Record
from tikzgen.trace.annotated_operations import MeasuredOperation
from tikzgen.trace.rank_measures import RankMeasures, RunMeasures
from tikzgen.trace.stamps import Time


class PictureLane(Record):
    """A row; those after the first of what overlaps have no label. Lanes of one `group` have a bracket."""

    id: str
    label: str
    rank: int
    group: str = ""


class PictureCell(Record):
    """What is drawn in a lane; `waited` is how long before `start` an operation's annotation began."""

    lane: str
    phase: str
    start: Time
    end: Time
    events: int = 1
    occupancy: Fraction = Fraction(1)
    number: int | None = None
    stage: int | None = None
    waited: Time = 0


class Period(Record):
    """A stretch of time that a mark may show: a step by its name, or communication that is `exposed` for so long."""

    name: str
    start: Time
    end: Time
    rank: int | None = None
    exposed: Time = 0


class Picture(Record):
    """Moments count from the beginning of what is drawn; `said` is what a reader must know.

    `residual` is by how much clocks may be wrong after all; of so many ranks that ran (`world`) some may not be drawn.
    """

    lanes: Sequence[PictureLane]
    cells: Sequence[PictureCell]
    length: Time
    ranks: Mapping[int, RankMeasures]
    whole: RunMeasures
    said: Sequence[str]
    operations: Mapping[int, Sequence[MeasuredOperation]] = NOTHING
    periods: Sequence[Period] = ()
    residual: Time = 0
    world: int = 1
