"""Worker processes for servers with many threads, which cannot fork: each serves one thread at a time."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from struct import Struct
from threading import Lock, Thread, Timer
from typing import Any

from tikzgen.base.child.child_state import ResourceLimits, TooMuch, Watched
from tikzgen.base.trust import is_trusted

LENGTH = Struct(">I")
"""Header of a request: its length in bytes."""

_END_MESSAGE = b""
_CANCEL_MESSAGE = None


class WorkerPool:
    """Pool of processes, each with a copy of `servant` to act on; with `spare`, one is always idle.

    Requests and results must support pickling, such as `methodcaller("render", path)`.
    """

    def __init__(self, servant: object, *, spare: bool = True) -> None:
        self._spare = spare
        self._servant = pickle.dumps((servant, is_trusted()))
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._lock = Lock()
        self._closed = False
        self._idle.append(_Worker(self._servant))

    def call(self, act: Callable[[Any], Any], subject: str, bounds: ResourceLimits) -> Any:
        """Return the result of `act(servant)` or raise its error. Raise `TooMuch` if it exceeds a limit."""
        (made,) = WorkerCall(act, subject, bounds).made_by(self)
        return made

    def close(self) -> None:
        """End all workers, including busy ones."""
        with self._lock:
            self._closed = True
            for worker in self._busy:
                worker.cancel()
            for worker in self._idle:
                worker.close()
            self._idle.clear()

    @contextmanager
    def lend_worker(self) -> Iterator[_Worker]:
        """Lend an idle worker, or start one; a worker that ended is not reused."""
        with self._lock:
            if self._closed:
                raise KeyboardInterrupt
            worker = self._idle.pop() if self._idle else _Worker(self._servant)
            self._busy.add(worker)
            if self._spare and not self._idle:  # replaces a worker that is ended during a request without delay
                self._idle.append(_Worker(self._servant))
        try:
            yield worker
        finally:
            with self._lock:
                self._busy.discard(worker)
                if self._closed:
                    worker.close()
                elif not worker.ended:
                    self._idle.append(worker)


class WorkerCall:
    """Request to a worker. `stop` ends the worker and raises `KeyboardInterrupt` in the waiting thread."""

    def __init__(self, act: Callable[[Any], Any], subject: str, bounds: ResourceLimits) -> None:
        self._asked = pickle.dumps((act, subject, bounds.seconds))
        self._subject = subject
        self._bounds = bounds
        self._lock = Lock()
        self._worker: _Worker | None = None
        self._stopped = False

    def made_by(self, workers: WorkerPool) -> Iterator[Any]:
        """Yield each result of the request, or raise its error."""
        with workers.lend_worker() as worker:
            with self._lock:
                self._worker = worker
                if self._stopped:
                    raise KeyboardInterrupt
            try:
                yield from worker.do(self._asked, self._subject, self._bounds)
            finally:
                with self._lock:
                    self._worker = None

    def stop(self, patience: float = 0.0) -> None:
        """End the request: now, when it begins, or if it still runs after `patience` seconds."""
        if patience:
            later = Timer(patience, self.stop)
            later.daemon = True
            later.start()
            return
        with self._lock:
            self._stopped = True
            if self._worker is not None:
                self._worker.cancel()


class _Worker:
    """Worker process, and the thread that receives its messages."""

    def __init__(self, servant: bytes) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tikzgen.base.child.worker_main"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self.ended = False
        self._told: SimpleQueue[bytes | None] = SimpleQueue()
        self._send(servant)
        Thread(target=self._listen, name="listening", daemon=True).start()

    def do(self, asked: bytes, subject: str, bounds: ResourceLimits) -> Iterator[Any]:
        """Send a request and yield its results, or raise its error."""
        watched = Watched(self._process.pid, subject, bounds)
        self._send(asked)
        try:
            while True:
                for kind, value in self._receive_results(watched):
                    if kind == "done":
                        return
                    made = pickle.loads(value)
                    if kind == "raised":
                        raise made
                    yield made
        except GeneratorExit:  # the caller needs no more results
            self.close()
            raise

    def cancel(self) -> None:
        """Ask the waiting thread to end the worker and to raise `KeyboardInterrupt`."""
        self._told.put(_CANCEL_MESSAGE)

    def close(self) -> None:
        """Terminate the worker without waiting for it."""
        self.ended = True
        with suppress(OSError):
            self._process.terminate()

    def _receive_results(self, watched: Watched) -> list[tuple[str, Any]]:
        """Wait for messages and return the results in them; empty on a timeout."""
        try:
            data = self._told.get(timeout=watched.wait)
        except Empty:
            watched.check()
            return []
        if data is _CANCEL_MESSAGE:
            self._end(watched)
            raise KeyboardInterrupt
        if data == _END_MESSAGE:
            self.ended = True
            watched.end_programs()
            raise watched.make_failure_error(self._process.wait()) or TooMuch(f"{watched.subject}: tikzgen failed")
        watched.take(data)
        told, watched.told = watched.told, []
        return told

    def _end(self, watched: Watched) -> None:
        """Ask the process to end; kill it if it does not."""
        self.ended = True
        watched.ask(signal.SIGTERM)
        while True:
            try:
                if self._told.get(timeout=watched.wait) == _END_MESSAGE:
                    break
            except Empty:
                watched.check()
        watched.end_programs()
        self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        data = b"begin"
        while data:
            data = os.read(descriptor, 65536)
            self._told.put(data)
        self._process.wait()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # OSError: the process has ended, which the queue reports
            self._process.stdin.write(LENGTH.pack(len(data)) + data)
            self._process.stdin.flush()
