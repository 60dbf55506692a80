"""Violations found by a check of a schedule: rule, message and location."""

from __future__ import annotations

from enum import StrEnum

from tikzgen.base.record import Record
from tikzgen.schedule.tasks import Task


class ScheduleRule(StrEnum):
    """Classes of rules: data dependencies, which always apply, and rules of a named schedule."""

    DEPENDENCY = "dependency"
    SCHEDULE = "schedule rule"


class ScheduleFault(Record):
    """Rule violation; `device` and `position` in its list count from 0, and are unset (None) if unknown."""

    rule: ScheduleRule
    message: str
    device: int | None = None
    position: int | None = None
    task: Task | None = None

    def __str__(self) -> str:
        place = "" if self.device is None else f"device {self.device}"
        if self.position is not None:
            place += f", operation {self.position}"
        return f"{self.rule}: {place}: {self.message}" if place else f"{self.rule}: {self.message}"


def broken_dependency(message: str, device: int, position: int, task: Task | None = None) -> ScheduleFault:
    """Return the violation of a data dependency at a position of a list."""
    return ScheduleFault(ScheduleRule.DEPENDENCY, message, device, position, task)
