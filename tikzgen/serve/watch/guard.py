"""Access control: requests must come from a browser on this machine and know a secret address.

Other users of this machine can reach the port, but do not know the secret. It is part of the path, not a cookie,
because a browser sends cookies of 127.0.0.1 to every port. It is derived from the port and a secret in the user's
cache folder, so that an open page reconnects after a restart of the server.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from hmac import HMAC, compare_digest
from pathlib import Path
from secrets import token_bytes, token_urlsafe

from tikzgen.base.record import Record
from tikzgen.base.version_and_cache_folder import cache_folder

BODY_BYTES = 64 * 1024
"""Maximum size of a request body, in bytes; no field needs more."""

_SECRET_BYTES = 32
_FILE = "watch.key"

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        # The script makes elements and text nodes; a string never becomes markup.
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers of every response."""


class Refusal(Record):
    """Reason to reject a request: the status of the answer, and a line."""

    status: int
    reason: str


def refused_request(headers: Mapping[str, str], port: int, path: str) -> Refusal | None:
    """Return why a request is rejected, or None.

    Foreign host names for this machine are rejected (DNS rebinding). Another site may link to the page, but may not
    load any other route.
    """
    if headers.get("host", "") not in _list_hosts(port):
        return Refusal(421, "this server answers to 127.0.0.1 and localhost only")
    if path != "/" and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return Refusal(403, "request from another site")
    return None


def refused_change(headers: Mapping[str, str], port: int, token: str) -> Refusal | None:
    """Return why a request may not change anything, or None.

    A change must come from the page of this start of the server.
    """
    host = headers.get("host", "")
    if host not in _list_hosts(port) or headers.get("origin", "") != f"http://{host}":
        return Refusal(403, "request from outside of the page")
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return Refusal(403, "request from another site")
    given = headers.get("x-tikzgen-token", "")
    if not compare_digest(given.encode("utf-8", "replace"), token.encode()):
        return Refusal(403, "the page is from an earlier start: load it again")
    return None


def refused_body(headers: Mapping[str, str]) -> Refusal | None:
    """Return why the body of a request is not read, or None."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return Refusal(415, "the body must be JSON")
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()):
        return Refusal(411, "the length of the body is missing")
    if len(length) > 9 or int(length) > BODY_BYTES:
        return Refusal(413, f"the body is larger than {BODY_BYTES} bytes")
    return None


def _list_hosts(port: int) -> tuple[str, ...]:
    return (f"127.0.0.1:{port}", f"localhost:{port}")


class Keys:
    """Keys of a server: `lasting` is in its address; `make_once_key()` returns a key that is valid for one visit."""

    def __init__(self, port: int) -> None:
        secret = _load_secret(cache_folder())
        self.lasting = HMAC(secret, f"tikzgen watch {port}".encode(), sha256).hexdigest()[:32]
        self._once: set[str] = set()

    def make_once_key(self) -> str:
        """Return a key with which to open a browser.

        It is valid once, because every user of the machine can read the arguments of a program.
        """
        key = token_urlsafe(24)
        self._once.add(key)
        return key

    def is_lasting_key(self, given: str) -> bool:
        """Return whether a key is the lasting key."""
        return compare_digest(given.encode("utf-8", "replace"), self.lasting.encode())

    def use_once(self, given: str) -> bool:
        """Return whether a key was valid for one visit, and invalidate it."""
        with suppress(KeyError):
            self._once.remove(given)
            return True
        return False


def _load_secret(folder: Path | None) -> bytes:
    """Return the user's secret, created if missing; a temporary one if it cannot be kept private."""
    fresh = token_bytes(_SECRET_BYTES)
    if folder is None:
        return fresh
    path = folder / _FILE
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if held := _read_secret(path):
            return held
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(fresh)
    return _read_secret(path) or fresh  # another start may have been quicker


def _read_secret(path: Path) -> bytes:
    """Read the secret in a regular file that no one else can read; empty otherwise."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(file.fileno())
            private = os.name != "posix" or (facts.st_uid == os.getuid() and not facts.st_mode & 0o077)
            if stat.S_ISREG(facts.st_mode) and private and facts.st_size == _SECRET_BYTES:
                return file.read(_SECRET_BYTES)
    return b""
