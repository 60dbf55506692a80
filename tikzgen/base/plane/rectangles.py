"""Axis-aligned boxes: containment, overlap, and crossings with lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise


def is_segment_across_box(start: Point, goal: Point, box: Box, half: float = 0.0) -> bool:
    """Return whether a segment crosses a box, or passes closer than half its width."""
    (u0, v0), (u1, v1) = start, goal
    left, near, right, far = box[0] - half, box[1] - half, box[2] + half, box[3] + half
    # most segments are completely on one side of the box
    if (u0 <= left and u1 <= left) or (u0 >= right and u1 >= right):
        return False
    if (v0 <= near and v1 <= near) or (v0 >= far and v1 >= far):
        return False
    if u0 == u1 or v0 == v1:
        return True
    # else it crosses only if the two corners farthest from its center line are on different sides
    du, dv = u1 - u0, v1 - v0
    one, other = (near, far) if (du > 0) == (dv > 0) else (far, near)
    return (du * (one - v0) - dv * (right - u0)) * (du * (other - v0) - dv * (left - u0)) < 0


def lines_cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether segment a-b properly crosses segment c-d: each separates the ends of the other."""
    (x0, y0), (x1, y1), (u0, v0), (u1, v1) = a, b, c, d
    dx, dy = x1 - x0, y1 - y0
    if (dx * (v0 - y0) - dy * (u0 - x0)) * (dx * (v1 - y0) - dy * (u1 - x0)) >= 0:
        return False
    du, dv = u1 - u0, v1 - v0
    return (du * (y0 - v0) - dv * (x0 - u0)) * (du * (y1 - v0) - dv * (x1 - u0)) < 0


def is_polyline_across_box(way: Sequence[Point], box: Box, half: float = 0.0) -> bool:
    """Return whether a polyline crosses a box, or passes closer than half its width."""
    return any(is_segment_across_box(start, goal, box, half) for start, goal in pairwise(way))


Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


def compute_bounding_box(points: Iterable[Point]) -> Box:
    """Return the bounding box of some points."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def grow_box(box: Box, by: float) -> Box:
    """Move each side of a box outwards."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def find_box_center(box: Box) -> Point:
    """Return the center of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def touch(one: Box, other: Box) -> bool:
    """Return whether two boxes have a point in common."""
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def has_overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes share more than an edge."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def intersect_boxes(one: Box, other: Box) -> Box:
    """Intersect two boxes; the sides are in wrong order if they do not overlap."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def is_within(inner: Box, outer: Box) -> bool:
    """Return whether a box is completely inside another."""
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]
