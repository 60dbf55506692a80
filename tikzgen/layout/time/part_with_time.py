"""Part with a directed time axis and parallel lanes or lifelines: positions of times and rows.

Marks are placed in the part's own directions: along time, and away from the first lane.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.plane import Box, Point, surround
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.symbolic_lengths import Length, Pair, SymbolicBox, number, param
from tikzgen.layout.time.time_to_position import Directed, TimeScale
from tikzgen.layout.time.timed_items import TimedPoint
from tikzgen.model.content import Path

Side = Literal["before", "after"]
Patch: TypeAlias = SymbolicBox
"""Area between two positions along time, its left and its right, and two distances from the first lane."""


class PartWithTime(Directed):
    """A part of a figure with a time axis, in one layout attempt. Subclasses define the distance of rows."""

    plan: LayoutAttempt
    panel: str
    at: Path
    clock: TimeScale

    def name(self, own: str) -> str:
        """Return the name of a node."""
        return self.plan.name(self.panel, own)

    def macro(self, *field: str | int) -> str:
        """Return the macro of the label in a field of the part."""
        return self.plan.labels.of(*self.at, *field)

    def across(self, row: float) -> float:
        """Return the distance from the middle of the first row to the middle of `row`, in cm."""
        return row * self.pitch

    @property
    def pitch(self) -> float:
        """Distance of adjacent rows, from middle to middle, in cm."""
        raise NotImplementedError

    def line(self, row: float) -> Length:
        """Return the same as `across`, as a symbolic length that follows the distance of rows."""
        raise NotImplementedError

    def moment(self, time: Fraction) -> Length:
        """Return the position of a time along the axis, as a symbolic length."""
        return param("timeunit", float(self.clock.at(time)))

    def along(self, time: Fraction) -> float:
        """Return the position of a time along the axis, in cm."""
        return float(self.clock.at(time)) * self.plan.values["timeunit"]

    def size_of(self, text: str, size: float | None = None) -> tuple[float, float]:
        """Return the size of a label, of a type size in pt, along time and away from the rows, in cm."""
        found = self.plan.measure(text, size=size)
        return self.swap_axes(found.width, found.total)

    def spot(
        self, time: Fraction | str, row: float, along: Length | float = 0.0, off: Length | float = 0.0
    ) -> TimedPoint:
        """Return the point at a time in a row, shifted along time and away from the first row.

        A time that is a string is already a position, in time units as drawn.
        """
        x = time if isinstance(time, str) else self.clock.spell_moment(time)
        forth = along if isinstance(along, Length) else Length(along)
        out = off if isinstance(off, Length) else Length(off)
        match self.part.direction:
            case "right":
                return TimedPoint(x, number(row), forth, -out)
            case "up":
                return TimedPoint(x, number(row), out, forth)
            case _:
                return TimedPoint(x, number(row), out, -forth)

    def extent(self, start: Length, stop: Length, near: Length, far: Length) -> SymbolicBox:
        """Return the box between two positions along time and two distances from the first row."""
        match self.part.direction:
            case "right":
                return SymbolicBox(start, -far, stop, -near)
            case "up":
                return SymbolicBox(near, start, far, stop)
            case _:
                return SymbolicBox(near, -stop, far, -start)

    def patch(self, patch: Patch) -> SymbolicBox:
        """Return the box of a patch on the page."""
        return self.extent(patch.left, patch.right, patch.bottom, patch.top)

    def on_page(self, box: Box) -> SymbolicBox:
        """Return the page box of a box in cm along time, and away from the first row."""
        return self.patch(Patch(*map(Length, box)))

    def around(self, box: Box, by: float) -> SymbolicBox:
        """Return the page box with `by` cm around a box, as lengths that follow the distances of time and rows."""
        start, near, stop, far = box
        time = param("timeunit", (start + stop) / 2 / self.plan.values["timeunit"])
        place = self.line((near + far) / 2 / self.pitch)
        long, deep = (stop - start) / 2 + by, (far - near) / 2 + by
        return self.extent(time - long, time + long, place - deep, place + deep)

    def _turned_back(self, at: Pair) -> Pair:
        """Return a page position as lengths along time, and away from the first row."""
        x, y = at
        return {"right": (x, -y), "up": (y, x)}.get(self.part.direction, (-y, x))

    def spot_of(self, at: Pair, time: Fraction, row: float) -> TimedPoint:
        """Return a page position as an offset from a time in a row."""
        along, off = self._turned_back(at)
        return self.spot(time, row, along - self.moment(time), off - self.line(row))

    def point_off_page(self, at: Pair) -> Point:
        """Return a page position in cm along time, and away from the first row."""
        along, off = self._turned_back(at)
        return along.at(self.plan.values), off.at(self.plan.values)

    def off_page(self, place: SymbolicBox) -> Box:
        """Return a page box in cm along time, and away from the first row."""
        return surround([self.point_off_page(at) for at in ((place.left, place.bottom), (place.right, place.top))])

    def foot(self, side: Side) -> str:
        """Return the anchor of a label along time whose edge faces the rows, from before or after them."""
        return "south" if (side == "before") == (self.part.direction != "down") else "north"
