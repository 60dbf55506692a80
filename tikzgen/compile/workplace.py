"""Where programs work: a private folder for each job, on a disk that may be full."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import disk_usage

from tikzgen.base.errors import LatexError
from tikzgen.compile.scratch import scratch

__all__ = ["ANOTHER_DISK", "is_full", "workplace"]

ANOTHER_DISK = "make room there, or name a folder on another disk in TMPDIR"
"""The way out."""

_ROOM = 256 * 1024  # bytes, in which no figure is compiled
_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


@contextmanager
def workplace() -> Iterator[Path]:
    """A private folder for a job, gone afterwards; `LatexError` where the disk takes nothing."""
    try:
        with scratch() as folder:
            yield folder
    except OSError as error:
        if error.errno not in _ERRORS:
            raise
        reason = (error.strerror or "").lower()
        raise LatexError(f"the folder that TeX works in cannot be written: {reason}", hint=ANOTHER_DISK) from None


def is_full(folder: Path) -> bool:
    """Whether a disk is as good as full."""
    return disk_usage(folder).free < _ROOM
