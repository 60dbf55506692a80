"""Work that somebody else can stop: what Ctrl-C does to the main thread, done to any thread, at any time.

Rendering is Python from end to end, and what a stranger's spec asks for may take minutes. The thread that does it is
interrupted between two steps of Python, as Ctrl-C would, so that files are closed and nothing half-written is left.
Programs that it waits for are stopped by their own means (`tikzgen.tex.process.Running`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer, get_ident
from types import TracebackType

from tikzgen.errors import TikzgenError

__all__ = ["Stoppable", "TooLong", "limited"]


class TooLong(TikzgenError):
    """Rendering took longer than it may."""


class Stoppable:
    """Work of the thread that enters it: `stop()` by any other raises `KeyboardInterrupt` there, then or never after.

    >>> work = Stoppable()
    >>> work.stop()
    >>> with work:
    ...     print("begun")
    Traceback (most recent call last):
    KeyboardInterrupt
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: int | None = None
        self._stopped = False

    def __enter__(self) -> Stoppable:
        with self._lock:
            if self._stopped:
                raise KeyboardInterrupt
            self._thread = get_ident()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._thread is not None:
            try:
                self._leave()
            except KeyboardInterrupt:  # it came on the way out
                continue
        if self._stopped and kind is None:
            raise KeyboardInterrupt

    def stop(self) -> None:
        """Interrupt the work, once; work that begins later does not begin. What has ended is left alone."""
        with self._lock:
            if self._thread is not None and not self._stopped:
                _interrupt(self._thread, KeyboardInterrupt)
            self._stopped = True

    def _leave(self) -> None:
        with self._lock:
            if self._thread is not None:
                _interrupt(self._thread, None)  # what was not delivered yet would strike whatever comes next
                self._thread = None


def _interrupt(thread: int, error: type[BaseException] | None) -> None:
    import ctypes

    raised = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


@contextmanager
def limited(seconds: float, name: str, *, hint: str = "draw fewer parts, or raise --time-limit") -> Iterator[None]:
    """Stop the work inside when the time is up: `TooLong`, with a line that says of `name` how long it took."""
    work = Stoppable()
    rung: list[bool] = []

    def ring() -> None:
        rung.append(True)
        work.stop()

    timer = Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        with work:
            yield
    except KeyboardInterrupt:
        if not rung:
            raise
        raise TooLong(f"{name}: this takes more than {seconds:g} s", hint=hint) from None
    finally:
        timer.cancel()
