"""All that is made of one file for the page: its picture or its troubles, what stands beside it, and changes to it.

A `Studio` does it here and now, `Apart` has workers do it, which have a time limit and can be stopped at any time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import methodcaller
from pathlib import Path
from typing import Any, Protocol

from tikzgen.apart.notes import working_on
from tikzgen.apart.watched import Bounds
from tikzgen.apart.workers import Call, Workers
from tikzgen.base.errors import FileRefused, TikzgenError, system_error
from tikzgen.reading import Reading
from tikzgen.watch.editing import Request, edit
from tikzgen.watch.making import Maker, Picture, Started, unstoppable
from tikzgen.watch.page_facts import Looker
from tikzgen.watch.troubles import Trouble, troubles_of

__all__ = ["Apart", "Drawn", "Failed", "Looked", "Making", "Step", "Studio", "report"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture, and the TeX that it is of."""

    picture: Picture
    source: str


@dataclass(frozen=True, slots=True)
class Failed:
    """What is wrong with the file; `refused`: it could not be read. An error of ours, or of the disk, is `settled`."""

    troubles: tuple[Trouble, ...]
    refused: bool = False
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Looked:
    """The facts that stand beside the picture, and lines for who watches."""

    facts: dict[str, Any]
    told: tuple[str, ...] = ()


Step = Drawn | Failed | Looked


class Making(Protocol):
    """Who makes it. `started` is told what can be stopped."""

    def views(self, path: Path, started: Started) -> Iterator[Step]:
        """First the picture or what is wrong, then what stands beside it."""

    def prepare(self, source: str, path: Path, started: Started) -> None:
        """What may wait until nobody does."""

    def edit(self, path: Path, request: Request) -> bool:
        """Change the file as the form asks; whether that took a write."""

    def close(self) -> None:
        """End all that is under way."""


class Studio:
    """Makes it in this process."""

    def __init__(self, maker: Maker, look: Looker) -> None:
        self.maker = maker
        self._look = look

    def views(self, path: Path, started: Started = unstoppable) -> Iterator[Step]:
        reading = Reading(path, drawn=True)
        source: str | None = None
        drawn: str | None = None
        try:
            source = self.maker.source(reading, started)
            yield Drawn(self.maker.picture(source, path, started), source)
            drawn = source
        except TikzgenError as error:
            yield Failed(troubles_of(error, path, source), refused=isinstance(error, FileRefused))
        except OSError as error:  # no room for temporary files, for one
            yield Failed((Trouble(f"{path}: {system_error(error)}"),), settled=True)
        except Exception as error:
            report(error)
            yield Failed((Trouble(f"{path}: tikzgen failed: {type(error).__name__}: {error}"),), settled=True)
        working_on(str(path))
        told: list[str] = []
        yield Looked(replace(self._look, tell=told.append)(reading, drawn, started), tuple(told))

    def prepare(self, source: str, path: Path, started: Started = unstoppable) -> None:
        self.maker.prepare(source, path, started)

    def edit(self, path: Path, request: Request) -> bool:
        return edit(path, request, allow_invalid=self.maker.allow_invalid)

    def close(self) -> None:
        """Nothing goes on here that nobody waits for."""


class Apart:
    """Has workers make it."""

    def __init__(self, studio: Studio) -> None:
        self._workers = Workers(studio)
        self._bounds = Bounds(studio.maker.time_limit)

    def views(self, path: Path, started: Started) -> Iterator[Step]:
        call = Call(methodcaller("views", path), str(path), self._bounds)
        started(call)
        return call.made_by(self._workers)

    def prepare(self, source: str, path: Path, started: Started) -> None:
        call = Call(methodcaller("prepare", source, path), str(path), self._bounds)
        started(call)
        for _ in call.made_by(self._workers):
            pass

    def edit(self, path: Path, request: Request) -> bool:
        bounds = Bounds(self._bounds.seconds, hint="change it in the file")
        written: bool = self._workers.call(methodcaller("edit", path, request), str(path), bounds)
        return written

    def close(self) -> None:
        self._workers.close()


def report(error: Exception) -> None:
    """Print a mistake of ours, as it came."""
    import traceback

    traceback.print_exception(error, file=sys.stderr)
