"""Cache of results by content: equal sources and program versions reuse the stored result."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from tikzgen.base.version_and_cache_folder import PACKAGE, template_folder
from tikzgen.base.write_files import write_cached

_DIGEST_BYTES = 32
_LIMIT_MIB = 256  # MiB (1024 * 1024 bytes)


def cache_key(*parts: str) -> str:
    """Return the SHA-256 of `parts`, in order, each hashed with its length to keep parts separate."""
    digest = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


@cache
def program_key() -> str:
    """Return a key for this version of the program and its templates, both possibly edited."""
    places = (PACKAGE, template_folder())
    facts = (fact for place in places for fact in _list_file_facts(str(place)))
    return cache_key(sys.implementation.cache_tag or "", *sorted(facts))


def _list_file_facts(folder: str) -> Iterator[str]:
    """Yield path, size and modification time of each file of the program."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _list_file_facts(entry.path) if entry.name != "__pycache__" else ()
            else:
                facts = entry.stat()
                yield f"{entry.path} {facts.st_size} {facts.st_mtime_ns}"


class Cache:
    """A folder of results. A folder that cannot be read or written is an empty cache, never an error."""

    def __init__(self, folder: Path | Callable[[], Path | None] | None) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path | None:
        """Folder of the results; None if no results are stored."""
        return self._folder() if callable(self._folder) else self._folder

    def get(self, key: str) -> bytes | None:
        """Return the result for a key; None if it is missing or damaged."""
        if self.folder is None:
            return None
        try:
            held = self._path_of(self.folder, key).read_bytes()
        except OSError:
            return None
        data = held[_DIGEST_BYTES:]
        if sha256(data).digest() != held[:_DIGEST_BYTES]:
            return None
        with suppress(OSError):
            os.utime(self._path_of(self.folder, key))  # marks the use: `prune` drops the least recently used results
        return data

    def store(self, key: str, data: bytes) -> None:
        """Store a result. Other processes may store at the same time."""
        if self.folder is None:
            return
        place = self._path_of(self.folder, key)
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.parent.mkdir(exist_ok=True)
            write_cached(place, sha256(data).digest() + data)

    def get_or_make(self, make: Callable[[], bytes], *parts: str) -> bytes:
        """Return the stored result of these parts, or make and store it."""
        if self.folder is None:
            return make()
        key = cache_key(program_key(), *parts)
        data = self.get(key)
        if data is None:
            self.store(key, data := make())
        return data

    def prune(self, limit_mib: float = _LIMIT_MIB) -> None:
        """Delete the least recently used results until the rest is within the limit."""
        if self.folder is None:
            return
        held = []
        for file in self.folder.glob("??/*"):
            with suppress(OSError):
                facts = file.stat()
                held.append((facts.st_mtime_ns, facts.st_size, file))
        room = limit_mib * 1024 * 1024
        for _, size, file in sorted(held, reverse=True):
            room -= size
            if room < 0:
                with suppress(OSError):
                    file.unlink(missing_ok=True)

    @staticmethod
    def _path_of(folder: Path, key: str) -> Path:
        return folder / key[:2] / key[2:]
