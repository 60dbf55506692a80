"""Requests to end: what Ctrl-C does, a request by another program and a terminal that is gone do, too."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import NoReturn

__all__ = ["asked", "heard", "heeding", "wait_for_request"]

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_asked = False


def heard() -> list[signal.Signals]:
    """The signals that ask to end. What somebody chose to ignore (`nohup`) stays ignored."""
    found = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    return [each for each in found if signal.getsignal(each) not in (signal.SIG_IGN, None)]


def asked() -> bool:
    """Whether a request came while somebody was `heeding`."""
    return _asked


@contextmanager
def heeding() -> Iterator[None]:
    """The first request raises `KeyboardInterrupt` inside; while programs end and folders go, no other disturbs."""
    global _asked
    _asked = False
    taken = heard() if current_thread() is main_thread() else []
    before = {each: signal.getsignal(each) for each in taken}

    def end(number: int, frame: FrameType | None) -> None:
        global _asked
        _asked = True
        for each in taken:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    try:
        for each in taken:
            signal.signal(each, end)
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def wait_for_request() -> NoReturn:
    """Sleep until a request comes while somebody is `heeding`, however short a time before that."""
    import socket

    hearing, telling = socket.socketpair()
    telling.setblocking(False)
    before = signal.set_wakeup_fd(telling.fileno(), warn_on_full_buffer=False)
    try:
        while True:
            hearing.recv(1)  # a signal that came before it is there already
    finally:
        signal.set_wakeup_fd(before)
        hearing.close()
        telling.close()
