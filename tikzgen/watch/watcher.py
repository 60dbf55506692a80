"""Looks at the files twenty times a second, and makes new views of those that changed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic, perf_counter
from typing import Any

from tikzgen.apart.watched import TooMuch
from tikzgen.base.errors import TikzgenError
from tikzgen.watch.making import Maker
from tikzgen.watch.page_facts import Tell
from tikzgen.watch.queue import Queue, Task
from tikzgen.watch.sources import Source, Sources
from tikzgen.watch.stamps import Stamp, depends_on, stamps
from tikzgen.watch.studio import Drawn, Failed, Looked, Making, report
from tikzgen.watch.troubles import Trouble
from tikzgen.watch.views import Board, View

__all__ = ["Watcher"]

_EVERY = 0.05  # seconds between two looks
_SETTLED = 0.15  # seconds without a change, before what is wrong with a file is said: it may be half written
_BACK = 0.6  # seconds that a missing file has to come back: editors write anew, and rename
_PRUNE = 50  # pictures


class Watcher:
    """The threads behind `tikzgen watch`: one that looks, and `workers` that build."""

    def __init__(
        self, sources: Sources, making: Making, maker: Maker, board: Board, tell: Tell, *, workers: int = 1
    ) -> None:
        self._sources = sources
        self._making = making
        self._maker = maker
        self._board = board
        self._tell = tell
        self._queue = Queue()
        self._stamps: dict[int, tuple[Stamp | None, ...]] = {}
        self._listed: dict[int, Source] = {}
        self._hurry = Event()
        self._over = Event()
        self._made = 0
        self._threads = [Thread(target=self._looking, name="looking", daemon=True)]
        self._threads += [Thread(target=self._building, name="building", daemon=True) for _ in range(workers)]

    def start(self) -> None:
        """Begin; the first look is taken before this returns, so that the list is there."""
        self._tick()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the threads and every program that they run."""
        self._over.set()
        self._hurry.set()
        self._queue.stop()
        self._making.close()
        self._board.close()
        for thread in self._threads:
            thread.join(5)

    def hurry(self) -> None:
        """Look now: somebody knows that a file changed."""
        self._hurry.set()

    def path(self, id_: int) -> Path | None:
        """The file of a figure that is listed."""
        source = self._listed.get(id_)
        return source.path if source else None

    def again(self, id_: int) -> None:
        """Build a figure once more, changed or not: TeX may have been installed."""
        if id_ in self._listed:
            self._queue.put(id_)

    def _looking(self) -> None:
        pause = _EVERY
        while not self._over.is_set():
            self._hurry.wait(pause)
            self._hurry.clear()
            begun = perf_counter()
            _survive(self._tick)
            pause = max(_EVERY, 20 * (perf_counter() - begun))  # a slow disk is not asked all the time

    def _tick(self) -> None:
        found = self._sources.look()
        self._listed = {source.id: source for source in found.sources}
        self._board.arrange([View(source.id, source.name, str(source.path)) for source in found.sources], found.notice)
        for gone in self._stamps.keys() - self._listed.keys():
            del self._stamps[gone]
            self._queue.drop(gone)
        changed = []
        for source in found.sources:
            now = stamps(depends_on(source.path))
            if self._stamps.get(source.id) != now:
                self._stamps[source.id] = now
                changed.append(source.id)
        for id_ in reversed(changed):  # the last one put in is the first one built
            self._queue.put(id_)

    def _building(self) -> None:
        while (task := self._queue.take()) is not None:
            try:
                _survive(self._build, task)
            except KeyboardInterrupt:
                continue  # the task was cancelled
            finally:
                self._queue.done(task)

    def _build(self, task: Task) -> None:
        path = self.path(task.id)
        if path is None:
            return
        before = stamps(depends_on(path))
        self._board.change(task.id, status="building")
        drawn: str | None = None
        told = False
        try:
            for step in self._making.views(path, task.started):
                if isinstance(step, Failed) and not self._holds(task, path, before, step):
                    return  # it changed: it is taken up again from there
                if task.cancelled:
                    return
                told = True
                if isinstance(step, Drawn):
                    drawn, picture = step.source, step.picture
                    self._board.change(task.id, status="ready", picture=picture, troubles=(), looked=False)
                    self._tell(f"{path}: drawn, {picture.width:.2f} x {picture.height:.2f} cm")
                elif isinstance(step, Failed):
                    self._failed(task, step.troubles)
                else:
                    self._looked(task, step)
        except TooMuch as error:
            if not told:
                self._failed(task, (Trouble(str(error)),))
            self._looked(task, Looked({"findings": (), "fields": ()}))
        if not task.cancelled:
            self._after(task, path, drawn)

    def _looked(self, task: Task, step: Looked) -> None:
        for line in step.told:
            self._tell(line)
        if not task.cancelled:
            self._board.change(task.id, **step.facts, looked=True)

    def _failed(self, task: Task, troubles: tuple[Trouble, ...]) -> None:
        self._board.change(task.id, status="failed", troubles=troubles, looked=False)
        for trouble in troubles:
            self._tell(trouble.message)

    def _holds(self, task: Task, path: Path, before: tuple[Stamp | None, ...], failed: Failed) -> bool:
        """Whether an error is still true after a moment in which the file did not change."""
        if failed.settled:
            return True
        missing = failed.refused and before[0] is None
        until = monotonic() + (_BACK if missing else _SETTLED)
        while not task.cancelled and monotonic() < until:
            if stamps(depends_on(path)) != before:
                self.hurry()  # it is taken up again from there
            self._over.wait(0.02)
        return not task.cancelled

    def _after(self, task: Task, path: Path, source: str | None) -> None:
        """What may wait until nobody does."""
        self._made += 1
        if self._made % _PRUNE == 0:
            self._maker.prune()
        if source is not None and self._queue.idle:
            with suppress(TikzgenError):
                self._making.prepare(source, path, task.started)


def _survive(step: Callable[..., None], *given: Any) -> None:
    """Nothing that goes wrong with one look or one figure ends the watching."""
    try:
        step(*given)
    except Exception as error:
        report(error)
