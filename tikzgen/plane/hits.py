"""Whether lines pass through boxes: what a text or an entity had better not be struck by."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tikzgen.plane.rectangles import Box, Point


def meets(start: Point, goal: Point, box: Box, half: float = 0.0) -> bool:
    """Whether a line passes through a box, or so near that half its width does."""
    (u0, v0), (u1, v1) = start, goal
    left, near, right, far = box[0] - half, box[1] - half, box[2] + half, box[3] + half
    # most lines lie beside the box as a whole
    if (u0 <= left and u1 <= left) or (u0 >= right and u1 >= right):
        return False
    if (v0 <= near and v1 <= near) or (v0 >= far and v1 >= far):
        return False
    if u0 == u1 or v0 == v1:
        return True
    # the shares of the line from which on, and up to which, it is within each pair of sides
    enters, leaves = (left, right) if u0 < u1 else (right, left)
    rises, sinks = (near, far) if v0 < v1 else (far, near)
    low = max(0.0, (enters - u0) / (u1 - u0), (rises - v0) / (v1 - v0))
    return low < min(1.0, (leaves - u0) / (u1 - u0), (sinks - v0) / (v1 - v0))


def crosses(way: Sequence[Point], box: Box, half: float = 0.0) -> bool:
    """Whether a line of several legs passes through a box, or so near that half its width does."""
    return any(meets(start, goal, box, half) for start, goal in pairwise(way))
