"""Builds of changed files: one worker draws them without TeX, others run TeX and the checks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from operator import methodcaller
from pathlib import Path
from queue import LifoQueue
from threading import Event, Thread
from typing import Any

from tikzgen.base.child import ResourceLimits, TooMuch, WorkerCall, WorkerPool
from tikzgen.base.errors import TikzgenError
from tikzgen.compile.tex.workplace import remove_old_folders
from tikzgen.serve.watch.make_views import Failed, PictureOfFigure, Studio, WatchFindings, preamble_of, report
from tikzgen.serve.watch.sources import BACKOFF_SECONDS, Source, Sources
from tikzgen.serve.watch.troubles import Trouble
from tikzgen.serve.watch.views import Board, FigureView

_SETTLE_SECONDS = 0.15  # seconds without a change before an error is shown, because the file may be half written
_FINISH_SECONDS = 0.5  # seconds that a drawing may still last after the next save, which reuses its worker
_PRUNE_COUNT = 50  # pictures between two cleanups

Tell = Callable[[str], None]
"""Callback that receives one line about each processed file."""


class _Task:
    """A build of a figure. After `cancel`, its worker stops and its result is unused."""

    def __init__(self, source: Source) -> None:
        self.id, self.path = source.id, source.path
        self.cancelled = Event()
        self.drawn: PictureOfFigure | None = None
        self.call: WorkerCall | None = None
        self.patience = 0.0

    def cancel(self) -> None:
        self.cancelled.set()
        if self.call is not None:
            self.call.stop(self.patience)


class Watcher:
    """Threads of `tikzgen watch`: one for changes, one for drawings, `workers` for TeX and checks.

    The latest save has priority.
    """

    def __init__(
        self, sources: Sources, studio: Studio, board: Board, tell: Tell, *, workers: int, apart: bool
    ) -> None:
        self._sources = sources
        self._studio = studio
        self._drawers = WorkerPool(studio, spare=False) if apart else None
        self._apart = WorkerPool(studio) if apart else None
        self._board = board
        self._tell = tell
        self._waiting: LifoQueue[_Task | None] = LifoQueue()
        self._unfinished: LifoQueue[_Task | None] = LifoQueue()
        self._tasks: dict[int, _Task] = {}
        self._over, self._begun = Event(), Event()
        self._prepared: set[str] = set()
        self._made = 0
        self._threads = [Thread(target=self._watch_files, name="looking", daemon=True)]
        turns = [(self._waiting, self._draw)] + [(self._unfinished, self._finish)] * workers
        self._threads += [
            Thread(target=self._run_tasks, args=turn, name=turn[1].__name__, daemon=True) for turn in turns
        ]

    def start(self) -> None:
        """Start the threads; return when the list of figures is complete."""
        for thread in self._threads:
            thread.start()
        self._begun.wait()

    def stop(self) -> None:
        """Stop the threads and every program that they run."""
        self._over.set()
        for task in self._tasks.values():
            task.cancel()
        for _ in self._threads:
            self._waiting.put(None)
            self._unfinished.put(None)
        for workers in (self._drawers, self._apart):
            if workers:
                workers.close()
        self._board.close()
        for thread in self._threads:
            thread.join(5)

    def find_path(self, id_: int) -> Path | None:
        """Return the file of a listed figure, or None."""
        task = self._tasks.get(id_)
        return task.path if task else None

    def build_again(self, id_: int) -> None:
        """Build a figure again, changed or not, because TeX may have been installed."""
        if (task := self._tasks.get(id_)) is not None:
            self._enqueue_figure(Source(id_, task.path))

    def show_other(self, id_: int, path: Path) -> dict[str, Any]:
        """Let the page show a figure in the other palette."""
        (other,) = self.run_studio(path, "other")
        self._board.change(id_, other=other)
        return {}

    def run_studio(
        self, path: Path, verb: str, *given: Any, task: _Task | None = None, hint: str = ""
    ) -> Iterator[Any]:
        """Yield the results of a studio for a file, here or in a worker; canceling the task stops the worker."""
        act, drawing = methodcaller(verb, path, *given), verb == "draw"
        workers = self._drawers if drawing else self._apart
        if workers is None:
            yield from act(self._studio)
            return
        bounds = ResourceLimits(self._studio.settings.time_limit)
        call = WorkerCall(act, str(path), ResourceLimits(bounds.seconds, hint=hint) if hint else bounds)
        if task is not None:
            task.call, task.patience = call, _FINISH_SECONDS if drawing else 0.0
            if task.cancelled.is_set():
                call.stop()
        yield from call.made_by(workers)

    def _watch_files(self) -> None:
        for changed in self._sources.watch_changes(self._over):
            if changed is None or changed or self._sources.has_missing:
                _run_step(self._look, changed)
            self._begun.set()

    def _look(self, changed: Collection[str] | None) -> None:
        found = self._sources.look(changed)
        self._board.arrange(
            [FigureView(each.id, each.path.name, str(each.path)) for each in found.sources], found.notice
        )
        for gone in self._tasks.keys() - {source.id for source in found.sources}:
            self._tasks.pop(gone).cancel()
        for source in reversed(found.sources):  # the last one in the queue is the first one built
            if changed is None or source.id not in self._tasks or self._sources.is_affected(source, changed):
                self._enqueue_figure(source)

    def _enqueue_figure(self, source: Source) -> None:
        """Enqueue a figure to build; stop a running build of it."""
        if source.id in self._tasks:
            self._tasks[source.id].cancel()
        task = self._tasks[source.id] = _Task(source)
        self._waiting.put(task)

    def _run_tasks(self, tasks: LifoQueue[_Task | None], step: Callable[[_Task], None]) -> None:
        while (task := tasks.get()) is not None:
            if not task.cancelled.is_set():
                try:
                    _run_step(self._run_limited, step, task)
                except KeyboardInterrupt:
                    continue  # the task was cancelled

    def _run_limited(self, step: Callable[[_Task], None], task: _Task) -> None:
        try:
            step(task)
        except TooMuch as error:
            if task.drawn is None or task.drawn.picture is None:
                self._store_troubles(task, (Trouble(str(error)),))
            self._store_findings(task, WatchFindings())

    def _draw(self, task: _Task) -> None:
        self._show(task, status="building")
        (found,) = self.run_studio(task.path, "draw", task=task)
        self._sources.made_from(task.id, found.files)
        if isinstance(found, Failed):
            if not self._has_lasting_error(task, found):
                return  # it changed, which starts another build
            self._store_troubles(task, found.troubles)
        else:
            task.drawn = found
            if found.picture is not None:
                self._show(task, status="ready", picture=found.picture, troubles=(), looked=False)
        self._unfinished.put(task)

    def _finish(self, task: _Task) -> None:
        first = task.drawn.picture if task.drawn is not None else None
        done: str | None = None
        for step in self.run_studio(task.path, "finish", task.drawn, task=task):
            if isinstance(step, WatchFindings):
                self._store_findings(task, step)
            elif isinstance(step, Failed):
                if self._has_lasting_error(task, step):
                    self._store_troubles(task, step.troubles)
            elif step.picture is not None:
                done, picture = step.source, step.picture
                if first is not None:
                    self._show(task, finished=first.is_partial == picture.is_partial, picture=picture)
                else:
                    self._show(task, status="ready", picture=picture, troubles=(), looked=False)
                self._tell(f"{task.path}: drawn, {picture.width:.2f} x {picture.height:.2f} cm")
        if not task.cancelled.is_set():
            self._prune_and_prepare(task, done)

    def _store_findings(self, task: _Task, step: WatchFindings) -> None:
        for line in step.told:
            self._tell(line)
        self._show(task, findings=step.findings, fields=step.fields, spots=step.spots, looked=True)

    def _store_troubles(self, task: _Task, troubles: tuple[Trouble, ...]) -> None:
        self._show(task, status="failed", troubles=troubles, looked=False)
        for trouble in troubles:
            self._tell(trouble.message)

    def _show(self, task: _Task, **facts: Any) -> None:
        if not task.cancelled.is_set():
            self._board.change(task.id, **facts)

    def _has_lasting_error(self, task: _Task, failed: Failed) -> bool:
        """Return whether an error remains after a short time without a change of the file."""
        missing = failed.refused and not task.path.exists()
        seconds = 0.0 if failed.settled else BACKOFF_SECONDS if missing else _SETTLE_SECONDS
        return not task.cancelled.wait(seconds)

    def _prune_and_prepare(self, task: _Task, source: str | None) -> None:
        """Prune the cache periodically, and dump the preamble when no other work is left.

        Every version of a figure leaves a PDF in the cache.
        """
        self._made += 1
        if self._made % _PRUNE_COUNT == 0:
            self._studio.settings.cache.prune()
            remove_old_folders()
        if (
            source is None
            or not (self._waiting.empty() and self._unfinished.empty())
            or preamble_of(source) in self._prepared
        ):
            return
        self._prepared.add(preamble_of(source))
        try:
            for _ in self.run_studio(task.path, "prepare", source, task=task):
                pass
        except TikzgenError:
            self._prepared.discard(preamble_of(source))


def _run_step(step: Callable[..., None], *given: Any) -> None:
    """Run a step; report an error instead of ending the watcher."""
    try:
        step(*given)
    except Exception as error:
        report(error)
