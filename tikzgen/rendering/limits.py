"""Limits on the time and the memory that a template of somebody else may take."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

__all__ = ["TooMuch", "limited"]

SECONDS = 20.0
MEMORY_MIB = 1024


class TooMuch(Exception):
    """A template took more than it may."""


@contextmanager
def limited() -> Iterator[None]:
    """Raise `TooMuch` in the templates that run inside, after so much time, or where they ask for too much memory.

    Python tells of every line of a template (Jinja gives its code the templates' names); a timer that interrupts
    would work in the main thread alone. Memory is limited where the system can, for the process as a whole.
    """
    seconds, memory_mib = SECONDS, MEMORY_MIB
    end = perf_counter() + seconds

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        if perf_counter() > end:
            raise TooMuch(f"takes more than {seconds:g} s")
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        return line(frame, event, argument) if frame.f_code.co_filename.endswith(".j2") else None

    before, room = sys.gettrace(), _limit_memory(memory_mib)
    sys.settrace(call)
    try:
        yield
    except MemoryError:
        raise TooMuch(f"needs more than {memory_mib} MiB of memory") from None
    except RecursionError:
        raise TooMuch("calls or includes itself without end") from None
    finally:
        sys.settrace(before)
        _restore_memory(room)


def _limit_memory(mib: int) -> tuple[int, int] | None:
    """Let the process grow by so much; the limits before, or nothing where the system has none to set."""
    try:
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        wanted = used + mib * 1024 * 1024
        if before[0] == resource.RLIM_INFINITY or wanted < before[0]:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, before[1]))
    except (ImportError, OSError, ValueError):
        return None
    return before


def _restore_memory(before: tuple[int, int] | None) -> None:
    if before is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, before)
