"""Part with a directed time axis and parallel lanes or lifelines: positions of times and rows.

Marks are placed in the part's own directions: along time, and away from the first lane.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

from tikzgen.base.plane import Box, Point, compute_bounding_box
from tikzgen.layout.attempt import LayoutAttempt
from tikzgen.layout.symbolic_lengths import Length, Pair, SymbolicBox, make_length, number
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

    def find_field_macro(self, *field: str | int) -> str:
        """Return the macro of the label in a field of the part."""
        return self.plan.labels.find_field_macro(*self.at, *field)

    def measure_row(self, row: float) -> float:
        """Return the distance from the middle of the first row to the middle of `row`, in cm."""
        return row * self.pitch

    @property
    def pitch(self) -> float:
        """Distance of adjacent rows, from middle to middle, in cm."""
        raise NotImplementedError

    def place_row(self, row: float) -> Length:
        """Return the same as `measure_row`, as a symbolic length that follows the distance of rows."""
        raise NotImplementedError

    def place_time(self, time: Fraction) -> Length:
        """Return the position of a time along the axis, as a symbolic length."""
        return make_length("timeunit", float(self.clock.locate_moment(time)))

    def measure_time(self, time: Fraction) -> float:
        """Return the position of a time along the axis, in cm."""
        return float(self.clock.locate_moment(time)) * self.plan.values["timeunit"]

    def size_of(self, text: str, size: float | None = None) -> tuple[float, float]:
        """Return the size of a label, of a type size in pt, along time and away from the rows, in cm."""
        found = self.plan.measure(text, size=size)
        return self.swap_axes(found.width, found.total)

    def make_point(
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

    def make_extent(self, start: Length, stop: Length, near: Length, far: Length) -> SymbolicBox:
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
        return self.make_extent(patch.left, patch.right, patch.bottom, patch.top)

    def on_page(self, box: Box) -> SymbolicBox:
        """Return the page box of a box in cm along time, and away from the first row."""
        return self.patch(Patch(*map(Length, box)))

    def make_padded_extent(self, box: Box, by: float) -> SymbolicBox:
        """Return the page box with `by` cm around a box, as lengths that follow the distances of time and rows."""
        start, near, stop, far = box
        time = make_length("timeunit", (start + stop) / 2 / self.plan.values["timeunit"])
        place = self.place_row((near + far) / 2 / self.pitch)
        long, deep = (stop - start) / 2 + by, (far - near) / 2 + by
        return self.make_extent(time - long, time + long, place - deep, place + deep)

    def _turned_back(self, at: Pair) -> Pair:
        """Return a page position as lengths along time, and away from the first row."""
        x, y = at
        return {"right": (x, -y), "up": (y, x)}.get(self.part.direction, (-y, x))

    def spot_of(self, at: Pair, time: Fraction, row: float) -> TimedPoint:
        """Return a page position as an offset from a time in a row."""
        along, off = self._turned_back(at)
        return self.make_point(time, row, along - self.place_time(time), off - self.place_row(row))

    def point_off_page(self, at: Pair) -> Point:
        """Return a page position in cm along time, and away from the first row."""
        along, off = self._turned_back(at)
        return along.compute_cm(self.plan.values), off.compute_cm(self.plan.values)

    def off_page(self, place: SymbolicBox) -> Box:
        """Return a page box in cm along time, and away from the first row."""
        return compute_bounding_box(
            [self.point_off_page(at) for at in ((place.left, place.bottom), (place.right, place.top))]
        )

    def choose_facing_anchor(self, side: Side) -> str:
        """Return the anchor of a label along time whose edge faces the rows, from before or after them."""
        return "south" if (side == "before") == (self.part.direction != "down") else "north"
