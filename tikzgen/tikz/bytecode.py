"""Templates are compiled once: their bytecode lies in the user's cache folder, as Python's own lies in __pycache__."""

from __future__ import annotations

import sys
from contextlib import suppress

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket

from tikzgen.base.cache import cache_key
from tikzgen.base.shipped import cache_folder


class _Bytecode(FileSystemBytecodeCache):
    """What cannot be read or written is compiled anew; that is slower, and never an error."""

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except Exception:  # pickle and marshal have many ways to say that a file is damaged
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def bytecode_cache(*facts: str) -> FileSystemBytecodeCache | None:
    """The cache for templates that are compiled by these facts; nothing where this user has no cache folder."""
    base = cache_folder()
    if base is None:
        return None
    folder = base / "templates" / cache_key(str(sys.implementation.cache_tag), *facts)[:16]
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _Bytecode(str(folder), "%s")
    return None
