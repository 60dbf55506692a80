"""What a schedule cannot do, with the reason and the way out."""

from __future__ import annotations

from tikzgen.base.errors import TikzgenError

__all__ = ["Deadlock", "ScheduleError"]


class ScheduleError(TikzgenError):
    """A schedule that is impossible, or not defined for what was asked; `hint` says what is."""


class Deadlock(ScheduleError):
    """Operations that wait for each other; `cycle` holds their indices, each waiting for the next."""

    def __init__(self, message: str, *, cycle: tuple[int, ...], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.cycle = cycle
