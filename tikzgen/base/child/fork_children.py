"""Forked children of a process with one thread: they start immediately, with all data of the parent."""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from struct import Struct
from tempfile import TemporaryFile
from types import FrameType
from typing import Any, NoReturn

from tikzgen.base.child.child_messages import begin, send_message
from tikzgen.base.child.child_state import ResourceLimits, TooMuch, Watched, make_overdue_error
from tikzgen.base.child.signals import end_was_requested, handle_signals, list_end_signals
from tikzgen.base.errors import ExitStatus

_NUMBER = Struct(">I")


def can_fork() -> bool:
    """Return whether this system supports fork."""
    return hasattr(os, "fork")


_TICK_SECONDS = 0.2  # seconds

Tick = Callable[[Watched], None]
"""Callback that is called periodically to report the progress of a child."""


def run_bounded(work: Callable[[], int], subject: str, bounds: ResourceLimits, tick: Tick = lambda child: None) -> int:
    """Run `work` in a child within `bounds` and return its exit status; forward requests to end.

    Raise `TikzgenError` if it exceeds a limit; its programs have then ended as well. `tick` is called periodically.
    """
    with open_signal_pipe() as requests:
        child = Forked(work, subject, bounds)
        while not child.ended:
            handle_child_events([child], requests)
            tick(child)
    if child.asked:
        return ExitStatus.INTERRUPTED
    if error := child.make_failure_error(child.status):
        raise error
    return child.status


def run_again(arguments: Sequence[str], mark: dict[str, str], subject: str, bounds: ResourceLimits) -> int:
    """Run the same command in a new process with `mark` in its environment, for systems without fork.

    Return its exit status. The time limit applies to the whole process.
    """
    import subprocess

    command = [sys.executable, "-m", "tikzgen", *arguments]
    try:
        return subprocess.run(command, env=os.environ | mark, timeout=bounds.seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        raise make_overdue_error(subject, bounds) from None


class Forked(Watched):
    """Forked child and the pipe for its messages."""

    def __init__(self, work: Callable[[], int], subject: str, bounds: ResourceLimits) -> None:
        self.pipe, telling = os.pipe()
        self.asked = self.ended = False
        self.status = 0
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()  # else both processes would write the buffer
        pid = os.fork()
        if pid == 0:
            _be_child(work, telling, subject, bounds)
        os.close(telling)
        super().__init__(pid, subject, bounds)

    def listen(self) -> None:
        """Receive messages; if the pipe is closed, collect the exit status."""
        if data := os.read(self.pipe, 65536):
            self.take(data)
            return
        os.close(self.pipe)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.ended = True
        self.end_programs()

    def close(self) -> None:
        """Kill the child if it still runs."""
        if not self.ended:
            self.kill()
            while not self.ended:
                self.listen()


def run_each(
    work: Callable[[int], object], count: int, at_once: int, bounds: ResourceLimits, tick: Callable[[], None]
) -> Iterator[tuple[int, Any]]:
    """Run `work` for each number below `count` in `at_once` children; yield number and result as they arrive.

    A child processes numbers until none remain, so that it imports modules once. If a child exceeds a limit, the
    result is a `TikzgenError`, and another child replaces it. On a request to end, end all children and raise
    `KeyboardInterrupt`.
    """
    children: list[Forked] = []
    current: dict[int, int] = {}
    done = 0
    with open_signal_pipe() as requests, TemporaryFile(buffering=0) as numbers:
        numbers.write(b"".join(map(_NUMBER.pack, range(count))))
        numbers.seek(0)  # all children share this file position
        try:
            while done < count:
                while len(children) < min(at_once, count - done):
                    children.append(Forked(partial(_go_on, work, numbers.fileno()), "tikzgen", bounds))
                handle_child_events(children, requests)
                tick()
                for child in children:
                    for made in _take_results(child, current):
                        done += 1
                        yield made
                if any(child.asked for child in children):
                    raise KeyboardInterrupt
                children = [child for child in children if not child.ended]
        except KeyboardInterrupt:
            while children := [child for child in children if not child.ended]:
                handle_child_events(children, requests)
            raise
        finally:
            for child in children:
                child.close()


def _go_on(work: Callable[[int], object], numbers: int) -> int:
    """Process numbers from the shared file until its end: the main loop of a child."""
    while packed := os.read(numbers, _NUMBER.size):
        (number,) = _NUMBER.unpack(packed)
        send_message("begun", number)
        send_message("result", pickle.dumps(work(number)))
    return 0


def _take_results(child: Forked, current: dict[int, int]) -> Iterator[tuple[int, Any]]:
    """Yield the results of a child, and an error for the number at which it ended early."""
    told, child.told = child.told, []
    for kind, value in told:
        if kind == "begun":
            current[child.pid] = value
        else:
            yield current.pop(child.pid), pickle.loads(value)
    if child.ended and (number := current.pop(child.pid, None)) is not None and not child.asked:
        yield number, child.make_failure_error(child.status) or TooMuch(f"{child.subject}: tikzgen failed")


def _be_child(work: Callable[[], int], telling: int, subject: str, bounds: ResourceLimits) -> NoReturn:
    """Run the work in the forked process and exit with its status; never return to the code of the caller."""
    status: int = ExitStatus.INTERRUPTED
    try:
        signal.set_wakeup_fd(-1)
        begin(telling, subject, bounds.seconds, bounds.memory_mib)
        with suppress(KeyboardInterrupt), handle_signals():
            status = work()
    except BaseException:
        if not end_was_requested():  # otherwise a library converted the request into another error
            sys.excepthook(*sys.exc_info())
            status = ExitStatus.FINDINGS
    finally:
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        os._exit(status)


def handle_child_events(children: Sequence[Forked], requests: int) -> None:
    """Wait for messages, a timeout or a request to end, at most `_TICK_SECONDS`, and handle them."""
    waits = [wait for child in children if (wait := child.wait) is not None]
    ready, _, _ = select.select([requests, *(child.pipe for child in children)], [], [], min([*waits, _TICK_SECONDS]))
    if requests in ready:
        for number in os.read(requests, 64):
            for child in children:
                child.restart_clock() if number == signal.SIGCONT else _hand_on(child, number)
    for child in children:
        if child.pipe in ready:
            child.listen()
    for child in children:
        if not child.ended:
            child.check()


def _hand_on(child: Forked, number: int) -> None:
    child.asked = True
    child.ask(number)


@contextmanager
def open_signal_pipe() -> Iterator[int]:
    """Open a pipe that receives the numbers of signals: requests to end, and the resumption of a job.

    A signal that arrives before a wait on the pipe still ends that wait.
    """
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    before = {each: signal.signal(each, _ignore_signal) for each in [*list_end_signals(), signal.SIGCONT]}
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(wakeup)
        for each, handler in before.items():
            signal.signal(each, handler)
        os.close(reading)
        os.close(writing)


def _ignore_signal(number: int, frame: FrameType | None) -> None:
    """Do nothing: the wakeup descriptor writes the signal to the pipe."""
