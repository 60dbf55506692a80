"""Work that somebody else can stop: what Ctrl-C does to the main thread, done to any thread, at any time.

Rendering is Python from end to end, and what a stranger's spec asks for may take minutes. The thread that does it is
interrupted between two steps of Python, as Ctrl-C would, so that files are closed and nothing half-written is left.
Programs that it waits for are stopped by their own means (`tikzgen.tex.process.Running`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer, get_ident
from time import sleep
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
        stopped = False
        while self._thread is not None:
            try:
                stopped = self._leave()
            except _Stopped:  # it came on the way out
                continue
        if stopped:
            _take_in()
        if self._stopped and kind is None:
            raise KeyboardInterrupt

    def stop(self) -> None:
        """Interrupt the work, once; work that begins later does not begin. What has ended is left alone."""
        with self._lock:
            if self._thread is not None and not self._stopped:
                _interrupt(self._thread)
            self._stopped = True

    def _leave(self) -> bool:
        with self._lock:
            self._thread = None
            return self._stopped


class _Stopped(KeyboardInterrupt):
    """What strikes a thread whose work is stopped."""


def _interrupt(thread: int) -> None:
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Stopped))


def _take_in() -> None:
    """Be struck here and now: what was not delivered yet would strike whatever comes next.

    A thread has room for one. (To call it off instead would leave CPython 3.11 looking for it at every step, and
    hang it where a trace function is set.)
    """
    try:
        _interrupt(get_ident())
        while True:
            sleep(0)
    except _Stopped:
        return


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
