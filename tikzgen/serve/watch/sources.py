"""Watched figures, of one file or a folder, and the changes that the system reports."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

from watchfiles import watch

from tikzgen.base.errors import describe_os_error
from tikzgen.base.read_files import changed_at
from tikzgen.base.record import Record
from tikzgen.spec.source import looks_like_spec, may_be_spec, stands_alone

BACKOFF_SECONDS = 0.6
"""Time in seconds for a missing file to reappear: editors write a new file and rename it."""

_QUIET_MS = 1  # ms without a change that end a batch
_BATCH_MS = 200  # ms: longest batch of changes
_LOOK_MS = 50  # ms between two checks


class Source(Record):
    """A watched file; `id` is its index in the table, and is never reused."""

    id: int
    path: Path

    def list_files(self) -> Iterator[str]:
        """Yield the files that its view always depends on: itself, and for a .tex its metadata and contract."""
        beside = (".meta.json", ".contract.json") if self.path.suffix.lower() == ".tex" else ()
        for file in (self.path, *(self.path.with_suffix(suffix) for suffix in beside)):
            yield os.path.realpath(file)


class Found(Record):
    """Current figures; `notice` is a problem with the folder, or empty."""

    sources: tuple[Source, ...]
    notice: str = ""


class Sources:
    """Table of watched files. A single file stays in it; a file of a folder stays until it is deleted."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.is_folder = target.is_dir()
        self._folder = (target if self.is_folder else target.parent).absolute()
        self._ids: dict[Path, Source] = {}
        self._seen: dict[Path, float] = {}
        self._figures: dict[Path, bool] = {}
        self._read: dict[int, Mapping[str, int | None]] = {}
        self._beyond: frozenset[Path] = frozenset()  # other folders with files that exist or may appear

    def made_from(self, id_: int, files: Mapping[str, int | None]) -> None:
        """Record the files that a view depends on, such as a house style or data, with their times of change."""
        self._read = {**self._read, id_: files}
        beyond = {Path(file).parent for file in files} - {self._folder} - self._beyond
        if beyond:
            self._beyond = self._beyond | beyond

    def is_affected(self, source: Source, changed: Collection[str]) -> bool:
        """Return whether the view of a figure depends on one of these files."""
        return not {*changed}.isdisjoint({*source.list_files(), *self._read.get(source.id, ())})

    def _changed_files(self) -> set[str]:
        """Return the paths that may have changed while no change was reported.

        They are the folder, the files of views, and the files that are not listed, because they may be figures now.
        """
        read = {file for files in self._read.values() for file, at in files.items() if changed_at(file) != at}
        others = {os.path.realpath(path) for path, is_figure in self._figures.items() if not is_figure}
        return {os.path.realpath(self._folder)} | read | others

    def watch_changes(self, over: Event) -> Iterator[Collection[str] | None]:
        """Yield the changed files, repeatedly until it is `over`; None if any file may have changed.

        The first result equals None, as does the result after the folder disappears or returns. The system reports
        changes; if it cannot, they are polled.
        """
        shown = False  # whether the missing folder was reported
        more = False  # whether folders were added, of which changes may be missing
        how: dict[str, Any] = {"watch_filter": None, "recursive": False, "stop_event": over, "yield_on_timeout": True}
        how |= {"step": _QUIET_MS, "debounce": _BATCH_MS, "rust_timeout": _LOOK_MS}
        while not over.is_set():
            try:
                known, beyond = 0, self._beyond
                for found in watch(*self._list_folders(), **how):
                    now = self._folder.stat().st_ino
                    told = {os.path.realpath(path) for _, path in found}
                    yield told if known else {*told, *self._changed_files()} if more else None
                    known, shown, more = known or now, False, self._beyond is not beyond
                    if more or known != now or any(path == str(self._folder) for _, path in found):
                        break  # another folder has its name, or folders were added
            except FileNotFoundError:
                if not shown:
                    yield None
                shown = True
                over.wait(_LOOK_MS / 1000)
            except (OSError, RuntimeError):  # the system has no more watches
                how["force_polling"] = True

    def _list_folders(self) -> set[Path]:
        """Return the folders of the files, with the targets of links."""
        links = {each.resolve().parent for each in self._folder.iterdir() if each.is_symlink()}
        others = {folder for folder in links | self._beyond if folder.is_dir() and os.access(folder, os.R_OK)}
        return {self._folder, *others}

    def look(self, changed: Collection[str] | None) -> Found:
        """Return the current figures by name; `changed` are the files that changed since the last call."""
        if not self.is_folder:
            return Found((self._find_source(self.target),))
        try:
            present = self._find_figures(changed)
        except OSError as error:
            self._seen.clear()
            return Found((), f"{self.target}: {describe_os_error(error)}; it is shown when it is back")
        now = monotonic()
        self._seen.update(dict.fromkeys(present, now))
        self._seen = {path: last for path, last in self._seen.items() if now - last <= BACKOFF_SECONDS}
        notice = (
            "" if self._seen else f"{self.target}: no specs or figures here yet (`tikzgen new RECIPE` writes a spec)"
        )
        return Found(tuple(map(self._find_source, sorted(self._seen))), notice)

    @property
    def has_missing(self) -> bool:
        """Whether a listed figure was missing at the last look."""
        return len(set(self._seen.values())) > 1

    def _find_source(self, path: Path) -> Source:
        return self._ids.setdefault(path, Source(len(self._ids), path))

    def _find_figures(self, changed: Collection[str] | None) -> set[Path]:
        """Return specs, and standalone .tex files without a spec of the same name."""
        with os.scandir(self.target) as entries:
            paths = [self.target / entry.name for entry in entries if entry.name[0] not in ".#"]
        for path in paths:
            if changed is None or os.path.realpath(path) in changed:
                self._figures.pop(path, None)
        specs = {path for path in paths if may_be_spec(path) and self._is_figure(path)}
        stems = {path.stem for path in specs}
        texts = {path for path in paths if path.suffix.lower() == ".tex" and path.stem not in stems}
        return specs | {path for path in texts if self._is_figure(path)}

    def _is_figure(self, path: Path) -> bool:
        """Return whether a file begins as a figure. A listed one stays listed, even if half written now."""
        if path not in self._figures:
            self._figures[path] = path in self._seen or (path.is_file() and _begins_well(path))
        return self._figures[path]


def _begins_well(path: Path) -> bool:
    return stands_alone(path) if path.suffix.lower() == ".tex" else looks_like_spec(path)
