"""Paths of line segments and cubic Bézier curves: points, directions, and boxes that they cross."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, pairwise
from math import hypot, inf
from typing import Generic, Protocol, Self, TypeVar

from tikzgen.base.plane.rectangles import Box, Point, compute_bounding_box, grow_box, is_polyline_across_box
from tikzgen.base.record import Record

LOOSENESS_SHARE = 0.3915  # share of the distance between the ends: control points of TikZ's curves
Weights = tuple[float, float, float, float]


def compute_cubic_weights(t: float) -> Weights:
    """Return the Bernstein weights of the four points of a cubic at parameter `t`."""
    return (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3


@cache
def list_cubic_weights(pieces: int) -> tuple[Weights, ...]:
    """Return the weights at equally spaced parameters, including both ends."""
    return tuple(compute_cubic_weights(step / pieces) for step in range(pieces + 1))


def flatten_curve(points: Sequence[Point], pieces: int) -> list[Point]:
    """Flatten a cubic into `pieces` straight segments; return their ends."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
    return [
        (a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy)
        for a, b, c, d in list_cubic_weights(pieces)
    ]


def flatten_path(steps: Iterable[tuple[str, Sequence[Point]]]) -> tuple[tuple[Point, ...], ...]:
    """Flatten a path to polygons.

    Its steps are "M" (move to), "L" (line to), "C" (curve to) and "Z" (close).
    """
    lines: list[list[Point]] = []
    for kind, points in steps:
        if kind == "M" or not lines:
            lines.append([*points[:1]])
        elif kind == "L":
            lines[-1] += points
        elif kind == "C":
            lines[-1] += flatten_curve((lines[-1][-1], *points), COARSE_CUBIC_STEPS)[1:]
        elif lines[-1][-1] != lines[-1][0]:
            lines[-1].append(lines[-1][0])
    return tuple(map(tuple, lines))


def compute_control_offsets(angles: tuple[float, float], distance: float) -> tuple[Point, Point]:
    """Return the offsets from each end to its control point, for a curve with these angles in degrees."""
    out, into = (math.radians(angle) for angle in angles)
    return (distance * math.cos(out), distance * math.sin(out)), (distance * math.cos(into), distance * math.sin(into))


def bow_arms(dx: float, dy: float, bend: float) -> tuple[Point, Point]:
    """Return the offsets of control points for a curve that starts `bend` degrees left of its chord (dx, dy)."""
    slope = math.degrees(math.atan2(dy, dx))
    return compute_control_offsets((slope + bend, slope + 180 - bend), LOOSENESS_SHARE * math.hypot(dx, dy))


_CUBIC_STEPS = 24  # pieces per cubic
COARSE_CUBIC_STEPS = 8  # pieces per cubic for coarse checks
_GROUP_STEPS = 6  # pieces per group: bounding boxes of groups are checked first
_LEVEL_TOLERANCE = 0.05  # share of a unit vector: TikZ treats a direction as horizontal or vertical within it


class PathNumber(Protocol):
    """Number, or a length that is known later."""

    def __add__(self, other: Self | float, /) -> Self: ...

    def __mul__(self, factor: float, /) -> Self: ...


C = TypeVar("C", bound=PathNumber)


class Path(Record, Generic[C]):
    """Path of consecutive segments: two points for a line, four for a cubic with its control points."""

    legs: tuple[tuple[tuple[C, C], ...], ...]

    @classmethod
    def join_points(cls, *points: tuple[C, C]) -> Path[C]:
        """Return a path of straight lines through the points."""
        return cls(tuple(pairwise(points)))

    @classmethod
    def make_curve(cls, start: tuple[C, C], goal: tuple[C, C], arms: tuple[Point, Point]) -> Path[C]:
        """Return a path of one cubic; `arms` are the offsets of its control points from its ends."""
        (x0, y0), (x3, y3), ((x1, y1), (x2, y2)) = start, goal, arms
        return cls(((start, (x0 + x1, y0 + y1), (x3 + x2, y3 + y2), goal),))

    def find_point_at(self, share: float) -> tuple[C, C]:
        """Return the point at a share of the path, like `pos` of TikZ: all segments have equal shares."""
        leg, along = self._find_segment(share)
        shares = compute_cubic_weights(along) if len(leg) == 4 else (1 - along, along)
        (x, y), first = leg[0], shares[0]
        x, y = x * first, y * first
        for (u, v), part in zip(leg[1:], shares[1:], strict=True):
            x, y = x + u * part, y + v * part
        return x, y

    def list_inner_points(self) -> list[tuple[C, C]]:
        """Return all points except the ends: bends and control points, which PGF includes in the bounding box."""
        return list(chain.from_iterable(leg[1:] for leg in self.legs))[:-1]

    def _find_segment(self, share: float) -> tuple[tuple[tuple[C, C], ...], float]:
        place = min(int(share * len(self.legs)), len(self.legs) - 1)
        return self.legs[place], share * len(self.legs) - place


