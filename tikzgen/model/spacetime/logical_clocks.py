"""What happened before what: logical clocks of events on several lines, and whether a cut is consistent.

Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System" (CACM 1978); vector clocks: Fidge (1988) and
Mattern, "Virtual Time and Global States of Distributed Systems" (1989); consistent cuts: Chandy and Lamport,
"Distributed Snapshots" (1985).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

from tikzgen.base.record import Record


class Occurrence(Record):
    """Something that happens on a line (counted from 0): `cause` is what sent the message that is received here.

    What happens at one moment on one line happens in the order of `rank`.
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
    """Every event's clock: one more than that of what came before it on its line, and than that of its cause."""
    clocks: dict[Hashable, int] = {}
    last: dict[int, int] = {}
    for one in order:
        clocks[one.key] = last[one.line] = max(last.get(one.line, 0), clocks.get(one.cause, 0)) + 1
    return clocks


def vector_clocks(order: Sequence[Occurrence], lines: int) -> dict[Hashable, tuple[int, ...]]:
    """Every event's vector: how many events of each line it may know of, itself among them."""
    clocks: dict[Hashable, tuple[int, ...]] = {}
    last: dict[int, tuple[int, ...]] = {}
    none = (0,) * lines
    for one in order:
        known = tuple(map(max, last.get(one.line, none), clocks.get(one.cause, none)))
        clocks[one.key] = last[one.line] = tuple(count + (place == one.line) for place, count in enumerate(known))
    return clocks


def before(vectors: Mapping[Hashable, tuple[int, ...]], first: Occurrence, later: Occurrence) -> bool:
    """Whether the first happened before the later one: who has seen it."""
    return first.key != later.key and vectors[later.key][first.line] >= vectors[first.key][first.line]
