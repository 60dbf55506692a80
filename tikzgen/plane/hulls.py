"""The convex hull of points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tikzgen.plane.rectangles import Point

__all__ = ["hull"]


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
