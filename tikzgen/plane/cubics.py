"""Cubic curves by their four points: an end, its control point, the other end's control point, the other end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from tikzgen.plane.rectangles import Point

LOOSENESS = 0.3915  # of the distance of its ends: where TikZ, and our style `bow`, put the control points of a curve
Weights = tuple[float, float, float, float]


def weights(t: float) -> Weights:
    """How much each of the four points counts at a share of the way."""
    return (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3


@cache
def shares(pieces: int) -> tuple[Weights, ...]:
    """The weights at the ends of equal shares, both ends of the curve among them."""
    return tuple(weights(step / pieces) for step in range(pieces + 1))


def cut(points: Sequence[Point], pieces: int) -> list[Point]:
    """A curve in straight pieces."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
    return [(a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy) for a, b, c, d in shares(pieces)]


def arms(angles: tuple[float, float], distance: float) -> tuple[Point, Point]:
    """From each end to its control point, for a curve that leaves and comes in at these angles (degrees)."""
    out, into = (math.radians(angle) for angle in angles)
    return (distance * math.cos(out), distance * math.sin(out)), (distance * math.cos(into), distance * math.sin(into))


def bow_arms(dx: float, dy: float, bend: float) -> tuple[Point, Point]:
    """The same of a curve that sets out `bend` degrees to the left of the line between its ends, so far apart."""
    slope = math.degrees(math.atan2(dy, dx))
    return arms((slope + bend, slope + 180 - bend), LOOSENESS * math.hypot(dx, dy))
