"""Children of a process with many threads, which cannot fork: each is started anew, and serves one thread at a time."""

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
"""Stands before each request."""

_END_MESSAGE = b""
_CANCEL_MESSAGE = None


class WorkerPool:
    """Processes that each have a copy of `servant`, and do things with it; one is always there to `spare`.

    What is to be done is given as what can be pickled, `methodcaller("render", path)`, and so is what comes of it.
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
        """What `act` gives of the servant; its errors are raised here. `TooMuch` where it took too much."""
        (made,) = WorkerCall(act, subject, bounds).made_by(self)
        return made

    def close(self) -> None:
        """End all of them, whatever they do."""
        with self._lock:
            self._closed = True
            for worker in self._busy:
                worker.cancel()
            for worker in self._idle:
                worker.close()
            self._idle.clear()

    @contextmanager
    def lend_worker(self) -> Iterator[_Worker]:
        """Lend a free worker; if it ends meanwhile, start another in its place."""
        with self._lock:
            if self._closed:
                raise KeyboardInterrupt
            worker = self._idle.pop() if self._idle else _Worker(self._servant)
            self._busy.add(worker)
            if self._spare and not self._idle:  # who is ended in the middle of something is replaced at once
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
    """Something to be done. Once stopped, the worker that does it is ended, and `KeyboardInterrupt` raised."""

    def __init__(self, act: Callable[[Any], Any], subject: str, bounds: ResourceLimits) -> None:
        self._asked = pickle.dumps((act, subject, bounds.seconds))
        self._subject = subject
        self._bounds = bounds
        self._lock = Lock()
        self._worker: _Worker | None = None
        self._stopped = False

    def made_by(self, workers: WorkerPool) -> Iterator[Any]:
        """What comes of it, or each thing that it yields; its errors are raised here."""
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
        """End it, now or as soon as it begins; or when it has not ended by itself after some seconds."""
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
    """A process, and the thread that takes what it tells."""

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
        """Have it do something, and give what comes of that."""
        watched = Watched(self._process.pid, subject, bounds)
        self._send(asked)
        try:
            while True:
                for kind, value in self._heard(watched):
                    if kind == "done":
                        return
                    made = pickle.loads(value)
                    if kind == "raised":
                        raise made
                    yield made
        except GeneratorExit:  # nobody wants the rest
            self.close()
            raise

    def cancel(self) -> None:
        """End it; who waits for it is told."""
        self._told.put(_CANCEL_MESSAGE)

    def close(self) -> None:
        """End it."""
        self.ended = True
        with suppress(OSError):
            self._process.terminate()

    def _heard(self, watched: Watched) -> list[tuple[str, Any]]:
        """What it tells next."""
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
            raise watched.failure(self._process.wait()) or TooMuch(f"{watched.subject}: tikzgen failed")
        watched.take(data)
        told, watched.told = watched.told, []
        return told

    def _end(self, watched: Watched) -> None:
        """Ask it to end; kill it if it does not."""
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
        with suppress(OSError):  # it has ended: that is heard
            self._process.stdin.write(LENGTH.pack(len(data)) + data)
            self._process.stdin.flush()
