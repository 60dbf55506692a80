"""Private temporary folders for programs, and safe reading of the files that a job left there.

The figure may be untrusted, and the disk may be full. A later run removes the folders of killed ones.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import disk_usage, rmtree

from tikzgen.base.errors import LatexError

ANOTHER_DISK = "make room there, or name a folder on another disk in TMPDIR"
"""Hint for a full disk."""

INPUT_NAME = "figure.pdf"
OUTPUT_NAME = "made"
"""Name of the input and the output in the folder of `tikzgen.compile.sandbox.reader_process`."""

_ROOM = 256 * 1024  # bytes: less space is too little for any figure
_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
_PREFIX = "tikzgen-"
_OLD = 2 * 86400.0  # seconds; no run may take longer than one day
_ENTRY_LIMIT = 10_000
# A link from Lua code could lead to any file of the user, and reading a pipe could block.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


@contextmanager
def make_scratch_folder(place: Path | None = None) -> Iterator[Path]:
    """Make a folder that only this user may enter, among the system's temporary ones or in `place`."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def remove_old_folders(place: Path | None = None) -> None:
    """Remove old folders of killed runs: folders with tikzgen's prefix that belong to this user."""
    with suppress(OSError), os.scandir(place or tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and _is_forgotten(entry):
                rmtree(entry.path, ignore_errors=True)


def _is_forgotten(entry: os.DirEntry[str]) -> bool:
    """Return whether it is an old folder of this user, and not a link."""
    try:
        facts = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    ours = not hasattr(os, "getuid") or facts.st_uid == os.getuid()
    return stat.S_ISDIR(facts.st_mode) and ours and facts.st_mtime < time.time() - _OLD


@contextmanager
def make_workplace() -> Iterator[Path]:
    """Make a private folder for a job, removed afterwards; raise `LatexError` for a full or read-only disk."""
    try:
        with make_scratch_folder() as folder:
            yield folder
    except OSError as error:
        if error.errno not in _ERRORS:
            raise
        reason = (error.strerror or "").lower()
        raise LatexError(f"the folder that TeX works in cannot be written: {reason}", hint=ANOTHER_DISK) from None


def is_full(folder: Path) -> bool:
    """Return whether a disk has almost no space left."""
    return disk_usage(folder).free < _ROOM


def read_made(path: Path, most: int = 64 * 1024 * 1024) -> bytes:
    """Return the beginning of a file that a job made; empty if it is missing or not a regular file."""
    try:
        handle = os.open(path, _FLAGS)
    except OSError:
        return b""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return b""
    with os.fdopen(handle, "rb") as file:
        return file.read(most)


def holds_more(folder: Path, mib: int) -> bool:
    """Return whether a job has filled its folder with more than `mib` MiB, or with 10,000 entries."""
    left, entries = mib * 1024 * 1024, 0
    folders = [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as listed:
                for entry in listed:
                    entries += 1
                    left -= entry.stat(follow_symlinks=False).st_size
                    if left < 0 or entries > _ENTRY_LIMIT:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue  # removed in the meantime
    return False
