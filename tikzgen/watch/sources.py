"""Which figures are watched: one file, or those of a folder as they come and go."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tikzgen.base.errors import refusal
from tikzgen.specfile.finding import looks_like_spec, may_be_spec
from tikzgen.watch.stamps import Stamp, stamp

__all__ = ["Found", "Source", "Sources"]

_HEAD = 4096
_MISSED = 10  # looks in a row: an editor that writes anew and renames leaves a gap


@dataclass(frozen=True, slots=True)
class Source:
    """A watched file; `id` is its place in the table, and is never given to another."""

    id: int
    path: Path

    @property
    def name(self) -> str:
        """What the page calls it."""
        return self.path.name


@dataclass(frozen=True, slots=True)
class Found:
    """What is there now; `notice` is what is wrong with the folder, empty where nothing is."""

    sources: tuple[Source, ...]
    notice: str = ""


class Sources:
    """The table of what is watched. A file alone stays in it for good, one in a folder until it is gone."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.folder = target.is_dir()
        self._ids: dict[Path, Source] = {}
        self._missed: dict[Path, int] = {}
        self._drawn: dict[Path, tuple[Stamp | None, bool]] = {}

    def look(self) -> Found:
        """The figures that are there now, by name."""
        if not self.folder:
            return Found((self._source(self.target),))
        try:
            present = self._figures()
        except OSError as error:
            self._missed.clear()
            return Found((), f"{self.target}: {refusal(error)}; it is shown when it is back")
        self._missed.update(dict.fromkeys(present, 0))
        for path in self._missed.keys() - present:
            self._missed[path] += 1
        self._missed = {path: looks for path, looks in self._missed.items() if looks <= _MISSED}
        listed = sorted(self._missed)
        notice = "" if listed else f"{self.target}: no specs or figures here yet (`tikzgen new RECIPE` writes a spec)"
        return Found(tuple(map(self._source, listed)), notice)

    def _source(self, path: Path) -> Source:
        return self._ids.setdefault(path, Source(len(self._ids), path))

    def _figures(self) -> set[Path]:
        """Specs, and .tex files that stand alone and have no spec of their name beside them."""
        with os.scandir(self.target) as entries:
            paths = [self.target / entry.name for entry in entries if entry.name[0] not in ".#"]
        specs = {path for path in paths if may_be_spec(path) and self._is_figure(path)}
        stems = {path.stem for path in specs}
        texts = {path for path in paths if path.suffix.lower() == ".tex" and path.stem not in stems}
        return specs | {path for path in texts if self._is_figure(path)}

    def _is_figure(self, path: Path) -> bool:
        """Whether its beginning says so. What is listed stays listed: it may be half written now."""
        now = stamp(path)
        if now is None:
            return False
        before = self._drawn.get(path)
        if before is None or before[0] != now:
            held = path in self._missed
            self._drawn[path] = before = (now, held or _looks_like_figure(path))
        return before[1]


def _looks_like_figure(path: Path) -> bool:
    if not path.is_file():
        return False
    if path.suffix.lower() != ".tex":
        return looks_like_spec(path)
    try:
        with path.open("rb") as opened:
            return b"{standalone}" in opened.read(_HEAD)
    except OSError:
        return False
