"""Whether lines pass through boxes: what a text or an entity had better not be struck by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

__all__ = ["Box", "Point", "crosses", "curve", "meets", "overlap"]

Box = tuple[float, float, float, float]
"""The least of both coordinates, then the greatest of both, in cm."""
Point = tuple[float, float]

_STEPS = 24
# of the four points of a cubic, at steps along it
_WEIGHTS = tuple(
    ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    for t in (step / _STEPS for step in range(_STEPS + 1))
)


def meets(start: Point, goal: Point, box: Box, half: float = 0.0) -> bool:
    """Whether a line passes through a box, or so near that half its width does."""
    low, high = 0.0, 1.0
    near, far = (box[0] - half, box[1] - half), (box[2] + half, box[3] + half)
    for a, b, least, most in zip(start, goal, near, far, strict=True):
        if a == b:
            if not least < a < most:
                return False
            continue
        one, other = sorted(((least - a) / (b - a), (most - a) / (b - a)))
        low, high = max(low, one), min(high, other)
    return low < high


def crosses(way: Sequence[Point], box: Box, half: float = 0.0) -> bool:
    """Whether a line of several legs passes through a box, or so near that half its width does."""
    return any(meets(start, goal, box, half) for start, goal in pairwise(way))


def curve(points: Sequence[Point]) -> list[Point]:
    """A path as straight legs: a cubic by its four points becomes many, other paths are as they are."""
    return list(_curve(points)) if len(points) == 4 else list(points)


def _curve(points: Sequence[Point]) -> Iterator[Point]:
    xs, ys = zip(*points, strict=True)
    for weights in _WEIGHTS:
        yield sum(map(float.__mul__, weights, xs)), sum(map(float.__mul__, weights, ys))


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share more than an edge."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
