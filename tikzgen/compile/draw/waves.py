"""Paths whose segments are waves, with the steps of pgf along a decorated path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import atan2, cos, dist, sin

from tikzgen.base.plane import Matrix, Point, map_point
from tikzgen.compile.draw.strokes import PathStep, interpolate_point, split_curve

DECLARED_SEED = 0x7F34C011
"""CRC-32 of the declaration of these waves in a file, without whitespace; the drawing supports no other waves."""
_WAVE = (((0.18, 1.0), (0.32, 1.0), (0.5, 0.0)), ((0.68, -1.0), (0.82, -1.0), (1.0, 0.0)))  # times length, height
"""One wave, as two curves; coordinates are shares of its length and its height."""
_LEAD_WAVES_COUNT = 3.0  # waves: a shorter segment, or the rest of one, is straight
_LAST_WAVES_COUNT = 2.0
_CHORD_PT = 1.0  # pt: pgf measures curves by chords of this length
_STRIDE_SHARES = ((128.0, 2.0**-5), (512.0, 2.0**-6))  # share of a curve's parameter, by the length of its path
_FINEST_SHARE = 2.0**-10
_SMALLEST_SHARE = 2.0**-16


def add_waves(path: Sequence[PathStep], length: float, height: float) -> Iterator[PathStep]:
    """Add waves to each segment of a path, straight at its ends and around corners.

    Callers limit the number of waves, which is large for short waves on a long path.
    """
    begin = 0
    for at in range(1, len(path) + 1):
        if at == len(path) or path[at].kind == "M":
            yield from _add_part_waves(path[begin:at], length, height)
            begin = at


def _add_part_waves(part: Sequence[PathStep], length: float, height: float) -> Iterator[PathStep]:
    yield part[0]
    legs = [_Leg(before.end, step) for before, step in pairwise(part)]
    whole = sum(leg.length for leg in legs)
    for leg in legs:
        left = leg.length
        if left >= _LEAD_WAVES_COUNT * length:
            yield leg.place_line(length, 0.0)
            left -= length
            while left >= _LAST_WAVES_COUNT * length:
                leg.move(length, whole)
                yield from (leg.place_curve(curve, length, height) for curve in _WAVE)
                left -= length
            leg.move(length, whole)
        if leg is not legs[-1]:
            yield leg.place_line(left, 0.0)
    if len(part) > 1:
        yield PathStep("L", (part[-1].end,))


class _Leg:
    """A segment of a path with a current position, where waves are drawn."""

    def __init__(self, start: Point, step: PathStep) -> None:
        self.points = (start, *step.points)
        self.time = self.done = 0.0
        self.length = _measure_curve(self.points) if len(self.points) == 4 else dist(start, step.end)

    def move(self, distance: float, whole: float) -> None:
        """Advance by a distance in pt; on a curve, search the parameter as pgf does.

        The length of the entire path decides the first step of the search.
        """
        self.done += distance
        if len(self.points) != 4:
            return
        stride = next((stride for most, stride in _STRIDE_SHARES if whole < most), _FINEST_SHARE)
        here, way, gone = split_curve(self.points, self.time)[0][3], 1, 0.0
        while stride >= _SMALLEST_SHARE:
            self.time += way * stride
            before, here = here, split_curve(self.points, self.time)[0][3]
            gone += way * dist(before, here)
            if (gone > distance) if way > 0 else (gone < distance):
                way, stride = -way, stride / 2

    def place_line(self, x: float, y: float) -> PathStep:
        return PathStep("L", (map_point((x, y), self._compute_frame()),))

    def place_curve(self, points: Sequence[Point], length: float, height: float) -> PathStep:
        frame = self._compute_frame()
        return PathStep("C", tuple(map_point((x * length, y * height), frame) for x, y in points))

    def _compute_frame(self) -> Matrix:
        start, end = self.points[0], self.points[-1]
        if len(self.points) == 4:
            half, rest = split_curve(self.points, self.time)
            place, a, b = half[3], half[2], rest[1]
        else:
            a, b = start, end
            place = interpolate_point(start, end, self.done / self.length) if self.length else start
        angle = atan2(b[1] - a[1], b[0] - a[0])
        return cos(angle), sin(angle), -sin(angle), cos(angle), *place


def _measure_curve(points: Sequence[Point], *, cut: bool = True) -> float:
    """Return the length of a curve: the sum of its chords, each less than 1 pt wide and tall."""
    a, d = points[0], points[-1]
    if not cut and max(abs(d[0] - a[0]), abs(d[1] - a[1])) < _CHORD_PT:
        return dist(a, d)
    half, rest = split_curve(points, 0.5)
    return _measure_curve(half, cut=False) + _measure_curve(rest, cut=False)
