"""TG319: two links lie on each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import dist

from tikzgen.lint.registry import Broken, Rule
from tikzgen.plane.rectangles import Point, grown, surround, touch
from tikzgen.probe.links import Link
from tikzgen.probe.sheet import Sheet, cm

_LEAST = 8.0  # pt
_SAME = 0.8  # pt: courses that are nearer are one line on paper
_END = 6.0  # pt: ends that are nearer are one
_STEP = 2.0  # pt


def _look(subject: Sheet) -> Iterator[Broken]:
    """Pairs that share a part of their courses; where one end is shared and the other is not, they are a bus."""
    leading = [link for link in subject.links if link.at_start or link.at_end]
    for one, other in combinations(leading, 2):
        if not touch(grown(surround(one.course), _SAME), surround(other.course)) or _fork(one, other):
            continue
        shared = _shared(one.course, other.course)
        if shared > _LEAST:
            first, second = sorted((one, other), key=lambda link: link.path.order)
            message = f"{subject.thing(second.path)} lies on {subject.thing(first.path)}, {cm(shared)} of it"
            yield Broken(subject.place(second.path.where), message, "bend one of them, or draw one with two heads")


def _fork(one: Link, other: Link) -> bool:
    """Whether two links meet at one end, and at that only: then they share a trunk, or fan out from there."""
    mine, yours = (one.course[0], one.course[-1]), (other.course[0], other.course[-1])
    return sum(any(dist(end, each) < _END for each in yours) for end in mine) == 1


def _shared(one: Sequence[Point], other: Sequence[Point]) -> float:
    """How much of a course lies on another one."""
    found = 0.0
    for a, b in pairwise(one):
        long = dist(a, b)
        steps = max(int(long / _STEP), 1)
        points = (
            (a[0] + (b[0] - a[0]) * (i + 0.5) / steps, a[1] + (b[1] - a[1]) * (i + 0.5) / steps) for i in range(steps)
        )
        found += sum(long / steps for point in points if _lies_on(point, (b[0] - a[0], b[1] - a[1]), other))
    return found


def _lies_on(point: Point, along: Point, course: Sequence[Point]) -> bool:
    """Whether a point lies on a course that goes the same way there, forwards or backwards."""
    for a, b in pairwise(course):
        u, v = b[0] - a[0], b[1] - a[1]
        long, own = dist(a, b), dist((0.0, 0.0), along)
        if not long or not own or abs(u * along[1] - v * along[0]) > 0.1 * long * own:
            continue
        part = ((point[0] - a[0]) * u + (point[1] - a[1]) * v) / long**2
        if 0 <= part <= 1 and abs((point[0] - a[0]) * v - (point[1] - a[1]) * u) / long < _SAME:
            return True
    return False


RULE = Rule("TG319", "same-course", "two links lie on each other", Sheet, _look)
