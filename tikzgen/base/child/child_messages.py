"""Messages from a child to its parent process: its subject, its programs, its results.

Without a parent process that listens, as in a user's own Python, functions send nothing and set no limits.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import ceil
from struct import Struct
from threading import Lock
from time import process_time

HEAD = Struct(">I")
"""Header of a message: its length in bytes."""

_MIB = 1024 * 1024  # bytes
_CPU_GRACE_SECONDS = 30  # CPU time beyond the limit, in s; then the system ends a child without a parent


class _Line:
    """Pipe and state of the messages of this process."""

    pipe: int | None = None
    seconds = 0.0
    subject = ""
    lock = Lock()


def begin(pipe: int, subject: str, seconds: float, memory: int) -> None:
    """Make this process a child: send its messages to `pipe` and limit its memory, in MiB.

    `seconds` is the time limit per file.
    """
    _Line.pipe, _Line.seconds, _Line.subject = pipe, seconds, subject
    _lower_limit("RLIMIT_AS", memory * _MIB)
    _lower_limit("RLIMIT_CORE", 0)
    _allow_time()


def is_watched() -> bool:
    """Return whether this process is such a child."""
    return _Line.pipe is not None


def send_message(kind: str, value: int | str | bytes = "") -> None:
    """Send a message to the parent process, if one listens."""
    if _Line.pipe is None:
        return
    data = marshal.dumps((kind, value))
    data = HEAD.pack(len(data)) + data
    with _Line.lock, suppress(BrokenPipeError):  # BrokenPipeError: the parent has ended
        while data:
            data = data[os.write(_Line.pipe, data) :]


def working_on(name: str) -> None:
    """Begin another file, with the full time limit of a file."""
    _begin(name)
    send_message("next")


def _begin(name: str) -> None:
    if _Line.pipe is not None:
        _allow_time()
    _Line.subject = name
    send_message("subject", name)
    send_message("restart")


def so_far(done: float, of: int) -> None:
    """Report the progress: `done` of `of` files, such as 1.5 of 4."""
    send_message("share", f"{100 * done / of:.0f} % of {of}")


def send_file_count(files: int) -> None:
    """Announce the number of files, which are processed sequentially."""
    send_message("expecting", files)


@contextmanager
def working_at(part: str, *, anew: bool = False) -> Iterator[None]:
    """Name a part of a file, or another required file, as the subject of messages and timeouts.

    If the work is stopped inside, that part remains the subject. With `anew`, the part has the full time limit of a
    file.
    """
    whole = _Line.subject
    if anew:
        _begin(part)
    else:
        _Line.subject = part
        send_message("subject", part)
    yield
    _Line.subject = whole
    send_message("subject", whole)


def find_current_subject() -> str:
    """Return the current subject: the file, or its part, in progress."""
    return _Line.subject


@contextmanager
def pause_clock() -> Iterator[None]:
    """Pause the time limit inside: typing a spec may take any time, and programs have their own limits."""
    send_message("hold")
    try:
        yield
    finally:
        send_message("release")


def program_started(pid: int) -> None:
    """Report the start of a program that leads its own process group, and pause the time limit.

    The parent ends the program together with this process.
    """
    send_message("hold")
    send_message("started", pid)


def program_ended(pid: int) -> None:
    """Report the end of a program and resume the time limit."""
    send_message("ended", pid)
    send_message("release")


def memory_mib() -> int | None:
    """Return the memory limit of this process in MiB; None if it is unlimited."""
    with suppress(ImportError, AttributeError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        return None if limit == resource.RLIM_INFINITY else limit // _MIB
    return None


def _allow_time() -> None:
    """Set the limit of CPU time, a safeguard for a child whose parent was killed."""
    _lower_limit("RLIMIT_CPU", ceil(process_time() + _Line.seconds) + _CPU_GRACE_SECONDS)


def _lower_limit(name: str, wanted: int) -> None:
    """Lower a limit of the operating system, if it supports the limit.

    A new limit of CPU time may be higher.
    """
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        which = getattr(resource, name)
        now, most = resource.getrlimit(which)
        if name == "RLIMIT_CPU" or now == resource.RLIM_INFINITY or wanted < now:
            resource.setrlimit(which, (wanted, most))
