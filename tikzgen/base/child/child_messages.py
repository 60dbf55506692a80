"""What a child tells the process that watches over it: what it is at, which programs it runs, what came of it.

Where nobody watches, as in a user's own Python, nothing is told and nothing is limited.
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
"""Stands before each note: its length."""

_MIB = 1024 * 1024  # bytes
_CPU_GRACE_SECONDS = (
    30  # seconds of the processor's time beyond the limit, after which the system ends what nobody watches any more
)


class _Line:
    """Where the notes of this process go."""

    pipe: int | None = None
    seconds = 0.0
    subject = ""
    lock = Lock()


def begin(pipe: int, subject: str, seconds: float, memory: int) -> None:
    """This process is a child from now on: its notes go to `pipe`, and it has so many MiB of memory."""
    _Line.pipe, _Line.seconds, _Line.subject = pipe, seconds, subject
    _lower("RLIMIT_AS", memory * _MIB)
    _lower("RLIMIT_CORE", 0)
    _allow_time()


def is_watched() -> bool:
    """Whether this process is such a child."""
    return _Line.pipe is not None


def send_message(kind: str, value: int | str | bytes = "") -> None:
    """Send a message to the parent process, if one listens."""
    if _Line.pipe is None:
        return
    data = marshal.dumps((kind, value))
    data = HEAD.pack(len(data)) + data
    with _Line.lock, suppress(BrokenPipeError):  # nobody does any more
        while data:
            data = data[os.write(_Line.pipe, data) :]


def working_on(name: str) -> None:
    """Another file is begun, with all the time that one may take."""
    _begin(name)
    send_message("next")


def _begin(name: str) -> None:
    if _Line.pipe is not None:
        _allow_time()
    _Line.subject = name
    send_message("subject", name)
    send_message("restart")


def so_far(done: float, of: int) -> None:
    """So much is done of what the work is at: 1.5 of 4 files that it needs."""
    send_message("share", f"{100 * done / of:.0f} % of {of}")


def send_file_count(files: int) -> None:
    """Announce the number of files, which are read one after the other."""
    send_message("expecting", files)


@contextmanager
def working_at(part: str, *, anew: bool = False) -> Iterator[None]:
    """The work is at a part of a file, or at another file that it needs: the line that says what took too long says so.

    Where it is stopped there, that part stays the subject. What is begun `anew` has all the time that a file may take.
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


def subject() -> str:
    """What the work is at."""
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
    """A program leads a group of its own: it ends with this process, and the clock stands until then."""
    send_message("hold")
    send_message("started", pid)


def program_ended(pid: int) -> None:
    """The program is gone."""
    send_message("ended", pid)
    send_message("release")


def memory_mib() -> int | None:
    """How much memory this process may have, where that is limited."""
    with suppress(ImportError, AttributeError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        return None if limit == resource.RLIM_INFINITY else limit // _MIB
    return None


def _allow_time() -> None:
    """Time of the processor, should the one who watches be killed."""
    _lower("RLIMIT_CPU", ceil(process_time() + _Line.seconds) + _CPU_GRACE_SECONDS)


def _lower(name: str, wanted: int) -> None:
    """Set a limit of the system's, where it has it and has none that is lower."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        which = getattr(resource, name)
        now, most = resource.getrlimit(which)
        if name == "RLIMIT_CPU" or now == resource.RLIM_INFINITY or wanted < now:
            resource.setrlimit(which, (wanted, most))
