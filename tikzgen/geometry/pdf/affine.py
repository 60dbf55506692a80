"""The plane maps of a PDF: matrices, and curves in straight pieces."""

from __future__ import annotations

from tikzgen.geometry.data import Point
from tikzgen.tex.pdf import PT_PER_BP

__all__ = ["TO_POINTS", "Matrix", "bent", "moved", "times"]

_PIECES = 8
Matrix = tuple[float, float, float, float, float, float]
TO_POINTS: Matrix = (PT_PER_BP, 0.0, 0.0, PT_PER_BP, 0.0, 0.0)
"""From the PDF's units, 1/72 inch, to TeX's."""


def times(inner: Matrix, outer: Matrix) -> Matrix:
    """First `inner`, then `outer`."""
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def moved(point: Point, matrix: Matrix) -> Point:
    """Where a point comes to lie."""
    x, y = point
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def bent(start: Point, one: Point, two: Point, end: Point) -> list[Point]:
    """A Bézier curve in straight pieces, without its start."""
    points = []
    for step in range(1, _PIECES + 1):
        t = step / _PIECES
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        x = a * start[0] + b * one[0] + c * two[0] + d * end[0]
        points.append((x, a * start[1] + b * one[1] + c * two[1] + d * end[1]))
    return points
