"""Spatial index of placed boxes and lines, and the cost of a label position that overlaps them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from copy import copy
from itertools import pairwise
from math import floor, inf

from tikzgen.base.plane.polygons import measure_gap_to_segment
from tikzgen.base.plane.rectangles import Box, Point, grow_box, is_segment_across_box

_LINE_CELLS = 16  # cells that a typical line crosses
_MOST_CELLS = 4096  # cells in a row or column
_LEAST_CELL_CM = 0.01  # cm: no cell is smaller
OVERLAP_COST = 3.0  # cost of a position per overlapped box
CROSSING_COST = 2.0


class PlaceIndex:
    """Spatial index of lines and of the boxes placed so far; queries look only at nearby entries.

    Boxes have numbers; a line is identified by its index.
    """

    def __init__(self, ways: Sequence[Sequence[Point]], texts: Iterable[Point], half: float = 0.0) -> None:
        """Index the lines `ways`; `texts` are sizes of the boxes in later queries, `half` half a line width."""
        self._half = half
        legs = [(place, leg) for place, way in enumerate(ways) for leg in pairwise(way)]
        sizes = list(texts)
        wide, high = (
            _choose_cell_size([(one[axis], other[axis]) for _, (one, other) in legs], [size[axis] for size in sizes])
            for axis in (0, 1)
        )
        self._legs, self._near_legs, self._near_boxes = legs, Near(wide, high), Near(wide, high)
        for index, (_, (start, goal)) in enumerate(legs):
            self._near_legs.put_line(index, start, goal)
        self._boxes: dict[int, Box] = {}

    def with_lines(self, half: float) -> PlaceIndex:
        """Return an index of the same lines with another half width and without boxes."""
        other = self.without_boxes()
        other._half = half
        return other

    def without_boxes(self) -> PlaceIndex:
        """Return an index of the same lines without boxes."""
        other = copy(self)
        other._boxes, other._near_boxes = {}, self._near_boxes.without_entries()
        return other

    def place_box(self, number: int, box: Box) -> None:
        """Place a box by its number, or move it to a new position."""
        if number in self._boxes:
            self._near_boxes.drop(number, self._boxes[number])
        self._near_boxes.add_entry(number, box)
        self._boxes[number] = box

    def compute_place_cost(self, box: Box, *, most: float = sys.maxsize) -> float:
        """Return the cost of a position: 0 if it is free; counting stops at `most`.

        Each overlapped box costs `OVERLAP_COST`, each crossing line `CROSSING_COST`.
        """
        cost = OVERLAP_COST * self.count_overlaps(box, most=most / OVERLAP_COST)
        return cost + (
            CROSSING_COST * self.count_crossing_lines(box, most=(most - cost) / CROSSING_COST) if cost < most else 0.0
        )

    def count_overlaps(self, box: Box, *, but: int | None = None, most: float = sys.maxsize) -> int:
        """Count the boxes, except `but`, that overlap this box; stop at `most`."""
        count, (left, near, right, far) = 0, box
        for number in self._near_boxes.find_near_entries(box):
            other = self._boxes[number]
            # `overlap` inlined: the hot path
            if left < other[2] and other[0] < right and near < other[3] and other[1] < far and number != but:
                count += 1
                if count >= most:
                    break
        return count

    def count_crossing_lines(self, box: Box, *, but: int | None = None, most: float = sys.maxsize) -> int:
        """Count the lines, except `but`, that cross this box; stop at `most`."""
        struck: set[int] = set()
        for index in self._near_legs.find_near_entries(grow_box(box, self._half)):
            place, (start, goal) = self._legs[index]
            if place != but and place not in struck and is_segment_across_box(start, goal, box, self._half):
                struck.add(place)
                if len(struck) >= most:
                    break
        return len(struck)

    def measure_line_gaps(self, box: Box, within: float) -> dict[int, float]:
        """Return the distance in cm from a box to each line that is nearer than `within` cm."""
        gaps: dict[int, float] = {}
        for index in self._near_legs.find_near_entries(grow_box(box, within)):
            place, (start, goal) = self._legs[index]
            if is_segment_across_box(start, goal, box, within):
                gap = measure_gap_to_segment(box, start, goal)
                if gap < gaps.get(place, within):
                    gaps[place] = gap
        return gaps


def _choose_cell_size(legs: Sequence[tuple[float, float]], texts: Sequence[float]) -> float:
    """Return the side of a cell: the mean size of a label, or larger if lines would cross many cells."""
    ends = [end for leg in legs for end in leg]
    whole = max(ends) - min(ends) if ends else 0.0
    usual = sum(abs(one - other) for one, other in legs) / len(legs) if legs else 0.0
    text = sum(texts) / len(texts) if texts else 0.0
    return max(text, usual / _LINE_CELLS, whole / _MOST_CELLS, _LEAST_CELL_CM)


_ROUNDING_TOLERANCE = 1e-6  # share of a cell: rounding error of a line
_SLOPE_LIMIT = 1e4  # maximum slope of a segment that is split by rows


class Near:
    """Grid index of boxes and segments: find the entries near a box without scanning all entries.

    Choose cells as large as the queried boxes, so that a query visits few cells.
    """

    def __init__(self, wide: float, high: float) -> None:
        """Set the width and height of a cell."""
        self._wide, self._high = wide, high
        self._found: dict[tuple[int, int], list[int]] = {}

    def without_entries(self) -> Near:
        """Return an index with the same cells and no entries."""
        return Near(self._wide, self._high)

    def add_entry(self, thing: int, box: Box) -> None:
        """Add an entry with this box; an entry may have several boxes."""
        for cell in self._list_cells_of_box(box):
            self._found.setdefault(cell, []).append(thing)

    def put_line(self, thing: int, start: Point, goal: Point) -> None:
        """Add a straight segment: a diagonal one is in the cells along it, not in every cell of its box."""
        (u0, v0), (u1, v1) = sorted((start, goal), key=lambda point: point[1])
        slope = (u1 - u0) / (v1 - v0) if v0 < v1 else inf
        slip = self._wide * _ROUNDING_TOLERANCE
        for row in range(floor(v0 / self._high), floor(v1 / self._high) + 1):
            low, high = max(v0, row * self._high), min(v1, (row + 1) * self._high)
            # a nearly horizontal segment is added with its whole width
            ends = (u0 + (low - v0) * slope, u0 + (high - v0) * slope) if abs(slope) < _SLOPE_LIMIT else (u0, u1)
            first, last = floor((min(ends) - slip) / self._wide), floor((max(ends) + slip) / self._wide)
            for column in range(first, last + 1):
                self._found.setdefault((column, row), []).append(thing)

    def drop(self, thing: int, box: Box) -> None:
        """Remove an entry that was added with this box."""
        for cell in self._list_cells_of_box(box):
            self._found[cell].remove(thing)

    def find_near_entries(self, box: Box) -> set[int]:
        """Return all entries that may touch this box: a superset."""
        known = self._found
        return {thing for cell in self._list_cells_of_box(box) if cell in known for thing in known[cell]}

    def _list_cells_of_box(self, box: Box) -> list[tuple[int, int]]:
        left, near, right, far = box
        first, last = floor(left / self._wide), floor(right / self._wide)
        top, bottom = floor(near / self._high), floor(far / self._high)
        if first == last and top == bottom:
            return [(first, top)]
        return [(column, row) for column in range(first, last + 1) for row in range(top, bottom + 1)]
