"""An area of many polygons, quickly asked whether a point lies in it."""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.plane.polygons import contains
from tikzgen.plane.rectangles import Point

__all__ = ["Region"]

_SQUARE = 14.0  # pt


class Region:
    """Polygons with an index over squares: only those near a point are looked at."""

    def __init__(self, polygons: Sequence[Sequence[Point]]) -> None:
        self._squares: dict[tuple[int, int], list[Sequence[Point]]] = {}
        for polygon in polygons:
            xs, ys = [int(x // _SQUARE) for x, _ in polygon], [int(y // _SQUARE) for _, y in polygon]
            for x in range(min(xs), max(xs) + 1):
                for y in range(min(ys), max(ys) + 1):
                    self._squares.setdefault((x, y), []).append(polygon)

    def __contains__(self, point: Point) -> bool:
        near = self._squares.get((int(point[0] // _SQUARE), int(point[1] // _SQUARE)), ())
        return bool(near) and contains(near, point)