def direction_at(path: Path[float], share: float) -> Point:
    """Return the unit vector of the direction at a share of the path; (0, 0) if the segment has no length."""
    leg, _ = path._find_segment(share)
    near, far = (
        (path.find_point_at(share - 1e-3), path.find_point_at(share + 1e-3)) if len(leg) == 4 else (leg[0], leg[-1])
    )
    dx, dy = far[0] - near[0], far[1] - near[1]
    length = hypot(dx, dy)
    return (dx / length, dy / length) if length > 1e-9 else (0.0, 0.0)


def auto_shift(path: Path[float], share: float, side: str, width: float, height: float) -> Point:
    """Return the offset from a point of a path to the center of a label on the `left` or `right` side.

    A corner or the middle of a side of the label is on the path, as with `auto` of TikZ.
    """
    turn = 1 if side == "left" else -1
    dx, dy = (turn * part for part in direction_at(path, share))
    upwards = 1 if dx > _LEVEL_TOLERANCE else -1 if dx < -_LEVEL_TOLERANCE else 0
    leftwards = 1 if dy > _LEVEL_TOLERANCE else -1 if dy < -_LEVEL_TOLERANCE else 0
    if not upwards and not leftwards:
        leftwards = -1
    # TikZ adds half a line width, which the margin around the figure covers
    return -leftwards * width / 2, upwards * height / 2


def make_polyline(path: Path[float], of_each: int = _CUBIC_STEPS) -> list[Point]:
    """Return the path as a polyline, with `of_each` segments per cubic."""
    found = [path.legs[0][0]]
    for leg in path.legs:
        found.extend(flatten_curve(leg, of_each)[1:] if len(leg) == 4 else leg[1:])
    return found


def count_crossed_boxes(path: Path[float], boxes: Iterable[Box], clear: float = 0.0, most: float = inf) -> int:
    """Count the boxes that a path crosses, or passes closer than `clear`; stop at `most`."""
    # a cubic stays within the hull of its four points
    left, low, right, high = grow_box(compute_bounding_box(chain.from_iterable(path.legs)), clear)
    # `overlap` inlined here and below: the hot path
    near = [box for box in boxes if left < box[2] and box[0] < right and low < box[3] and box[1] < high]
    points, struck = make_polyline(path) if near else [], 0
    # only a few parts of a long path are near a box
    parts = [points[start : start + _GROUP_STEPS + 1] for start in range(0, len(points) - 1, _GROUP_STEPS)]
    runs = [(*grow_box(compute_bounding_box(part), clear), part) for part in parts]
    for box in near:
        for left, low, right, high, part in runs:
            if (
                left < box[2]
                and box[0] < right
                and low < box[3]
                and box[1] < high
                and is_polyline_across_box(part, box, clear)
            ):
                struck += 1
                break
        if struck >= most:
            break
    return struck


T = TypeVar("T")


def choose_clearest(choices: Iterable[T], cost: Callable[[T, float], float]) -> T:
    """Return the first choice without cost, or the first choice with the least cost.

    `cost` may stop counting at its second argument, the least cost so far.
    """
    found, least = [], inf
    for choice in choices:
        worth = cost(choice, least)
        if worth < least:
            found, least = [choice], worth
        if not least:
            break
    return found[0]
