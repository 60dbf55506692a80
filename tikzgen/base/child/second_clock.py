"""CPU time limit for work that may stay incomplete: the work ends, the program continues."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TimeLimitClock", "limit_cpu_time"]


class TimeLimitClock:
    """The state of a clock: `ended` is true if it has ended the work."""

    ended = False


_RETRY_SECONDS = 0.1  # seconds


class _TimeIsUp(BaseException):
    """Timeout. It is not an `Exception`, so that the work does not handle it as one of its errors."""


@contextmanager
def limit_cpu_time(seconds: float | None) -> Iterator[TimeLimitClock]:
    """End the work inside after this CPU time, in s; never if None.

    Signals reach only the main thread, and only on POSIX. Elsewhere the work has no time limit, so callers must limit
    it by counts as well.
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
    # repeated, because Python drops an exception raised in a finalizer or in a callback of the garbage collector
    signal.setitimer(signal.ITIMER_PROF, seconds, _RETRY_SECONDS)
    try:
        yield clock
    except _TimeIsUp:
        clock.ended = True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
