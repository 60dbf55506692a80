"""A folder as one process at a time writes in it: opened once, locked while it is held, its names reached through it.

The lock is the system's own, on the folder itself: nothing lies beside the user's files, and who is killed holds
nothing. Where a folder takes no lock (Windows, some network file systems), a file in the user's cache folder stands for
it, which those on this machine share.
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
"""How long somebody else's work in a folder is waited for."""

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


class Folder:
    """An open folder. What is opened by `at(name)` and `fd` lies in it, whatever becomes of the links that led to it.

    `fd` is nothing where folders cannot be opened (Windows); names are reached by their paths then. `alone` tells that
    whoever writes in it holds it, on whatever machine.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.alone = False
        try:
            self.fd = _open_folder(path)
        except PermissionError:
            self.fd = None

    def at(self, name: str) -> str:
        """A name in it, for a call that takes `dir_fd=folder.fd`."""
        return name if self.fd is not None else str(self.path / name)

    def names(self) -> list[str]:
        """What lies in it."""
        return os.listdir(self.path if self.fd is None else self.fd)  # noqa: PTH208  # pathlib knows no descriptors

    def sync(self) -> None:
        """Wait until the names in it are on the disk, on systems that can tell."""
        try:
            if self.fd is not None:
                os.fsync(self.fd)
        except OSError as error:
            if error.errno not in (EBADF, EINVAL, ENOTSUP):
                raise

    def close(self) -> None:
        """Let go of it."""
        if self.fd is not None:
            os.close(self.fd)


def _open_folder(path: Path) -> int | None:
    """Open a resolved path step by step, so that a part that becomes a link meanwhile is an error."""
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
    """The folders that this thread holds."""

    def __init__(self) -> None:
        self.folders: dict[Path, Folder] = {}


_held = _Held()


@contextmanager
def hold(path: Path) -> Iterator[Folder]:
    """Hold a folder, by its resolved path; who holds it already goes on. `FileRefused` after `LOCK_SECONDS` of
    waiting."""
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
    """Lock the folder of a file from before it is read until it has been written.

    A folder that does not exist is not locked: reading or writing the file reports why.
    """
    with ExitStack() as stack:
        with suppress(OSError, ValueError):
            stack.enter_context(hold(Path(os.path.realpath(path)).parent))
        yield


@contextmanager
def _lock(folder: Folder) -> Iterator[None]:
    stand_in = None
    try:
        folder.alone = folder.fd is not None and sys.platform != "win32" and _wait(folder.fd, folder.path)
    except OSError:  # this file system locks no folders
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
            fcntl.flock(folder.fd, fcntl.LOCK_UN)  # a process that was started meanwhile may have the descriptor, too


def _wait(handle: int, folder: Path) -> bool:
    """Take the lock as soon as nobody else has it. `OSError` where there is none to be had."""
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
        return True  # nobody else is there, in a browser
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _stand_in(folder: Path) -> int | None:
    """A file of the user's that stands for a folder which takes no lock."""
    cache = cache_folder()
    if cache is None:
        return None
    with suppress(OSError):
        (cache / "locks").mkdir(mode=0o700, parents=True, exist_ok=True)
        name = sha256(os.fsencode(folder)).hexdigest()[:32]
        return os.open(cache / "locks" / name, os.O_RDWR | os.O_CREAT, 0o600)
    return None
