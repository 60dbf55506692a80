"""The part of a schedule before a moment: what begins later is left out."""

from __future__ import annotations

from fractions import Fraction

from tikzgen.base.record import replace
from tikzgen.schedule.operation import Need, Program
from tikzgen.schedule.simulate import Schedule

__all__ = ["cut"]


def cut(schedule: Schedule, until: Fraction) -> Schedule:
    """`schedule` without what begins at `until` or later and takes time; what is running then keeps its end."""
    limit = until * schedule.scale
    kept = [
        index
        for index, (start, end) in enumerate(zip(schedule.starts, schedule.ends, strict=True))
        if start < limit or end <= limit
    ]
    place = {index: new for new, index in enumerate(kept)}
    operations = schedule.program.operations
    program = Program(
        tuple(
            replace(
                operations[index],
                needs=tuple(Need(place[need.operation], need.latency) for need in operations[index].needs),
            )
            for index in kept
        )
    )
    return Schedule(
        program,
        schedule.scale,
        tuple(schedule.starts[index] for index in kept),
        tuple(schedule.ends[index] for index in kept),
        tuple(place[index] for index in schedule.order if index in place),
        tuple(place[index] for index in schedule.forced if index in place),
    )
