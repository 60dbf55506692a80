"""Where traces are: files, folders of them, and URLs, which fsspec opens (the extra `remote`)."""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, cast

from tikzgen.base.errors import FileRefused, TikzgenError, refusal, shorten
from tikzgen.base.extras import how_to_install

_TRACE = re.compile(r"\.(?:json|json\.gz|sqlite|csv|csv\.gz)\Z", re.IGNORECASE)
_REPORT = re.compile(r"\.(?:nsys-rep|qdrep|pftrace|pb)\Z", re.IGNORECASE)
_URL = re.compile(r"[a-z][a-z0-9+.:-]+://", re.IGNORECASE)
_JAX = "plugins/profile/*/*"
_BUFFER_BYTES = 1 << 20

Place = Path | str
"""A file's path, or a URL."""


def is_url(place: Place) -> bool:
    """Whether another file system than this machine's is meant.

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
    """Open it for reading; `told` hears which share was read.

    `FileRefused` where there is no such file, or what opens its URLs is not installed.
    """
    if is_url(place):
        raw: Any
        with _report_errors(place):
            raw = _fsspec().open(str(place), "rb").open()
            size = getattr(raw, "size", None) if told else None
    else:
        try:
            raw = io.FileIO(place)
        except OSError as error:
            raise FileRefused(f"{place}: cannot be read: {refusal(error)}") from None
        size = os.fstat(raw.fileno()).st_size
    return cast("BinaryIO", io.BufferedReader(_Heard(raw, size, told), _BUFFER_BYTES))


class _Heard(io.RawIOBase):
    """A file that says which share of it was read."""

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


@contextmanager
def local_copy(place: Place) -> Iterator[Path]:
    """The file on this machine: itself, or a copy for as long as it is needed."""
    if not is_url(place):
        yield Path(place)
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder, "report.sqlite")
        with _report_errors(place), open_place(place) as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target, _BUFFER_BYTES)
        yield copy


def places_in(names: Iterable[Place]) -> list[Place]:
    """The files that are named, and those in folders that may be traces, by name; a URL may hold `*`."""
    found: list[Place] = []
    for name in names:
        found += _at_url(str(name)) if is_url(name) else _in_folder(Path(name))
    return found


def _in_folder(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(each for each in path.iterdir() if each.is_file())
    traces = [each for each in files if _TRACE.search(each.name)]
    traces = traces or sorted(each for each in path.glob(_JAX) if _TRACE.search(each.name))
    return traces or [each for each in files if _REPORT.search(each.name)]


def _at_url(url: str) -> list[str]:
    with _report_errors(url):
        if "*" in url:
            system, path = _fsspec().core.url_to_fs(url)
            return [system.unstrip_protocol(each) for each in sorted(system.glob(path))]
        if url.endswith("/"):
            system, path = _fsspec().core.url_to_fs(url)
            listed = sorted(each for each in system.ls(path, detail=False) if _TRACE.search(each))
            return [system.unstrip_protocol(each) for each in listed]
    return [url]


def _fsspec() -> Any:
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError:
        raise TikzgenError("URLs of traces are opened by fsspec", hint=how_to_install("remote")) from None
    return fsspec


@contextmanager
def _report_errors(place: Place) -> Iterator[None]:
    """Convert every error of a file system to a refusal: each has errors of its own."""
    try:
        yield
    except TikzgenError:
        raise
    except ImportError as error:
        raise FileRefused(f"{spell_location(place)}: cannot be opened: {shorten(error)}") from None
    except Exception as error:
        why = refusal(error) if isinstance(error, OSError) and error.errno else shorten(error) or type(error).__name__
        raise FileRefused(f"{spell_location(place)}: cannot be read: {why}") from None
