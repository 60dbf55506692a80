"""A schedule of operations whose times are known already, for pictures and measures."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm

from tikzgen.schedule.operation import Operation, Program
from tikzgen.schedule.simulate import Schedule


def timed(placed: Iterable[tuple[Fraction, Operation]]) -> Schedule:
    """The operations with the moments at which they begin; in the order of time, alike ones as given."""
    found = sorted(placed, key=lambda each: each[0])
    scale = lcm(*(time.denominator for start, operation in found for time in (start, operation.duration)))
    starts = tuple(int(start * scale) for start, _ in found)
    ends = tuple(int((start + operation.duration) * scale) for start, operation in found)
    return Schedule(Program(tuple(operation for _, operation in found)), scale, starts, ends, tuple(range(len(found))))
