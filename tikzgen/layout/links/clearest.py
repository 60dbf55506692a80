"""The ways that a link can take, and which of them strikes through fewest texts."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence

from tikzgen.base.record import Record
from tikzgen.plane.cubics import arms, shares
from tikzgen.plane.rectangles import Box, Point

__all__ = ["Way", "clearest", "strikes"]

_STEPS = 40
_TURNS = (0, 30, -30, 60, -60)  # degrees; a link rises rather than sinks
_FURTHER = 2.5  # times as far from its ends as usual: a curve that keeps its direction for longer
_WEIGHTS = shares(_STEPS)[1:-1]


class Way(Record):
    """A curve: where and at which angles (degrees) it leaves and comes in, how far (cm) its control points are."""

    start: Point
    goal: Point
    out_angle: int
    in_angle: int
    reach: float

    def points(self) -> tuple[Point, Point, Point, Point]:
        """The four points of the cubic."""
        (x0, y0), (x3, y3) = self.start, self.goal
        (x1, y1), (x2, y2) = arms((self.out_angle, self.in_angle), self.reach)
        return self.start, (x0 + x1, y0 + y1), (x3 + x2, y3 + y2), self.goal


def clearest(usual: Way, texts: Sequence[Box]) -> Way:
    """The way that strikes through fewest texts, among them the one most like the usual."""
    best, least = usual, strikes(usual, texts)
    for way in _ways(usual) if least else ():
        struck = strikes(way, texts, least)
        if struck < least:
            best, least = way, struck
        if not least:
            break
    return best


def _ways(usual: Way) -> Iterator[Way]:
    """Other ways, from those that turn little to those that turn much."""
    for reach in (usual.reach, usual.reach * _FURTHER):
        turns = sorted(((one, other) for one in _TURNS for other in _TURNS), key=lambda pair: sum(map(abs, pair)))
        for one, other in turns:
            yield Way(usual.start, usual.goal, *_turned(usual, one, other), reach)


def _turned(usual: Way, one: int, other: int) -> tuple[int, int]:
    """The angles, both turned upwards by so much."""
    return usual.out_angle + one * _upwards(usual.out_angle), usual.in_angle + other * _upwards(usual.in_angle)


def _upwards(angle: int) -> int:
    return 1 if math.cos(math.radians(angle)) >= 0 else -1


def strikes(way: Way, texts: Iterable[Box], most: int = sys.maxsize) -> int:
    """How many texts a curve passes through; `most` where there are more."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = way.points()
    # a cubic stays within the hull of its four points
    left, right = min(ax, bx, cx, dx), max(ax, bx, cx, dx)
    bottom, top = min(ay, by, cy, dy), max(ay, by, cy, dy)
    near = [box for box in texts if box[0] < right and left < box[2] and box[1] < top and bottom < box[3]]
    if not near:
        return 0
    spots = [(a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy) for a, b, c, d in _WEIGHTS]
    struck = 0
    for left, bottom, right, top in near:
        for x, y in spots:
            if left < x < right and bottom < y < top:
                struck += 1
                break
        if struck >= most:
            break
    return struck
