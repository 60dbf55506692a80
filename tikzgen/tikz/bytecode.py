"""Templates are compiled once: their bytecode lies in the user's cache folder, as Python's own lies in __pycache__."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from jinja2 import FileSystemBytecodeCache, compiler
from jinja2.bccache import Bucket

from tikzgen.base.cache import cache_key
from tikzgen.base.shipped import cache_folder

__all__ = ["bytecode_cache"]


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


def bytecode_cache(syntax: str, generator: str = compiler.__name__) -> FileSystemBytecodeCache | None:
    """The cache for templates of this syntax; nothing where this user has no cache folder.

    `generator` is the module that has a say in how they are compiled, beside Jinja's own compiler.

    An entry tells by itself whether it fits its template's text; all else that it depends on names the folder.
    """
    base = cache_folder()
    if base is None:
        return None
    with suppress(OSError):
        # asking for Jinja's version would search through all installed packages
        makers = [Path(str(sys.modules[name].__file__)).stat() for name in (compiler.__name__, generator)]
        made = [f"{maker.st_mtime_ns} {maker.st_size}" for maker in makers]
        parts = (str(sys.implementation.cache_tag), *made, generator, syntax)
        folder = base / "templates" / cache_key(*parts)[:16]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _Bytecode(str(folder), "%s")
    return None
