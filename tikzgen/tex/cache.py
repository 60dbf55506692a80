"""Figures that were compiled before, by content: the same source through the same programs is not compiled again."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

__all__ = ["Cache"]

_DIGEST = 32
_LIMIT_MIB = 256


class Cache:
    """A folder of results. A folder that cannot be read or written is an empty cache, never an error."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, key: str) -> bytes | None:
        """The result of that key; nothing where there is none, or where it is damaged."""
        if self.folder is None:
            return None
        try:
            held = self._place(self.folder, key).read_bytes()
        except OSError:
            return None
        data = held[_DIGEST:]
        if sha256(data).digest() != held[:_DIGEST]:
            return None
        with suppress(OSError):
            os.utime(self._place(self.folder, key))  # `prune` drops what was not used for longest
        return data

    def put(self, key: str, data: bytes) -> None:
        """Keep a result. Processes that do so at the same time do not disturb each other."""
        from tikzgen.files import write_cached

        if self.folder is None:
            return
        place = self._place(self.folder, key)
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.parent.mkdir(exist_ok=True)
            write_cached(place, sha256(data).digest() + data)

    def prune(self, limit_mib: float = _LIMIT_MIB) -> None:
        """Drop the results that were not used for longest, until the rest is within the limit."""
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
    def _place(folder: Path, key: str) -> Path:
        return folder / key[:2] / key[2:]
