"""What a job left in its folder, read with suspicion: a stranger may have written the figure."""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["GIVEN", "MADE", "holds_more", "read_made"]

GIVEN, MADE = "figure.pdf", "made"
"""What a reader of ours (`tikzgen.compile.child`) finds in its folder, and what it leaves there."""

_ENTRIES = 10_000
# A link that Lua code left would lead anywhere among the reader's files, and a pipe would never end.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


def read_made(path: Path, most: int = 64 * 1024 * 1024) -> bytes:
    """The beginning of a file that a job made; empty where there is none, or something that is no plain file."""
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
    """Whether a job has filled its folder with more than so many MiB, or with thousands of files."""
    left, entries = mib * 1024 * 1024, 0
    folders = [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as listed:
                for entry in listed:
                    entries += 1
                    left -= entry.stat(follow_symlinks=False).st_size
                    if left < 0 or entries > _ENTRIES:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue  # gone since
    return False
