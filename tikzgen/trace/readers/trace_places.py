"""Locations of trace files: paths, and URLs, which fsspec opens (the extra `remote`)."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from tikzgen.base.errors import FileRefused, TikzgenError, describe_os_error, shorten_for_message
from tikzgen.base.extras import how_to_install

_URL = re.compile(r"[a-z][a-z0-9+.:-]+://", re.IGNORECASE)
BUFFER_BYTES = 1 << 20

Place = Path | str
"""A file's path, or a URL."""


def is_url(place: Place) -> bool:
    """Return whether a location is in another file system than that of this machine.

    >>> is_url("s3://bucket/rank0.json"), is_url("C:/rank0.json")
    (True, False)
    """
    return isinstance(place, str) and bool(_URL.match(place))


def spell_location(place: Place) -> str:
    """Spell the location for people; a URL without its query, which may be a secret, or a password.

    >>> spell_location("https://me:word@host/a/rank0.json?signature=1")
    'https://host/a/rank0.json'
    """
    return re.sub(r"(://)[^/@]*@", r"\1", str(place).partition("?")[0]) if is_url(place) else str(place)


def base_name(place: Place) -> str:
    """The last part of the name."""
    return spell_location(place).replace("\\", "/").rstrip("/").rpartition("/")[2]


def open_place(place: Place, told: Callable[[float], None] | None = None) -> BinaryIO:
    """Open a location for reading; `told` receives the share that was read.

    Raise `FileRefused` if the file does not exist, or the package for its URLs is not installed.
    """
    if is_url(place):
        raw: Any
        with report_errors(place):
            raw = open_fsspec().open(str(place), "rb").open()
            size = getattr(raw, "size", None) if told else None
    else:
        try:
            raw = io.FileIO(place)
        except OSError as error:
            raise FileRefused(f"{place}: cannot be read: {describe_os_error(error)}") from None
        size = os.fstat(raw.fileno()).st_size
    return cast("BinaryIO", io.BufferedReader(_Heard(raw, size, told), BUFFER_BYTES))


class _Heard(io.RawIOBase):
    """File that reports the share that was read."""

    def __init__(self, raw: Any, size: int | None, told: Callable[[float], None] | None) -> None:
        self._raw, self._size, self._told, self._read = raw, size, told, 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some."""
        read: int = self._raw.readinto(buffer) or 0
        self._read += read
        if self._told and self._size:
            self._told(min(1.0, self._read / self._size))
        return read

    def close(self) -> None:
        """Close the file."""
        self._raw.close()
        super().close()


def open_fsspec() -> Any:
    """Return the module fsspec. Raise `TikzgenError` if it is not installed."""
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError:
        raise TikzgenError("URLs of traces are opened by fsspec", hint=how_to_install("remote")) from None
    return fsspec


@contextmanager
def report_errors(place: Place) -> Iterator[None]:
    """Convert every error of a file system to a `FileRefused`: each file system has its own errors."""
    try:
        yield
    except TikzgenError:
        raise
    except ImportError as error:
        raise FileRefused(f"{spell_location(place)}: cannot be opened: {shorten_for_message(error)}") from None
    except Exception as error:
        why = (
            describe_os_error(error)
            if isinstance(error, OSError) and error.errno
            else shorten_for_message(error) or type(error).__name__
        )
        raise FileRefused(f"{spell_location(place)}: cannot be read: {why}") from None
