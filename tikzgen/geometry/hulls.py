"""Outlines of boxes as convex polygons, and how far one reaches beyond another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import hypot

from tikzgen.geometry.data import Point

__all__ = ["beyond", "hull", "middle", "narrow"]


def hull(points: Iterable[Point]) -> tuple[Point, ...]:
    """The convex hull, anticlockwise, by Andrew's monotone chain; fewer than three points where it has no area.

    A. M. Andrew: Another efficient algorithm for convex hulls in two dimensions (1979).
    """
    ordered = sorted({(round(x, 3), round(y, 3)) for x, y in points})
    return (*_half(ordered), *_half(ordered[::-1])) if len(ordered) > 2 else tuple(ordered)


def _half(points: Sequence[Point]) -> list[Point]:
    """One side of the hull, without its last point."""
    found: list[Point] = []
    for x, y in points:
        while len(found) > 1:
            (ax, ay), (bx, by) = found[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            found.pop()
        found.append((x, y))
    return found[:-1]


def beyond(one: Sequence[Point], other: Sequence[Point]) -> float:
    """How far a polygon reaches beyond a convex one, whose corners go anticlockwise; negative where it is inside."""
    furthest = -float("inf")
    for (ax, ay), (bx, by) in pairwise([*other, other[0]]):
        length = hypot(bx - ax, by - ay)
        if length > 1e-6:
            u, v = (by - ay) / length, (ax - bx) / length  # points outwards
            furthest = max(furthest, *(u * (x - ax) + v * (y - ay) for x, y in one))
    return furthest


def middle(polygon: Sequence[Point]) -> Point:
    """The middle of the upright box around a polygon."""
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def narrow(polygon: Sequence[Point]) -> float:
    """The least width of a convex polygon, over the directions of its sides."""
    widths = []
    for (ax, ay), (bx, by) in pairwise([*polygon, polygon[0]]):
        length = hypot(bx - ax, by - ay)
        if length > 1e-6:
            u, v = (by - ay) / length, (ax - bx) / length
            across = [u * x + v * y for x, y in polygon]
            widths.append(max(across) - min(across))
    return min(widths, default=0.0)
