"""Much work of one kind, shared by a few children: each takes what is next, until nothing is left."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from struct import Struct
from typing import Any

from tikzgen.apart.forked import Forked, attend, listening
from tikzgen.apart.notes import tell
from tikzgen.apart.watched import Bounds, TooMuch

__all__ = ["run_each"]

_NUMBER = Struct(">I")
_AHEAD = 1000  # numbers that wait in the pipe, which has room for some thousand


def run_each(work: Callable[[int], object], count: int, at_once: int, bounds: Bounds) -> Iterator[tuple[int, Any]]:
    """Do `work` for each number below `count` in children, and give each number with what came of it, as it comes.

    Where one takes too much, that is a `TikzgenError`; another child takes its place, and the others go on.
    `KeyboardInterrupt`, with all of them ended, where somebody asks for that.
    """
    numbers = _Numbers(count)
    with listening() as requests:
        children: list[Forked] = []
        try:
            while numbers.done < count:
                numbers.feed()
                while len(children) < min(at_once, count - numbers.done):
                    children.append(Forked(numbers.worker(work), "tikzgen", bounds))
                attend(children, requests)
                for child in children:
                    yield from numbers.taken(child)
                if any(child.asked for child in children):
                    raise KeyboardInterrupt
                children = [child for child in children if not child.ended]
        except KeyboardInterrupt:
            while children := [child for child in children if not child.ended]:
                attend(children, requests)
            raise
        finally:
            numbers.close()
            for child in children:
                child.close()


class _Numbers:
    """What is still to be done: numbers in a pipe, which all children read; and which child is at which."""

    def __init__(self, count: int) -> None:
        self.done = 0
        self._count = count
        self._sent = 0
        self._reading, self._writing = os.pipe()
        self._open = True
        self._current: dict[int, int] = {}

    def feed(self) -> None:
        """Let some be taken; when all are, the pipe ends."""
        ahead = min(self._count, self.done + _AHEAD)
        if ahead > self._sent:
            os.write(self._writing, b"".join(map(_NUMBER.pack, range(self._sent, ahead))))
            self._sent = ahead
        if self._open and self._sent == self._count:
            os.close(self._writing)
            self._open = False

    def worker(self, work: Callable[[int], object]) -> Callable[[], int]:
        """What a child does."""

        def go_on() -> int:
            if self._open:
                os.close(self._writing)
            while packed := os.read(self._reading, _NUMBER.size):
                (number,) = _NUMBER.unpack(packed)
                tell("begun", number)
                tell("result", pickle.dumps(work(number)))
            return 0

        return go_on

    def taken(self, child: Forked) -> Iterator[tuple[int, Any]]:
        """What a child made, and what became of the one that it was at, if it has ended."""
        told, child.told = child.told, []
        for kind, value in told:
            if kind == "begun":
                self._current[child.pid] = value
            else:
                self.done += 1
                yield self._current.pop(child.pid), pickle.loads(value)
        if child.ended and (number := self._current.pop(child.pid, None)) is not None and not child.asked:
            self.done += 1
            yield number, child.failure(child.status) or TooMuch(f"{child.subject}: tikzgen failed")

    def close(self) -> None:
        os.close(self._reading)
        if self._open:
            os.close(self._writing)
