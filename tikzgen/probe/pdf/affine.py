"""The plane maps of a PDF: matrices."""

from __future__ import annotations

from tikzgen.plane.rectangles import Point
from tikzgen.plane.units import PT_PER_BP

__all__ = ["TO_POINTS", "Matrix", "moved", "times"]

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
