"""Private folders for runs of programs: gone afterwards, and what a killed run left is swept by a later one."""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["scratch", "sweep"]

_PREFIX = "tikzgen-"
_OLD = 2 * 86400.0  # seconds; no run may take longer than one day


@contextmanager
def scratch(place: Path | None = None) -> Iterator[Path]:
    """A new folder that only this user may enter, among the system's temporary ones or in `place`."""
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def sweep(place: Path | None = None) -> None:
    """Remove the folders of runs that nobody could end: by their name, owner and age surely ours, and forgotten."""
    from shutil import rmtree

    with suppress(OSError), os.scandir(place or tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and _is_forgotten(entry):
                rmtree(entry.path, ignore_errors=True)


def _is_forgotten(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, no link to one, this user's, and old."""
    try:
        facts = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    ours = not hasattr(os, "getuid") or facts.st_uid == os.getuid()
    return stat.S_ISDIR(facts.st_mode) and ours and facts.st_mtime < time.time() - _OLD
