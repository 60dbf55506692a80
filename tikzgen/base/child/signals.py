"""Requests to end: Ctrl-C, SIGTERM and a closed terminal have the same effect."""

from __future__ import annotations

import signal
import sys
from _thread import interrupt_main
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer, current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_asked = False


def list_end_signals() -> list[signal.Signals]:
    """Return the signals that request the end, without ignored ones (`nohup`)."""
    found = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    return [each for each in found if signal.getsignal(each) not in (signal.SIG_IGN, None)]


def end_was_requested() -> bool:
    """Return whether a request to end arrived inside `handle_signals`."""
    return _asked


@contextmanager
def handle_signals() -> Iterator[None]:
    """Raise `KeyboardInterrupt` inside at the first request to end; ignore later ones during cleanup.

    A request can get lost in code that cannot raise an error (a finalizer, Rust). It is then repeated after 0.02 s.
    """
    global _asked
    _asked = False
    if current_thread() is not main_thread():
        yield
        return
    taken = list_end_signals()
    before = {each: signal.getsignal(each) for each in taken}
    told = sys.unraisablehook
    again: list[Timer] = []

    def end(number: int, frame: FrameType | None) -> None:
        global _asked
        _asked = True
        for each in taken:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    def repeat_lost_signal(what: UnraisableHookArgs) -> None:
        if issubclass(what.exc_type, KeyboardInterrupt):
            signal.signal(signal.SIGINT, end)
            again.append(Timer(0.02, _interrupt_main_thread))
            again[-1].start()
        else:
            told(what)

    try:
        sys.unraisablehook = repeat_lost_signal
        for each in taken:
            signal.signal(each, end)
        yield
    finally:
        sys.unraisablehook = told
        for timer in again:
            timer.cancel()
        for each, handler in before.items():
            signal.signal(each, handler)


def _interrupt_main_thread() -> None:
    if sys.platform == "win32":
        interrupt_main()
    else:
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)  # also wakes a sleeping thread


def wait_for_request() -> NoReturn:
    """Sleep until a request to end, inside `handle_signals`; a request just before the call is not missed."""
    import socket

    hearing, telling = socket.socketpair()
    telling.setblocking(False)
    before = signal.set_wakeup_fd(telling.fileno(), warn_on_full_buffer=False)
    try:
        while True:
            hearing.recv(1)  # an earlier signal has already written its byte
    finally:
        signal.set_wakeup_fd(before)
        hearing.close()
        telling.close()
