"""The error for parameters without a result, with the path of the field that causes it."""

from __future__ import annotations

from tikzgen.schedule.exact_numbers import ScheduleError


class ImpossibleFacts(ScheduleError):
    """Parameters that contradict each other; `field_path` leads to the faulty field."""

    def __init__(self, message: str, *path: str | int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field_path = path
