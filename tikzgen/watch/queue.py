"""Which figures wait to be built: each once, the latest first; what is under way and out of date is stopped."""

from __future__ import annotations

from threading import Condition

from tikzgen.watch.making import Stoppable

__all__ = ["Queue", "Task"]


class Task:
    """One build of a figure. Once `cancelled`, its result is of no use, and what works for it is stopped."""

    def __init__(self, id_: int) -> None:
        self.id = id_
        self.cancelled = False
        self._running: list[Stoppable] = []

    def started(self, running: Stoppable) -> None:
        """Note what works for this task; it is stopped at once where the task is cancelled already."""
        self._running.append(running)
        if self.cancelled:
            running.stop()

    def cancel(self) -> None:
        """Stop it; whoever does its work finds out."""
        self.cancelled = True
        for running in list(self._running):
            running.stop()


class Queue:
    """Figures by id, the one put in last on top. A figure is never built twice at a time."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: list[int] = []
        self._tasks: dict[int, Task] = {}
        self._stopped = False

    def put(self, id_: int) -> None:
        """Have a figure built; if it is being built, that is stopped and begun again."""
        with self._changed:
            if id_ in self._waiting:
                self._waiting.remove(id_)
            self._waiting.append(id_)
            self._cancel(id_)
            self._changed.notify_all()

    def drop(self, id_: int) -> None:
        """A figure is gone."""
        with self._changed:
            if id_ in self._waiting:
                self._waiting.remove(id_)
            self._cancel(id_)

    def take(self) -> Task | None:
        """The next task, as soon as there is one; None when all is over. Each must be `done` with."""
        with self._changed:
            while not self._stopped:
                for id_ in reversed(self._waiting):
                    if id_ not in self._tasks:
                        self._waiting.remove(id_)
                        task = self._tasks[id_] = Task(id_)
                        return task
                self._changed.wait()
        return None

    def done(self, task: Task) -> None:
        """The task has ended, however it did."""
        with self._changed:
            self._tasks.pop(task.id, None)
            self._changed.notify_all()

    @property
    def idle(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def stop(self) -> None:
        """Cancel everything; nothing is given out any more."""
        with self._changed:
            self._stopped = True
            self._waiting.clear()
            for task in self._tasks.values():
                task.cancel()
            self._changed.notify_all()

    def _cancel(self, id_: int) -> None:
        task = self._tasks.get(id_)
        if task:
            task.cancel()
