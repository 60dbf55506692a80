"""The user's files: how they are read within bounds, and the one way in which they are written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from errno import ELOOP
from pathlib import Path
from typing import BinaryIO

from tikzgen.base.atomic_writes import UNKNOWN, Change, draft_name, make_changes, open_plain, refusing, sweep
from tikzgen.base.errors import FileRefused
from tikzgen.base.folders import Folder, hold

MAX_BYTES = 8_000_000
"""No spec, figure or metadata is larger."""
FORMATS = ("pdf", "png", "svg")
"""What figures are built as, by the suffixes of their files."""

_root: ContextVar[Path | None] = ContextVar("root", default=None)
_asked: ContextVar[dict[str, int | None] | None] = ContextVar("asked", default=None)


@contextmanager
def noting_files() -> Iterator[dict[str, int | None]]:
    """Inside, the dictionary takes every file that this module reads or looks for: where it really stands, and when it
    was last changed, in ns; None for one that is not there."""
    files: dict[str, int | None] = {}
    token = _asked.set(files)
    try:
        yield files
    finally:
        _asked.reset(token)


def changed_at(path: str) -> int | None:
    """When a file was last changed, in ns; None for one that is not there."""
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError):
        return None


def note_file(path: Path) -> None:
    """What is read next is this file; it is noted as it stands now."""
    files = _asked.get()
    if files is not None:
        place = os.path.realpath(path)
        files.setdefault(place, changed_at(place))


def is_there(path: Path) -> bool:
    """Whether there is such a file."""
    note_file(path)
    return path.is_file()


@contextmanager
def staying_in(folder: Path) -> Iterator[None]:
    """Inside, this module reads and writes nothing outside of `folder`, wherever links lead: `FileRefused`."""
    token = _root.set(Path(os.path.realpath(folder)))
    try:
        yield
    finally:
        _root.reset(token)


def open_file(path: Path) -> BinaryIO:
    """A file, to read its bytes; `OSError` if it cannot be opened."""
    note_file(path)
    root = _root.get()
    if root is None:
        return path.open("rb")
    place = Path(os.path.realpath(path))
    if not place.is_relative_to(root):
        raise FileRefused(f"{path}: lies outside {root}")
    folder = Folder(place.parent)
    try:
        return open_plain(folder, place.name)
    finally:
        folder.close()


def read_bounded(path: Path, *, plain: bool = False) -> bytes:
    """What a file holds; `OSError` if it cannot be read, or holds more than `MAX_BYTES` (a link to /dev/zero does).

    With `plain`, what is no file is refused, too: a pipe beside a figure would be waited for without end.
    """
    if plain and path.exists() and not path.is_file():
        raise OSError(f"{path} is no file")
    with open_file(path) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(f"larger than {MAX_BYTES // 1_000_000} MB")
    return data


def write_file(path: Path, data: bytes) -> bool:
    """Make one file hold `data`, as `write_files` does."""
    return write_files({path: data})


def write_files(contents: Mapping[Path, bytes], *, expect: Mapping[Path, str | None] | None = None) -> bool:
    """Make files hold what `contents` says, all of them or none; whether that took a write. `FileRefused` if not.

    `expect` gives the SHA-256 of what a file held when it was read, in hexadecimal, or nothing where there was no file:
    one that changed since is not replaced. A reader sees the old file or the new one, and so does who looks after a
    crash: the drafts are on the disk before the first of them is moved. A file keeps its mode, one that holds its data
    already is left alone, and so is what is no plain file. A link stays a link, and is followed to a file of the
    same kind in its own folder only: in a stranger's folder, `fig.pdf` may lead to anything of the reader's.
    Folders that are missing are made.
    """
    with ExitStack() as stack:
        places = {path: _place(path) for path in contents}
        folders: dict[Path, Folder] = {}
        for path, place in sorted(places.items(), key=lambda pair: pair[1].parent):  # outer ones first, as everybody
            with refusing(path):
                folders[place.parent] = stack.enter_context(hold(place.parent))
        for folder in folders.values():
            sweep(folder)
        found = [Change(path, places[path].name, folders[places[path].parent], contents[path]) for path in contents]
        changes = [each for each in found if each.differs((expect or {}).get(each.path, UNKNOWN))]
        make_changes(changes)
        return bool(changes)


def _place(path: Path) -> Path:
    """Where a file really stands, its folder made; `FileRefused` where that is none of its folder's business."""
    with refusing(path):
        place, root = Path(os.path.realpath(path)), _root.get()
        if path.is_symlink():
            if place.is_symlink():
                raise OSError(ELOOP, "links lead in a circle")
            away = "" if place.is_relative_to(os.path.realpath(path.parent)) else "outside its folder"
            away = away or ("a file of another kind" if place.suffix != path.suffix else "")
            if away:
                message = f"{path}: is a link to {place}, {away}, so it is left alone"
                raise FileRefused(message, hint="remove the link, or use -o")
        if root is not None and not place.is_relative_to(root):
            raise FileRefused(f"{path}: lies outside {root}")
        place.parent.mkdir(parents=True, exist_ok=True)
        return place


def write_cached(path: Path, data: bytes) -> None:
    """Write what can be made again: whole or not at all, and nothing more. `OSError` if not.

    The disk is not waited for: after a crash such a file may be damaged, and who reads it has to tell.
    """
    draft = path.with_name(draft_name())
    try:
        with draft.open("xb") as file:
            file.write(data)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
