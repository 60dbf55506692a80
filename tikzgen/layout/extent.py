"""The corners of what is drawn, in symbolic lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tikzgen.base.record import Record
from tikzgen.layout.length import ZERO, Length, Pair
from tikzgen.plane.path import Path
from tikzgen.plane.rectangles import Box


class Extent(Record):
    """The corners of what is drawn."""

    left: Length = ZERO
    bottom: Length = ZERO
    right: Length = ZERO
    top: Length = ZERO

    def moved(self, dx: Length, dy: Length) -> Extent:
        if not (dx.constant or dx.terms or dy.constant or dy.terms):
            return self
        return Extent(self.left + dx, self.bottom + dy, self.right + dx, self.top + dy)

    def grown(self, by: float) -> Extent:
        return Extent(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def box(self, values: Mapping[str, float]) -> Box:
        """The corners in cm."""
        return self.left.at(values), self.bottom.at(values), self.right.at(values), self.top.at(values)

    def width(self, values: Mapping[str, float]) -> float:
        return self.right.at(values) - self.left.at(values)

    def height(self, values: Mapping[str, float]) -> float:
        return self.top.at(values) - self.bottom.at(values)


def around(place: Pair, wide: float = 0.0, tall: float = 0.0) -> Extent:
    """The paper within half a width and half a height of a place."""
    x, y = place
    return Extent(x - wide, y - tall, x + wide, y + tall)


def in_cm(path: Path[Length], values: Mapping[str, float]) -> Path[float]:
    """A path where the distances have these values."""
    return Path(tuple(tuple((x.at(values), y.at(values)) for x, y in leg) for leg in path.legs))


def union(extents: Sequence[Extent], values: Mapping[str, float]) -> Extent:
    """The smallest rectangle around all: each side by the length that reaches farthest for these values."""

    def reach(length: Length) -> float:
        return length.at(values)

    return Extent(
        min([extent.left for extent in extents], key=reach),
        min([extent.bottom for extent in extents], key=reach),
        max([extent.right for extent in extents], key=reach),
        max([extent.top for extent in extents], key=reach),
    )
