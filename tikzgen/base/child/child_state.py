"""State of a child process in its parent: subject, remaining time, programs, and why it ended."""

from __future__ import annotations

import marshal
import os
import signal
from contextlib import suppress
from time import monotonic
from typing import Any

from tikzgen.base.child.child_messages import HEAD, find_current_subject, memory_mib
from tikzgen.base.defaults import TIME_LIMIT_SECONDS
from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import Record

GRACE_SECONDS = 3.0
"""Seconds that a child has to close its files and end its programs once it was asked to."""


class TooMuch(TikzgenError):
    """Time or memory limit exceeded."""


class ResourceLimits(Record):
    """Limits for the work on one file; `hint` is the fix if the time is too short."""

    seconds: float = TIME_LIMIT_SECONDS
    memory_mib: int = 4096
    hint: str = "draw fewer parts, or raise --time-limit"


def limit_error(error: MemoryError | RecursionError, place: str = "") -> TooMuch:
    """Return the error for work that ran out of memory or recursed too deeply."""
    place = place or find_current_subject() or "tikzgen"
    if isinstance(error, RecursionError):
        return TooMuch(f"{place}: goes too deep", hint="nest less")
    mib = memory_mib()
    return TooMuch(f"{place}: needs more {f'than {mib} MiB of memory' if mib else 'memory than there is'}")


def make_overdue_error(place: str, bounds: ResourceLimits) -> TooMuch:
    """Return the error for work that exceeded its time limit."""
    return TooMuch(f"{place}: this takes more than {bounds.seconds:g} s", hint=bounds.hint)


class Watched:
    """Child process by its `pid`; `take` receives its messages, `told` collects its results.

    The child processes `files` files and has begun `begun` of them. `share` is its progress in the whole that
    `subject` is part of. `speaks` is True if it has printed the requested output.
    """

    def __init__(self, pid: int, subject: str, bounds: ResourceLimits) -> None:
        self.pid = pid
        self.bounds = bounds
        self.told: list[tuple[str, Any]] = []
        self.overdue = False
        self.subject = subject
        self.share = ""
        self.files = self.begun = 0
        self.speaks = False
        self._programs: set[int] = set()
        self._unread = bytearray()
        self._holds = 0
        self._left = bounds.seconds
        self._since = monotonic()
        self._asked = self._killed = False

    @property
    def wait(self) -> float | None:
        """Seconds until `check` must be called; None for a paused clock or a killed child."""
        if self._killed:
            return None
        return None if self._holds else max(0.0, self._since + self._left - monotonic())

    def take(self, data: bytes) -> None:
        """Handle messages from received bytes; keep an incomplete message for the next call."""
        self._unread += data
        while len(self._unread) >= HEAD.size:
            end = HEAD.size + HEAD.unpack_from(self._unread)[0]
            if len(self._unread) < end:
                return
            self._handle_message(*marshal.loads(self._unread[HEAD.size : end]))
            del self._unread[:end]

    def restart_clock(self) -> None:
        """Restart the time limit."""
        if not self._asked:
            self._left, self._since = self.bounds.seconds, monotonic()

    def check(self) -> None:
        """Ask the child to end if its time is up; kill it if it does not end in time."""
        if self.wait != 0.0:
            return
        if self._asked:
            self.kill()
        else:
            self.overdue = True
            self.ask(signal.SIGTERM)

    def ask(self, number: int) -> None:
        """Send a signal that asks the child to end within `GRACE_SECONDS`."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)
        if not self._asked:
            self._asked, self._holds = True, 0
            self._left, self._since = GRACE_SECONDS, monotonic()

    def kill(self) -> None:
        """Kill the child and its programs."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._killed = True
        self.end_programs()

    def end_programs(self) -> None:
        """Kill the programs that still run."""
        for program in self._programs:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(program, signal.SIGKILL)
        self._programs.clear()

    def make_failure_error(self, status: int) -> TikzgenError | None:
        """Return why the child ended abnormally: by timeout, or by a signal (`status` is negative); else None."""
        if self.overdue:
            return make_overdue_error(self.subject, self.bounds)
        if status >= 0:
            return None
        name = signal.Signals(-status).name
        return TooMuch(f"{self.subject}: the system ended this ({name})", hint="it may have needed too much memory")

    def _handle_message(self, kind: str, value: Any) -> None:
        if kind == "subject":
            self.subject, self.share = value, ""
        elif kind == "share":
            self.share = value
        elif kind == "restart":
            self.restart_clock()
        elif kind == "next":
            self.begun += 1
        elif kind == "expecting":
            self.files = value
        elif kind == "speaks":
            self.speaks = True
        elif kind == "hold":
            self._pause_or_resume(1)
        elif kind == "release":
            self._pause_or_resume(-1)
        elif kind == "started":
            self._programs.add(value)
        elif kind == "ended":
            self._programs.discard(value)
        else:
            self.told.append((kind, value))

    def _pause_or_resume(self, change: int) -> None:
        """Pause or resume the clock; pauses nest. A child that was asked to end cannot pause it."""
        if self._asked:
            return
        if self._holds == 0:
            self._left -= monotonic() - self._since
        self._holds += change
        self._since = monotonic()
