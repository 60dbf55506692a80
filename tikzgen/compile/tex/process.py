"""Runs of a program to its end or its limits, without orphans."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread, Timer
from time import perf_counter
from typing import TYPE_CHECKING

from tikzgen.base.child import program_ended, program_started
from tikzgen.base.record import Record
from tikzgen.compile.tex.argv import Limits, limit_argv
from tikzgen.compile.tex.workplace import holds_more

if TYPE_CHECKING:
    import subprocess

_TAIL_BYTES = 64 * 1024
_LOOK_SECONDS = 0.25  # s between checks


class Ended(Record):
    """End of a run: `status` is negative for a signal, `output` is the end of the program's output.

    `overfull` states that it was stopped because its folder exceeded its limit.
    """

    status: int
    timed_out: bool
    seconds: float
    output: str
    overfull: bool

    def was_killed_by(self, name: str) -> bool:
        """Return whether the signal of that name ended it; False on systems without that signal."""
        return self.status == -getattr(signal, name, -1)

    @property
    def last_words(self) -> str:
        """Its status, and the last line of its output, if any: `status 1: No file figure.dvi`."""
        told = next((line.strip() for line in reversed(self.output.splitlines()) if line.strip()), "")
        return f"status {self.status}" + (f": {told}" if told else "")


class Running:
    """Running programs of all threads; `stop()` ends them, as for Ctrl-C, and prevents further starts."""

    def __init__(self) -> None:
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = Lock()
        self.stopped = False
        """Whether `stop()` was called: what ended since did not end by itself."""

    def start(self, argv: Sequence[str], **options: object) -> subprocess.Popen[bytes]:
        """Start a program in a new session, without input; raise `KeyboardInterrupt` after `stop()`."""
        import subprocess  # late: drawn figures start no program

        with self._lock:
            if self.stopped:
                raise KeyboardInterrupt
            options = {"stdin": subprocess.DEVNULL, "start_new_session": True, **options}
            process: subprocess.Popen[bytes] = subprocess.Popen(argv, **options)  # type: ignore[call-overload]
            self._processes.add(process)
            program_started(process.pid)
            return process

    def remove_process(self, process: subprocess.Popen[bytes]) -> None:
        """Remove a program that has ended."""
        with self._lock:
            self._processes.discard(process)
        program_ended(process.pid)

    def stop(self) -> None:
        """Stop every program and its children."""
        with self._lock:
            self.stopped = True
            for process in self._processes:
                if process.returncode is None:
                    _kill(process)


def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    limits: Limits,
    running: Running | None = None,
) -> Ended:
    """Run `argv` in `cwd`, without input, in its own session, under `limits`.

    Raise `OSError` if it cannot be started.
    """
    running = running if running is not None else Running()
    if os.name == "posix":
        argv = limit_argv(argv, limits)
    started = perf_counter()
    with tempfile.TemporaryFile() as output:
        try:
            process = running.start(argv, cwd=cwd, env=env, stdout=output, stderr=output)
            try:
                with _watch_folder(process, cwd, limits) as guard:
                    status, timed_out = _wait_for_end(process, limits.seconds)
            finally:
                _end(process)  # for example if no thread can be started
                running.remove_process(process)
        except KeyboardInterrupt:
            running.stop()  # ends every started program, at any time of the interrupt
            raise
        seconds = perf_counter() - started
        output.seek(0, os.SEEK_END)
        output.seek(max(0, output.tell() - _TAIL_BYTES))
        text = output.read().decode("utf-8", "replace")
    return Ended(status, timed_out, seconds, text, guard.rung)


@contextmanager
def _watch_folder(process: subprocess.Popen[bytes], folder: Path, limits: Limits) -> Iterator[_Alarm]:
    """Stop the process when its folder exceeds its size; `ulimit` limits each file, but not their number."""
    alarm, done = _Alarm(process), Event()

    def watch() -> None:
        while not alarm.rung and not done.wait(_LOOK_SECONDS):
            if holds_more(folder, limits.folder_mib or 0):
                alarm.kill_process()

    watcher = Thread(target=watch, daemon=True)
    if limits.folder_mib is not None:
        watcher.start()
    try:
        yield alarm
    finally:
        done.set()


def _wait_for_end(process: subprocess.Popen[bytes], seconds: float) -> tuple[int, bool]:
    """Wait for the end of the process; return its status, and whether it exceeded the time limit."""
    overdue = _Alarm(process)
    # A timer and a plain wait, because `wait(timeout)` polls and lasts up to 50 ms longer.
    timer = Timer(seconds, overdue.kill_process)
    timer.daemon = True  # after an interrupt before `try`, the program must not wait for the timer
    timer.start()
    try:
        return process.wait(), overdue.rung
    finally:
        timer.cancel()


class _Alarm:
    """Timer that stops a process and records that it did."""

    __slots__ = ("process", "rung")

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.rung = False

    def kill_process(self) -> None:
        if self.process.returncode is None:
            self.rung = True
            _kill(self.process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        _kill(process)
        process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if os.name != "posix":
        process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):  # macOS: PermissionError for a process that has just ended
        os.killpg(process.pid, signal.SIGKILL)
