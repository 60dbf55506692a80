"""What a check of a schedule finds: which rule is broken, of which class, and where; and what measured times break."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

from tikzgen.base.record import Record
from tikzgen.schedule.operation import NOTHING
from tikzgen.schedule.pipeline import costs, program
from tikzgen.schedule.tasks import Cell, Plan, Task, spell_cell


class Rule(StrEnum):
    """The two classes of rule: what the data demand always, and what a schedule's name promises."""

    DEPENDENCY = "dependency"
    SCHEDULE = "schedule rule"


class Finding(Record):
    """One broken rule; `device` and `position` in its list count from 0, None where there is no such place."""

    rule: Rule
    message: str
    device: int | None = None
    position: int | None = None
    task: Task | None = None

    def __str__(self) -> str:
        place = "" if self.device is None else f"device {self.device}"
        if self.position is not None:
            place += f", operation {self.position}"
        return f"{self.rule}: {place}: {self.message}" if place else f"{self.rule}: {self.message}"


def check_times(
    plan: Plan, times: Mapping[Cell, tuple[Fraction, Fraction]], latency: Fraction = NOTHING
) -> tuple[Finding, ...]:
    """Every operation that begins before what it needs has arrived, or before its device is free.

    `times` gives the start and end of every cell of `plan`.
    """
    operations = program(plan, costs(plan.stages, latency=latency)).operations
    findings = []
    for operation in operations:
        begin = times[operation.tasks][0]
        device = operation.lanes[0].device
        for need in operation.needs:
            source = operations[need.operation]
            end = times[source.tasks][1] + need.latency
            if begin < end:
                message = f"{operation.name} begins at {begin}, before {source.name} has arrived at {end}"
                position = plan.cells[device].index(operation.tasks)
                findings.append(Finding(Rule.DEPENDENCY, message, device, position, operation.tasks[0]))
    for device, cells in enumerate(plan.cells):
        for position, (before, after) in enumerate(pairwise(cells), 1):
            if times[after][0] < times[before][1]:
                message = f"{spell_cell(after)} begins before {spell_cell(before)} has ended"
                findings.append(Finding(Rule.DEPENDENCY, message, device, position, after[0]))
    return tuple(findings)


def broken_dependency(message: str, device: int, position: int, task: Task | None = None) -> Finding:
    """What the data forbid, at a place of a list."""
    return Finding(Rule.DEPENDENCY, message, device, position, task)
