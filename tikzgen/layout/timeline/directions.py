"""A timeline's own directions: along time, and away from the first lane. All marks are placed in these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal, Protocol

from tikzgen.base.record import Record
from tikzgen.layout.lengths import Extent, Length, number, param
from tikzgen.layout.plan import Plan
from tikzgen.layout.timeline.timeline_items import Spot
from tikzgen.layout.timeline_facts import TimelineFacts
from tikzgen.plane.rectangles import Box

Side = Literal["before", "after"]


class _Part(Protocol):
    @property
    def direction(self) -> str: ...


class Directed(Protocol):
    """What has a part whose time runs in a direction."""

    @property
    def part(self) -> _Part: ...


class Patch(Record):
    """Paper between two places along time and two distances from the first lane."""

    start: Length
    near: Length
    stop: Length
    far: Length

    def box(self, values: Mapping[str, float]) -> Box:
        """The same in cm."""
        return self.start.at(values), self.near.at(values), self.stop.at(values), self.far.at(values)

    def on(self, facts: Directed) -> Extent:
        """The same on the page."""
        return extent(facts, self.start, self.stop, self.near, self.far)


def moment(facts: TimelineFacts, time: Fraction) -> Length:
    """How far along time a moment lies."""
    return param("timeunit", float(facts.clock.at(time)))


def on_paper(plan: Plan, facts: TimelineFacts, time: Fraction) -> float:
    """The same in cm."""
    return float(facts.clock.at(time)) * plan.values["timeunit"]


def pitch(plan: Plan) -> float:
    """The distance of lanes, from middle to middle, in cm."""
    return plan.values["laneheight"] + plan.values["lanesep"]


def away(row: float) -> Length:
    """How far from the middle of the first lane a row lies."""
    return (param("laneheight") + param("lanesep")) * row


def edge(facts: TimelineFacts, side: Side) -> float:
    """The row at which what stands before or after the lanes begins."""
    return -0.5 if side == "before" else facts.rows - 0.5


def spot(facts: Directed, x: str, row: float, along: Length | float = 0.0, off: Length | float = 0.0) -> Spot:
    """The point at `x` time units in a row, moved on paper along time and away from the first lane."""
    forth = along if isinstance(along, Length) else Length(along)
    out = off if isinstance(off, Length) else Length(off)
    match facts.part.direction:
        case "right":
            return Spot(x, number(row), forth, -out)
        case "up":
            return Spot(x, number(row), out, forth)
        case _:
            return Spot(x, number(row), out, -forth)


def extent(facts: Directed, start: Length, stop: Length, near: Length, far: Length) -> Extent:
    """The paper between two places along time and two distances from the first lane."""
    match facts.part.direction:
        case "right":
            return Extent(start, -far, stop, -near)
        case "up":
            return Extent(near, start, far, stop)
        case _:
            return Extent(near, -stop, far, -start)


def foot(facts: Directed, side: Side) -> str:
    """The anchor of a text along time that looks to the lanes from before or after them."""
    return "south" if (side == "before") == (facts.part.direction != "down") else "north"


def on_page(facts: Directed, box: Box) -> Extent:
    """The paper of a box in cm along time, and away from the first lane."""
    start, near, stop, far = map(Length, box)
    return extent(facts, start, stop, near, far)


def over_lanes(facts: TimelineFacts, lanes: Sequence[str], start: Fraction, stop: Fraction) -> Extent:
    """The paper of a period over lanes that lie next to each other."""
    middle, many = facts.middle(lanes)
    half = (away(many - 1) + param("laneheight")) * 0.5
    return extent(facts, moment(facts, start), moment(facts, stop), away(middle) - half, away(middle) + half)
