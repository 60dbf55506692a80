"""Outlines of a drawing without TeX: painted paths as points, and how far a point is from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import hypot

from tikzgen.base.plane.path import flatten_curve
from tikzgen.base.plane.rectangles import Point
from tikzgen.compile.draw.canvas import Clipped, DrawnGroup, Item, PaintedPath


def find_painted(items: Iterable[Item]) -> Iterator[PaintedPath]:
    for item in items:
        if isinstance(item, PaintedPath):
            yield item
        elif isinstance(item, (DrawnGroup, Clipped)):
            yield from find_painted(item.items)


def list_points(outline: PaintedPath) -> list[Point]:
    found: list[Point] = []
    for step in outline.path:
        found += flatten_curve((found[-1], *step.points), 12) if step.kind == "C" else step.points
    return found


def distance_to(point: Point, border: list[Point]) -> float:
    found = []
    for (x0, y0), (x1, y1) in pairwise(border):
        long = (x1 - x0) ** 2 + (y1 - y0) ** 2
        share = ((point[0] - x0) * (x1 - x0) + (point[1] - y0) * (y1 - y0)) / long if long else 0.0
        share = min(max(share, 0.0), 1.0)
        found.append(hypot(point[0] - x0 - share * (x1 - x0), point[1] - y0 - share * (y1 - y0)))
    return min(found)
