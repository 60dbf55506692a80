"""Whether lines pass through boxes: what a text or an entity had better not be struck by."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tikzgen.plane.rectangles import Box, Point

__all__ = ["crosses", "meets"]


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
