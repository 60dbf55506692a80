"""What a check of a schedule finds: which rule is broken, of which class, and where."""

from __future__ import annotations

from enum import StrEnum

from tikzgen.base.record import Record
from tikzgen.schedule.tasks import Task


class ScheduleRule(StrEnum):
    """The two classes of rule: what the data demand always, and what a schedule's name promises."""

    DEPENDENCY = "dependency"
    SCHEDULE = "schedule rule"


class ScheduleFault(Record):
    """One broken rule; `device` and `position` in its list count from 0, None where there is no such place."""

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
    """What the data forbid, at a place of a list."""
    return ScheduleFault(ScheduleRule.DEPENDENCY, message, device, position, task)
