"""Access to input files: decides which files may be read, and records every read.

A file that the user names may be anywhere, and may be a pipe. A file that another file names (`extends`, durations,
traces, the style of a configuration) must be a regular file, after links are resolved. It must be in the project of
the file that names it, or in a folder that the user allows. The project is the folder of the repository, else the
folder of the file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from tikzgen.base.atomic_writes import open_plain
from tikzgen.base.errors import FileRefused, TikzgenError, quote
from tikzgen.base.folders import Folder
from tikzgen.base.suggest import find_similar_name
from tikzgen.base.user_config import allowed_by_user, user_config_file

MAX_BYTES = 8_000_000
"""Maximum size of a spec, a figure or a metadata file, in bytes."""
MAX_NAMED_FILES = 64  # files per figure
"""Maximum number of files that the files of one figure name; streamed traces are not counted."""
MAX_BYTES_TOGETHER = 64_000_000  # bytes
"""Maximum total size of those files, in bytes."""
COMPANION_SUFFIXES = (".meta.json", ".schema.json", ".contract.json")
"""Endings of the files that tikzgen writes with figures and specs."""
_HASHED_BYTES = 16_000_000  # 16 MB. The state of a larger file is its size, time and inode, not its contents.


class NamedFileRefused(TikzgenError):
    """File named by another file and rejected; the caller knows the location of the name."""


class FilesRead:
    """Files that were read or looked for with their states before the read, and contents of named files."""

    def __init__(self) -> None:
        self.changed: dict[str, int | None] = {}
        """By real path, when a file was last changed, in ns; None for one that is not there."""
        self._states: dict[str, str] = {}
        self._held: dict[str, bytes] = {}
        self.depends_on_packages = False
        """Whether an installed package read a file: the states of files do not show changes of its code."""

    def record_file(self, place: str, data: bytes | None = None) -> None:
        """Record a file: the digest of its contents if given, else its current state."""
        self.changed.setdefault(place, changed_at(place))
        if data is not None:
            self._states[place] = sha256(data).hexdigest()
        elif place not in self._states:
            self._states[place] = state_of(place)

    def note_presence(self, place: str) -> None:
        """Record whether a path exists, independent of its contents."""
        self._states.setdefault(place, _EXISTS if os.path.lexists(place) else "")

    def note_search(self, place: str) -> None:
        """Record that a file is looked for. Reading it records its contents."""
        self.changed.setdefault(place, changed_at(place))
        self._states.setdefault(place, _EXISTS if os.path.isfile(place) else state_of(place))  # noqa: PTH113

    def read_files(self) -> list[str]:
        """List the files that were read or looked for, by resolved path."""
        return sorted(place for place in self.changed if os.path.isfile(place))  # noqa: PTH113

    def list_file_states(self) -> list[tuple[str, str]]:
        """Return the real path and the state of each file, sorted by path."""
        return sorted(self._states.items())

    def content_of(self, place: str) -> bytes | None:
        """Return the content of a named file that was read before."""
        return self._held.get(place)

    def keep_contents(self, place: str, data: bytes) -> None:
        """Keep the contents of a named file.

        Raise `NamedFileRefused` beyond `MAX_NAMED_FILES` or `MAX_BYTES_TOGETHER`.
        """
        self._held[place] = data
        if len(self._held) > MAX_NAMED_FILES:
            raise NamedFileRefused(f"names more than {MAX_NAMED_FILES} files, directly or through others")
        if sum(map(len, self._held.values())) > MAX_BYTES_TOGETHER:
            raise NamedFileRefused(f"the named files hold more than {MAX_BYTES_TOGETHER // 1_000_000} MB together")


_root: ContextVar[Path | None] = ContextVar("root", default=None)
_read: ContextVar[FilesRead | None] = ContextVar("read", default=None)
_allowed: list[Path] = []  # not in a context: threads begin with an empty one


@contextmanager
def record_files() -> Iterator[FilesRead]:
    """Record every file that is read or looked for inside."""
    files = FilesRead()
    token = _read.set(files)
    try:
        yield files
    finally:
        _read.reset(token)


@contextmanager
def one_figure() -> Iterator[FilesRead]:
    """Share one record of named files within a figure; inside `record_files` or another figure, use that record."""
    current = _read.get()
    if current is not None:
        yield current
        return
    with record_files() as files:
        yield files


@contextmanager
def allow_folders(folders: Sequence[Path]) -> Iterator[None]:
    """Let the files of all threads name files in these folders."""
    _allowed.extend(each.resolve() for each in folders)
    try:
        yield
    finally:
        del _allowed[len(_allowed) - len(folders) :]


def allowed_folders() -> list[Path]:
    """Return the folders that the user allows for this run, without the user configuration."""
    return list(_allowed)


@contextmanager
def staying_in(folder: Path) -> Iterator[None]:
    """Restrict reads and writes to `folder`, after links are resolved; others raise `FileRefused`."""
    token = _root.set(Path(os.path.realpath(folder)))
    try:
        yield
    finally:
        _root.reset(token)


def folder_to_stay_in() -> Path | None:
    """Return the folder of `staying_in`."""
    return _root.get()


def changed_at(path: str) -> int | None:
    """Return the time of the last change of a file, in ns; None if the file does not exist."""
    try:
        return Path(path).stat().st_mtime_ns
    except (OSError, ValueError):
        return None


_EXISTS = "there"


def state_of(place: str) -> str:
    """Return the digest of a file; type and time of a folder or special file; empty if nothing exists.

    For a file larger than `_HASHED_BYTES`, return size, time and inode.
    """
    try:
        facts = Path(place).stat()
        if not stat.S_ISREG(facts.st_mode):
            return f"{stat.S_IFMT(facts.st_mode):o} {facts.st_mtime_ns}"
        if facts.st_size > _HASHED_BYTES:
            return f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"
        return sha256(Path(place).read_bytes()).hexdigest()
    except (OSError, ValueError):
        return ""


def is_in_state(place: str, state: str) -> bool:
    """Return whether a file is in the recorded state."""
    return os.path.lexists(place) if state == _EXISTS else state_of(place) == state


def note_file(path: Path, data: bytes | None = None) -> None:
    """Record that a file is read, with its contents if known."""
    files = _read.get()
    if files is not None:
        files.record_file(os.path.realpath(path), data)


def note_package() -> None:
    """Record that an installed package read a file."""
    files = _read.get()
    if files is not None:
        files.depends_on_packages = True


def is_there(path: Path) -> bool:
    """Return whether the file exists, and record the search."""
    files = _read.get()
    if files is not None:
        files.note_search(os.path.realpath(path))
    return path.is_file()


def open_file(path: Path) -> BinaryIO:
    """Open a file to read its bytes.

    Raise `OSError` if it cannot be opened, `FileRefused` if it is outside of the folder of `staying_in`.
    """
    root = _root.get()
    if root is None:
        return path.open("rb")
    place = Path(os.path.realpath(path))
    if not place.is_relative_to(root):
        raise FileRefused(f"{path}: is outside {root}")
    return _open_real(place)


def read_bounded(path: Path, *, plain: bool = False) -> bytes:
    """Return the contents of a file, at most `MAX_BYTES`.

    Raise `OSError` if the file is unreadable or larger, as a link to /dev/zero. With `plain`, raise it also for
    anything except a regular file, because a read from a pipe may never end.
    """
    if plain and path.exists() and not path.is_file():
        raise OSError(f"{path} is not a file")
    try:
        with open_file(path) as file:
            data = _read_all(file)
    except OSError:
        note_file(path)
        raise
    note_file(path, data)
    return data


def read_named(name: str, by: Path) -> bytes:
    """Return the contents of a file named in the file `by`, relative to the folder of `by`.

    A file is read once per figure. Raise `NamedFileRefused` as `find_named` does, if the file is unreadable, and
    beyond the limits.
    """
    place = _locate_file(name, by)
    with one_figure() as files:
        data = files.content_of(str(place))
        if data is None:
            files.note_search(str(place))
            try:
                with _open_real(place) as file:
                    data = _read_all(file)
            except OSError as error:
                raise NamedFileRefused(f"{quote(name)} cannot be read: {error.strerror or error}") from None
            files.keep_contents(str(place), data)
            files.record_file(str(place), data)
        return data


def find_named(name: str, by: Path) -> Path:
    """Return the real path of a file named in the file `by`, relative to its folder, and record its state.

    Raise `NamedFileRefused` if the file does not exist, is not a regular file, or is outside of the project of `by`
    and of the folders that the user allows.
    """
    place = _locate_file(name, by)
    note_file(place)
    return place


def _locate_file(name: str, by: Path) -> Path:
    path = by.parent / name
    place = Path(os.path.realpath(path))
    if not may_name(place, by):
        hint = "copy it into the project" + ("" if _root.get() else ", or allow its folder with --allow DIR")
        raise NamedFileRefused(f"{quote(name)} is outside the project", hint=hint)
    try:
        facts = place.stat()
    except (OSError, ValueError):
        note_file(place)  # the file may be created later
        raise NamedFileRefused(f"file {quote(name)} not found", hint=_suggest_file(path, name)) from None
    if not stat.S_ISREG(facts.st_mode):
        raise NamedFileRefused(f"{quote(name)} is not a regular file")
    return place


def project_of(file: Path) -> Path:
    """Return the folder of the repository that contains a file, else the folder of the file.

    A home folder that is a repository is not a project: a file unpacked below it must not name all files of the user.
    """
    here = Path(os.path.realpath(file.parent))
    for each in (here, *here.parents):
        if _is_repository(each):
            return here if each == Path(os.path.realpath(Path.home())) else each
    return here


def list_folders_upwards(folder: Path) -> Iterator[Path]:
    """Yield a folder and its parents, up to the root of its repository."""
    for each in (folder, *folder.parents):
        yield each
        if _is_repository(each):
            return


def _is_repository(folder: Path) -> bool:
    mark = str(folder / ".git")
    files = _read.get()
    if files is not None:
        files.note_presence(mark)
    return os.path.lexists(mark)


def may_name(place: Path, by: Path) -> bool:
    """Return whether the file `by` may name a file at this real path."""
    root = _root.get()
    if root is not None and not place.is_relative_to(root):
        return False
    if place.is_relative_to(project_of(by)) or any(place.is_relative_to(folder) for folder in _allowed):
        return True
    config = user_config_file()
    if config is None:
        return False
    note_file(config)
    return any(place.is_relative_to(folder) for folder in allowed_by_user(config))


def _suggest_file(path: Path, name: str) -> str:
    try:
        beside = sorted(each.name for each in path.parent.iterdir() if each.suffix == path.suffix)
    except (OSError, ValueError):
        beside = []
    found = find_similar_name(path.name, beside)
    return f"did you mean {quote(str(Path(name).with_name(found)))}?" if found else ""


def _open_real(place: Path) -> BinaryIO:
    """Open a regular file by its real path without following links created since; raise `OSError` otherwise."""
    folder = Folder(place.parent)
    try:
        return open_plain(folder, place.name)
    finally:
        folder.close()


def _read_all(file: BinaryIO) -> bytes:
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(f"larger than {MAX_BYTES // 1_000_000} MB")
    return data
