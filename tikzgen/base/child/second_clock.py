"""A clock for work that may stay incomplete: when it ends, that work ends, and the program continues behind it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TimeLimitClock", "within"]


class TimeLimitClock:
    """The state of a clock: `ended` is true if it has ended the work."""

    ended = False


_RETRY_SECONDS = 0.1  # seconds


class _TimeIsUp(BaseException):
    """Not an `Exception`, so that no part of the work handles it as an error of its own."""


@contextmanager
def within(seconds: float | None) -> Iterator[TimeLimitClock]:
    """End the work inside after this CPU time (null: never).

    Signals reach only the main thread, and only on POSIX: elsewhere the work is not ended, so callers bound it by
    counts, too.
    """
    clock = TimeLimitClock()
    is_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not is_main or not hasattr(signal, "setitimer"):
        yield clock
        return

    def end(number: int, frame: FrameType | None) -> None:
        if not clock.ended:
            raise _TimeIsUp

    before = signal.signal(signal.SIGPROF, end)
    # again and again: Python drops an exception that is raised in a finalizer or in a callback of the collector
    signal.setitimer(signal.ITIMER_PROF, seconds, _RETRY_SECONDS)
    try:
        yield clock
    except _TimeIsUp:
        clock.ended = True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
