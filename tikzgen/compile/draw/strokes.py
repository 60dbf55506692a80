"""Paths as lists of steps, and their curves: circles, arcs, rounded corners."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, cos, floor, hypot, radians, sin, tan

from tikzgen.base.plane import Matrix, Point, map_point
from tikzgen.base.record import Record

_KAPPA_RATIO = 0.5522847  # of the radius: distance of control points of a quarter circle
_SP = 65_536  # scaled points per pt
_LEVEL_TOLERANCE = 0.001  # pt: a smaller vertical component counts as 0


class PathStep(Record):
    """A step of a path: "M" move, "L" line, "C" curve, "Z" close; the last of its `points` is its end.

    `radius` is the radius of the corner at its end, in pt.
    """

    kind: str
    points: tuple[Point, ...]
    radius: float = 0.0

    @property
    def end(self) -> Point:
        return self.points[-1]

    def map_by(self, matrix: Matrix) -> PathStep:
        return PathStep(self.kind, tuple([map_point(point, matrix) for point in self.points]), self.radius)


def interpolate_point(start: Point, goal: Point, share: float) -> Point:
    return start[0] + (goal[0] - start[0]) * share, start[1] + (goal[1] - start[1]) * share


def split_curve(curve: Sequence[Point], share: float) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Split a curve in two at a share of its parameter."""
    a, b, c, d = curve
    first, second, third = (
        interpolate_point(a, b, share),
        interpolate_point(b, c, share),
        interpolate_point(c, d, share),
    )
    one, two = interpolate_point(first, second, share), interpolate_point(second, third, share)
    at = interpolate_point(one, two, share)
    return (a, first, one, at), (at, two, third, d)


def move_towards(start: Point, goal: Point, by: float) -> Point:
    """Return the point at a distance from the start towards the goal, with pgf's rounding.

    If the goal is the start, the direction is up.
    """
    x, y = floor((goal[0] - start[0]) * _SP + 0.5) / _SP, floor((goal[1] - start[1]) * _SP + 0.5) / _SP
    if abs(y) < _LEVEL_TOLERANCE:
        x, y = (x, 0.0) if x else (0.0, -1.0 if y < 0 else 1.0)
    far = hypot(x, y)
    return start[0] + x / far * by, start[1] + y / far * by


def make_rectangle(one: Point, other: Point, radius: float) -> list[PathStep]:
    (a, b), (c, d) = one, other
    corners = [PathStep("L", (point,), radius) for point in ((c, b), (c, d), (a, d))]
    return [PathStep("M", (one,), radius), *corners, PathStep("Z", (one,), radius)]


def make_ellipse(centre: Point, across: float, up: float) -> list[PathStep]:
    x, y = centre
    k, m = _KAPPA_RATIO * across, _KAPPA_RATIO * up
    east, north, west, south = (x + across, y), (x, y + up), (x - across, y), (x, y - up)
    return [
        PathStep("M", (east,)),
        PathStep("C", ((x + across, y + m), (x + k, y + up), north)),
        PathStep("C", ((x - k, y + up), (x - across, y + m), west)),
        PathStep("C", ((x - across, y - m), (x - k, y - up), south)),
        PathStep("C", ((x + k, y - up), (x + across, y - m), east)),
        PathStep("Z", (east,)),
    ]


def make_arc(start: Point, first: float, last: float, across: float, up: float) -> list[PathStep]:
    """Return an arc from a point, between two angles in degrees, as curves of at most 90 degrees."""
    count = max(1, ceil(abs(last - first) / 90 - 1e-9))
    step = radians((last - first) / count)
    arm = 4 / 3 * tan(step / 4)
    angle = radians(first)
    x, y = start[0] - across * cos(angle), start[1] - up * sin(angle)
    steps = []
    for _ in range(count):
        a, b = angle, angle + step
        p, q = (x + across * cos(a), y + up * sin(a)), (x + across * cos(b), y + up * sin(b))
        one = (p[0] - arm * across * sin(a), p[1] + arm * up * cos(a))
        two = (q[0] + arm * across * sin(b), q[1] - arm * up * cos(b))
        steps.append(PathStep("C", (one, two, q)))
        angle = b
    return steps


def round_corners(path: Sequence[PathStep]) -> list[PathStep]:
    """Replace corners that have a radius by curves, as pgf does."""
    if not any(step.radius for step in path):
        return list(path)
    found: list[PathStep] = []
    part: list[PathStep] = []
    for step in path:
        if step.kind == "M" and part:
            found += _rounded_part(part)
            part = []
        part.append(step)
    return found + _rounded_part(part)


def _rounded_part(part: list[PathStep]) -> list[PathStep]:
    closed = part[-1].kind == "Z"
    steps = part[:-1] if closed else part
    if len(steps) < 2:
        return part
    start, last = steps[0].end, steps[-1].end
    found: list[PathStep] = [PathStep("M", (start,))]
    for at, step in enumerate(steps[1:], 1):
        if at + 1 < len(steps):
            following: Point | None = steps[at + 1].points[0]
        else:
            following = start if closed else None
        radius = step.radius if following is not None else 0.0
        if not radius or following is None:
            found.append(PathStep(step.kind, step.points))
            continue
        before = step.points[1] if step.kind == "C" else steps[at - 1].end
        found += _round_corner(step, before, following, radius)
    if not closed:
        return found
    radius = part[-1].radius
    if radius:
        found += _round_corner(PathStep("L", (start,)), last, steps[1].points[0], radius)
        found[0] = PathStep("M", (found[-1].end,))
    return [*found, PathStep("Z", (found[0].end,))]


def _round_corner(step: PathStep, before: Point, following: Point, radius: float) -> list[PathStep]:
    corner = step.end
    near, beyond = move_towards(corner, before, radius), move_towards(corner, following, radius)
    reached = PathStep(step.kind, (*step.points[:-1], near))
    curve = (interpolate_point(near, corner, _KAPPA_RATIO), interpolate_point(beyond, corner, _KAPPA_RATIO), beyond)
    return [reached, PathStep("C", curve)]


def locate_on_segment(segment: Sequence[Point], share: float) -> tuple[Point, Point]:
    """Return the point at a share of a segment, and the unit direction there."""
    if len(segment) == 4:
        half, rest = split_curve(segment, share)
        at, (a, b), (c, d) = half[3], half[2], rest[1]
    else:
        if len(segment) == 3:
            segment, share = (segment[:2], 2 * share) if share < 0.5 else (segment[1:], 2 * share - 1)
        (a, b), (c, d) = segment
        at = interpolate_point((a, b), (c, d), share)
    far = hypot(c - a, d - b) or 1.0
    return at, ((c - a) / far, (d - b) / far)
