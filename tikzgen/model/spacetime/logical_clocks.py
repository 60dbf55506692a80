"""Logical clocks of events on several lines: Lamport clocks, vector clocks, happened-before.

Sources: Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System" (CACM 1978). Vector clocks: Fidge
(1988) and Mattern, "Virtual Time and Global States of Distributed Systems" (1989). Consistent cuts: Chandy and
Lamport, "Distributed Snapshots" (1985).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

from tikzgen.base.record import Record


class Occurrence(Record):
    """An event on a line, counted from 0.

    `cause` is the key of the event that sent the message received here, or None. `rank` orders events at the same time
    on one line.
    """

    key: Hashable
    line: int
    time: Fraction
    rank: int = 0
    cause: Hashable = None


def sort_occurrences(found: Iterable[Occurrence]) -> list[Occurrence] | None:
    """Sort occurrences after their causes; return None if instantaneous messages form a cycle."""
    waiting = sorted(found, key=lambda one: (one.time, one.rank))
    done: dict[Hashable, None] = {}
    order: list[Occurrence] = []
    while waiting:
        held: set[int] = set()
        left = []
        for one in waiting:
            if one.line in held or not (one.cause is None or one.cause in done):
                held.add(one.line)
                left.append(one)
            else:
                done[one.key] = None
                order.append(one)
        if len(left) == len(waiting):
            return None
        waiting = left
    return order


def lamport_clocks(order: Sequence[Occurrence]) -> dict[Hashable, int]:
    """Return the Lamport clock of each event: one more than its predecessor's and its cause's."""
    clocks: dict[Hashable, int] = {}
    last: dict[int, int] = {}
    for one in order:
        clocks[one.key] = last[one.line] = max(last.get(one.line, 0), clocks.get(one.cause, 0)) + 1
    return clocks


def vector_clocks(order: Sequence[Occurrence], lines: int) -> dict[Hashable, tuple[int, ...]]:
    """Return the vector clock of each event: the number of events per line that it may know.

    An event also counts itself.
    """
    clocks: dict[Hashable, tuple[int, ...]] = {}
    last: dict[int, tuple[int, ...]] = {}
    none = (0,) * lines
    for one in order:
        known = tuple(map(max, last.get(one.line, none), clocks.get(one.cause, none)))
        clocks[one.key] = last[one.line] = tuple(count + (place == one.line) for place, count in enumerate(known))
    return clocks


def has_happened_before(vectors: Mapping[Hashable, tuple[int, ...]], first: Occurrence, later: Occurrence) -> bool:
    """Return whether `first` happened before `later`, by their vector clocks."""
    return first.key != later.key and vectors[later.key][first.line] >= vectors[first.key][first.line]
