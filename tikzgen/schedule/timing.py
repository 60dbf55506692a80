"""Whether measured times keep the data dependencies: for timelines that were recorded, not computed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from tikzgen.schedule.broken_rules import Finding, Rule
from tikzgen.schedule.operation import NOTHING
from tikzgen.schedule.pipeline import costs, program
from tikzgen.schedule.pipeline.program import name
from tikzgen.schedule.tasks import Cell, Plan

__all__ = ["check_times"]


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
                message = f"{name(after)} begins before {name(before)} has ended"
                findings.append(Finding(Rule.DEPENDENCY, message, device, position, after[0]))
    return tuple(findings)
