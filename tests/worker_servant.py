"""What the workers of a test do: in a module without pytest, which each worker would import."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from tikzgen.base.child.child_messages import program_ended, program_started, send_message
from tikzgen.base.errors import InvalidSchedule, Place, Problem
from tikzgen.base.trust import is_trusted

__all__ = ["Servant", "endless", "stubborn", "with_a_program"]


def endless() -> int:
    while True:
        time.sleep(0.01)


def stubborn() -> int:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    return endless()


def with_a_program() -> int:
    """A program in a session of its own, and work that heeds nothing."""
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    Path("pid").write_text(str(process.pid))
    program_started(process.pid)
    program_ended(process.pid)  # the clock goes on
    program_started(process.pid)
    send_message("release")
    return stubborn()


class Servant:
    """Stands for what a server does."""

    def number(self) -> int:
        return os.getpid()

    def some(self) -> Iterator[int]:
        yield from (1, 2, 3)

    def wrong(self) -> None:
        raise InvalidSchedule([(("a", 1), Problem("wrong", "a", Place("a.yaml", 1, 2), "mend it"))])

    def mistaken(self) -> None:
        raise ZeroDivisionError("by zero")

    def endless(self) -> int:
        return endless()

    def stubborn(self) -> int:
        return with_a_program()

    def printed(self) -> None:
        print("this is no note")

    def killed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def trusted(self) -> bool:
        return is_trusted()
