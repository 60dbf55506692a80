"""Exclusive access to a folder: opened and locked once, with its files addressed relative to it.

The lock is a lock of the operating system on the folder itself. It adds no file to the user's folder, and ends with
the process. Some systems cannot lock folders (Windows, some network file systems). The lock is then a file in the
user's cache folder, which excludes processes on this machine only.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from errno import EBADF, EINVAL, ENOTSUP
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep

from tikzgen.base.errors import FileRefused
from tikzgen.base.version_and_cache_folder import cache_folder

if sys.platform == "win32":
    import msvcrt
elif sys.platform != "emscripten":
    import fcntl


LOCK_SECONDS = 30.0
"""Longest wait for another process's lock of a folder, in seconds."""

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


class Folder:
    """Open folder. Paths from `at(name)` with `fd` stay in this folder, even if links that led to it change.

    `fd` does not exist (None) on systems that cannot open folders (Windows): calls then use full paths. `alone` is
    True if the lock excludes writers on all machines.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.alone = False
        try:
            self.fd = _open_folder(path)
        except PermissionError:
            self.fd = None

    def spell_entry_path(self, name: str) -> str:
        """Return the name of a file for a call with `dir_fd=folder.fd`."""
        return name if self.fd is not None else str(self.path / name)

    def list_entries(self) -> list[str]:
        """Return the names of the entries of the folder."""
        return os.listdir(self.path if self.fd is None else self.fd)  # noqa: PTH208  # pathlib knows no descriptors

    def sync(self) -> None:
        """Wait until the names in the folder are on the disk, if the system supports this."""
        try:
            if self.fd is not None:
                os.fsync(self.fd)
        except OSError as error:
            if error.errno not in (EBADF, EINVAL, ENOTSUP):
                raise

    def close(self) -> None:
        """Close the folder."""
        if self.fd is not None:
            os.close(self.fd)


def _open_folder(path: Path) -> int | None:
    """Open a resolved path step by step. Raise `OSError` if a part was replaced by a link."""
    if not hasattr(os, "O_PATH"):
        return os.open(path, _FOLDER)
    at = os.open(path.anchor, os.O_PATH | _FOLDER)
    try:
        for part in path.parts[1:]:
            deeper = os.open(part, os.O_PATH | _FOLDER | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = deeper
        return os.open(".", _FOLDER, dir_fd=at)
    finally:
        os.close(at)


class _Held(threading.local):
    """Folders that this thread has locked."""

    def __init__(self) -> None:
        self.folders: dict[Path, Folder] = {}


_held = _Held()


@contextmanager
def lock_resolved_folder(path: Path) -> Iterator[Folder]:
    """Lock a folder, given by its resolved path; reentrant within a thread.

    Raise `FileRefused` after `LOCK_SECONDS` of waiting.
    """
    if path in _held.folders:
        yield _held.folders[path]
        return
    folder = Folder(path)
    try:
        with _lock(folder):
            _held.folders[path] = folder
            try:
                yield folder
            finally:
                del _held.folders[path]
    finally:
        folder.close()


@contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Lock the folder of a file while the file is read and written.

    A missing folder is not locked: reading or writing the file reports the reason.
    """
    with ExitStack() as stack:
        with suppress(OSError, ValueError):
            stack.enter_context(lock_resolved_folder(Path(os.path.realpath(path)).parent))
        yield


@contextmanager
def _lock(folder: Folder) -> Iterator[None]:
    stand_in = None
    try:
        folder.alone = folder.fd is not None and sys.platform != "win32" and _wait(folder.fd, folder.path)
    except OSError:  # this file system does not lock folders
        folder.alone = False
    try:
        if not folder.alone and (stand_in := _stand_in(folder.path)) is not None:
            with suppress(OSError):
                _wait(stand_in, folder.path)
        yield
    finally:
        if stand_in is not None:
            os.close(stand_in)
        if folder.alone and folder.fd is not None and sys.platform not in ("win32", "emscripten"):
            fcntl.flock(folder.fd, fcntl.LOCK_UN)  # a child process may have inherited the descriptor


def _wait(handle: int, folder: Path) -> bool:
    """Wait for the lock and take it. Raise `OSError` if the file system does not support locks."""
    end, pause = monotonic() + LOCK_SECONDS, 0.001
    while not _try_lock(handle):
        if monotonic() > end:
            message = f"{folder}: another tikzgen has been at work in this folder for {LOCK_SECONDS:g} s"
            raise FileRefused(message, hint="wait for it to end, or end it")
        sleep(pause)
        pause = min(2 * pause, 0.05)
    return True


def _try_lock(handle: int) -> bool:
    if sys.platform == "win32":
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
    if sys.platform == "emscripten":
        return True  # a browser runs one process only
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _stand_in(folder: Path) -> int | None:
    """Open a lock file in the user's cache folder for a folder without locks; None without a cache."""
    cache = cache_folder()
    if cache is None:
        return None
    with suppress(OSError):
        (cache / "locks").mkdir(mode=0o700, parents=True, exist_ok=True)
        name = sha256(os.fsencode(folder)).hexdigest()[:32]
        return os.open(cache / "locks" / name, os.O_RDWR | os.O_CREAT, 0o600)
    return None
