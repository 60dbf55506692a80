"""The secret in the address of the page: other users of this machine may knock at the port, and do not know it.

It stands in the path and not in a cookie, for a browser gives the cookies of 127.0.0.1 to whoever listens on another
port of it. It is made from a secret of the user's in the cache folder and from the port, so that a page that is open
finds its way back when the server is started again.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from hashlib import sha256
from hmac import HMAC, compare_digest
from pathlib import Path
from secrets import token_bytes, token_urlsafe

from tikzgen.base.shipped import cache_folder

__all__ = ["Keys"]

_BYTES = 32
_FILE = "watch.key"


class Keys:
    """The keys of one server: `lasting` is the address's own, `once()` makes one that is good for one visit."""

    def __init__(self, port: int) -> None:
        secret = _secret(cache_folder())
        self.lasting = HMAC(secret, f"tikzgen watch {port}".encode(), sha256).hexdigest()[:32]
        self._once: set[str] = set()

    def once(self) -> str:
        """A key to open a browser with: what a program is started with can be read by all users."""
        key = token_urlsafe(24)
        self._once.add(key)
        return key

    def fits(self, given: str) -> bool:
        """Whether that is the lasting key."""
        return compare_digest(given.encode("utf-8", "replace"), self.lasting.encode())

    def spent(self, given: str) -> bool:
        """Whether that was a key for one visit, which this is."""
        with suppress(KeyError):
            self._once.remove(given)
            return True
        return False


def _secret(folder: Path | None) -> bytes:
    """The user's secret, made where there is none; one for this start where it cannot be kept from others."""
    fresh = token_bytes(_BYTES)
    if folder is None:
        return fresh
    path = folder / _FILE
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if held := _held(path):
            return held
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(fresh)
    return _held(path) or fresh  # another start may have been quicker


def _held(path: Path) -> bytes:
    """The secret in a file that is a plain one and that nobody else can read; empty where it is not so."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(file.fileno())
            private = os.name != "posix" or (facts.st_uid == os.getuid() and not facts.st_mode & 0o077)
            if stat.S_ISREG(facts.st_mode) and private and facts.st_size == _BYTES:
                return file.read(_BYTES)
    return b""
