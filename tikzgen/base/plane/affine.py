"""Affine maps of the plane, as matrices."""

from __future__ import annotations

from math import cos, radians, sin

from tikzgen.base.plane.rectangles import Point

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
"""The map that leaves everything where it is."""


def compose_matrices(inner: Matrix, outer: Matrix) -> Matrix:
    """Return the product of two maps: first `inner`, then `outer`."""
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def map_point(point: Point, matrix: Matrix) -> Point:
    """Apply a matrix to a point."""
    x, y = point
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def shift(x: float, y: float) -> Matrix:
    """Return the translation by (x, y)."""
    return (1.0, 0.0, 0.0, 1.0, x, y)


def turn(degrees: float) -> Matrix:
    """Return the rotation about the origin; multiples of 90 degrees are exact."""
    c, s = cos(radians(degrees)), sin(radians(degrees))
    if degrees % 90 == 0:
        c, s = float(round(c)), float(round(s))
    return (c, s, -s, c, 0.0, 0.0)


def invert_matrix(matrix: Matrix) -> Matrix:
    """Return the inverse map. Raise `ZeroDivisionError` if the matrix is singular."""
    a, b, c, d, e, f = matrix
    area = a * d - b * c
    return (d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area)
