"""Polygons and their relation to points, lines and other polygons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import dist, hypot

from tikzgen.base.plane.rectangles import Box, Point, compute_bounding_box, is_segment_across_box


def is_point_inside(polygons: Sequence[Sequence[Point]], point: Point) -> bool:
    """Return whether a point is inside the polygons of a path (even-odd rule, each polygon closed)."""
    x, y = point
    inside = False
    for polygon in polygons:
        px, py = polygon[-1]
        for qx, qy in polygon:
            if (qy > y) != (py > y) and x < (px - qx) * (y - qy) / (py - qy) + qx:
                inside = not inside
            px, py = qx, qy
    return inside


def measure_penetration(one: Sequence[Point], other: Sequence[Point]) -> float:
    """Return the penetration depth of two convex quadrilaterals: the shortest separating move, or 0."""
    deepest = float("inf")
    for shape in (one, other):
        for (ax, ay), (bx, by) in zip(shape, [*shape[1:], shape[0]], strict=True):
            length = hypot(bx - ax, by - ay)
            if length < 1e-6:
                continue
            u, v = (ay - by) / length, (bx - ax) / length
            mine = [x * u + y * v for x, y in one]
            yours = [x * u + y * v for x, y in other]
            shared = min(max(mine), max(yours)) - max(min(mine), min(yours))
            if shared <= 0:
                return 0.0
            deepest = min(deepest, shared)
    return 0.0 if deepest == float("inf") else deepest


def shrink_rectangle(corners: Sequence[Point], by: float) -> tuple[Point, ...]:
    """Move each side of a rectangle, possibly rotated, inwards; outwards if `by` is negative."""
    (ax, ay), (bx, by_), _, (dx, dy) = corners
    wide, high = hypot(bx - ax, by_ - ay), hypot(dx - ax, dy - ay)
    if not wide or not high:
        return tuple(corners)
    along, across = min(by, wide / 2 - 1e-3) / wide, min(by, high / 2 - 1e-3) / high
    ux, uy = (bx - ax) * along, (by_ - ay) * along
    vx, vy = (dx - ax) * across, (dy - ay) * across
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return tuple((x + s * ux + t * vx, y + s * uy + t * vy) for (x, y), (s, t) in zip(corners, signs, strict=True))


def clip_segment(a: Point, b: Point, corners: Sequence[Point]) -> tuple[Point, Point] | None:
    """Return the part of segment `a`-`b` inside a convex, counterclockwise polygon; None if outside."""
    start, end = 0.0, 1.0
    dx, dy = b[0] - a[0], b[1] - a[1]
    for (px, py), (qx, qy) in zip(corners, [*corners[1:], corners[0]], strict=True):
        u, v = py - qy, qx - px  # points inwards
        ahead = u * dx + v * dy
        within = u * (a[0] - px) + v * (a[1] - py)
        if abs(ahead) < 1e-9:
            if within < 0:
                return None
        elif ahead > 0:
            start = max(start, -within / ahead)
        else:
            end = min(end, -within / ahead)
        if start >= end:
            return None
    return (a[0] + start * dx, a[1] + start * dy), (a[0] + end * dx, a[1] + end * dy)


def measure_distance_to_lines(point: Point, lines: Sequence[Sequence[Point]]) -> float:
    """Return the distance from a point to the nearest line."""
    nearest = float("inf")
    for line in lines:
        for a, b in pairwise(line):
            nearest = min(nearest, dist(point, _find_nearest_point(point, a, b)))
    return nearest


def measure_gap_to_lines(corners: Sequence[Point], lines: Sequence[Sequence[Point]]) -> tuple[float, Point]:
    """Return the distance from a convex polygon to the nearest line, and the nearest point of that line.

    The polygon is counterclockwise. If a line crosses it, return 0 and the start of the part inside.
    """
    nearest, place = float("inf"), (0.0, 0.0)
    sides = list(pairwise([*corners, corners[0]]))
    left, bottom, right, top = compute_bounding_box(corners)
    for line in lines:
        for a, b in pairwise(line):
            across = max(left - max(a[0], b[0]), min(a[0], b[0]) - right)
            if max(across, bottom - max(a[1], b[1]), min(a[1], b[1]) - top) > nearest:
                continue
            if (through := clip_segment(a, b, corners)) is not None:
                return 0.0, through[0]
            feet = [(_find_nearest_point(corner, a, b), corner) for corner in corners]
            ways = [(dist(foot, corner), foot) for foot, corner in feet]
            ways += [(dist(end, _find_nearest_point(end, *side)), end) for end in (a, b) for side in sides]
            nearest, place = min((nearest, place), *ways)
    return nearest, place


def measure_gap_to_segment(box: Box, start: Point, goal: Point) -> float:
    """Return the distance from a box to a segment; 0 if the segment crosses it."""
    if is_segment_across_box(start, goal, box):
        return 0.0
    left, near, right, far = box
    ends = (hypot(max(left - x, 0.0, x - right), max(near - y, 0.0, y - far)) for x, y in (start, goal))
    corners = ((left, near), (right, near), (right, far), (left, far))
    return min(*ends, *(dist(corner, _find_nearest_point(corner, start, goal)) for corner in corners))


def _find_nearest_point(point: Point, a: Point, b: Point) -> Point:
    """Return the point on the segment from `a` to `b` that is nearest to a point."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    squared = dx * dx + dy * dy
    t = 0.0 if squared == 0 else max(0.0, min(1.0, ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / squared))
    return a[0] + t * dx, a[1] + t * dy


def reach_beyond(one: Sequence[Point], other: Sequence[Point]) -> float:
    """Return how far a polygon reaches beyond a convex, counterclockwise one; negative if inside."""
    furthest = -float("inf")
    for (ax, ay), (bx, by) in pairwise([*other, other[0]]):
        length = hypot(bx - ax, by - ay)
        if length > 1e-6:
            u, v = (by - ay) / length, (ax - bx) / length  # points outwards
            furthest = max(furthest, *(u * (x - ax) + v * (y - ay) for x, y in one))
    return furthest


def measure_least_width(polygon: Sequence[Point]) -> float:
    """Return the least width of a convex polygon, over the directions of its sides."""
    widths = []
    for (ax, ay), (bx, by) in pairwise([*polygon, polygon[0]]):
        length = hypot(bx - ax, by - ay)
        if length > 1e-6:
            u, v = (by - ay) / length, (ax - bx) / length
            across = [u * x + v * y for x, y in polygon]
            widths.append(max(across) - min(across))
    return min(widths, default=0.0)


def make_convex_hull(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return the counterclockwise convex hull; fewer than three points if it has no area.

    Andrew's monotone chain: A. M. Andrew, Another efficient algorithm for convex hulls in two dimensions (1979).
    """
    ordered = sorted({(round(x, 3), round(y, 3)) for x, y in points})
    return (*_build_half_hull(ordered), *_build_half_hull(ordered[::-1])) if len(ordered) > 2 else tuple(ordered)


def _build_half_hull(points: Sequence[Point]) -> list[Point]:
    """Return one side of the hull, without its last point."""
    found: list[Point] = []
    for x, y in points:
        while len(found) > 1:
            (ax, ay), (bx, by) = found[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0:
                break
            found.pop()
        found.append((x, y))
    return found[:-1]
