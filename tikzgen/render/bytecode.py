"""Templates are compiled once: their bytecode lies in the user's cache folder, as Python's own lies in __pycache__."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.metadata import version

from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket

from tikzgen.tex.cache import cache_folder, cache_key

__all__ = ["bytecode_cache"]


class _Bytecode(FileSystemBytecodeCache):
    """A folder that cannot be written holds nothing; that is slower, and never an error."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def bytecode_cache(syntax: str) -> FileSystemBytecodeCache | None:
    """The cache for templates of this syntax; nothing where this user has no cache folder.

    An entry tells by itself whether it fits its template's text; all else that it depends on names the folder.
    """
    base = cache_folder()
    if base is None:
        return None
    folder = base / "templates" / cache_key(str(sys.implementation.cache_tag), version("jinja2"), syntax)[:16]
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _Bytecode(str(folder), "%s")
    return None
