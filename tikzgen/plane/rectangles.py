"""Upright boxes: what lies in what, and what touches what."""

from __future__ import annotations

from collections.abc import Iterable

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


def surround(points: Iterable[Point]) -> Box:
    """The least box around some points."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def grown(box: Box, by: float) -> Box:
    """The box with each side moved outwards."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def middle(box: Box) -> Point:
    """Where the diagonals meet."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def touch(one: Box, other: Box) -> bool:
    """Whether two boxes have a point in common."""
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share more than an edge."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def is_within(inner: Box, outer: Box) -> bool:
    """Whether no part of a box is outside another one."""
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]
