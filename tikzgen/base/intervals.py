"""Sets of points in time: disjoint half-open intervals that do not touch, in chronological order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

Time: TypeAlias = int | Fraction
Interval: TypeAlias = tuple[Time, Time]
Moments: TypeAlias = Sequence[Interval]


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the union of the intervals.

    >>> union([(4, 6), (0, 2), (1, 3), (5, 5)])
    [(0, 3), (4, 6)]
    """
    return merge_intervals(sorted(intervals))


def merge_intervals(intervals: Iterable[Interval]) -> list[Interval]:
    """Merge overlapping intervals, which are sorted by start."""
    found: list[Interval] = []
    start: Time | None = None
    reached: Time = 0
    for begin, end in intervals:
        if end <= begin:
            continue
        if start is None:
            start, reached = begin, end
        elif begin > reached:
            found.append((start, reached))
            start, reached = begin, end
        elif end > reached:
            reached = end
    return found if start is None else [*found, (start, reached)]


def sum_lengths(moments: Moments) -> Time:
    """Return the total length."""
    return sum((end - start for start, end in moments), 0)


def intersect_intervals(some: Moments, others: Moments) -> list[Interval]:
    """Return the intersection.

    >>> intersect_intervals([(0, 3), (4, 6)], [(2, 5)])
    [(2, 3), (4, 5)]
    """
    found, one, other = [], 0, 0
    while one < len(some) and other < len(others):
        start, end = max(some[one][0], others[other][0]), min(some[one][1], others[other][1])
        if start < end:
            found.append((start, end))
        if some[one][1] < others[other][1]:
            one += 1
        else:
            other += 1
    return found


def subtract_intervals(some: Moments, others: Moments) -> list[Interval]:
    """Return the difference: `some` minus `others`.

    >>> subtract_intervals([(0, 3), (4, 6)], [(2, 5)])
    [(0, 2), (5, 6)]
    """
    if not some:
        return []
    first, last = some[0][0], some[-1][1]
    gaps, at = [], first
    for start, end in others:
        if at < start:
            gaps.append((at, min(start, last)))
        at = max(at, end)
    if at < last:
        gaps.append((at, last))
    return intersect_intervals(some, [gap for gap in gaps if gap[0] < gap[1]])


def clip_intervals(intervals: Iterable[Interval], window: Interval | None) -> list[Interval]:
    """Clip intervals to the window, if any; keep empty intervals in it and drop intervals outside."""
    if window is None:
        return list(intervals)
    first, last = window
    cut = ((max(start, first), min(end, last)) for start, end in intervals)
    return [(start, end) for start, end in cut if start <= end]
