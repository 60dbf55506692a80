"""Who may ask for what: this machine's browser, on our own page.

Pure functions of a request's headers, by their names in small letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest

from tikzgen.base.record import Record

__all__ = ["BODY_BYTES", "HEADERS", "Refusal", "refused_body", "refused_change", "refused_request"]

BODY_BYTES = 64 * 1024
"""No field needs more."""

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        # the script makes elements and texts; a string never becomes markup
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
"""What every answer carries."""


class Refusal(Record):
    """Why not: the status of the answer, and a line."""

    status: int
    reason: str


def refused_request(headers: Mapping[str, str], port: int, path: str) -> Refusal | None:
    """Why a request is not answered at all; None where it is.

    A name that somebody else's name server points at this machine is no name of ours (DNS rebinding). Another site
    may link to the page, but it may not load anything else from here.
    """
    if headers.get("host", "") not in _hosts(port):
        return Refusal(421, "this server answers to 127.0.0.1 and localhost only")
    if path != "/" and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return Refusal(403, "another site asks for this")
    return None


def refused_change(headers: Mapping[str, str], port: int, token: str) -> Refusal | None:
    """Why a request may not change anything; None where it may: it comes from our own page, of this very start."""
    host = headers.get("host", "")
    if host not in _hosts(port) or headers.get("origin", "") != f"http://{host}":
        return Refusal(403, "this does not come from the page")
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return Refusal(403, "another site asks for this")
    given = headers.get("x-tikzgen-token", "")
    if not compare_digest(given.encode("utf-8", "replace"), token.encode()):
        return Refusal(403, "the page is of an earlier start: load it again")
    return None


def refused_body(headers: Mapping[str, str]) -> Refusal | None:
    """Why the body of a request is not read; None where it is."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return Refusal(415, "the body is to be JSON")
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdigit()):
        return Refusal(411, "the length of the body is to be told")
    if len(length) > 9 or int(length) > BODY_BYTES:
        return Refusal(413, f"the body is larger than {BODY_BYTES} bytes")
    return None


def _hosts(port: int) -> tuple[str, ...]:
    return (f"127.0.0.1:{port}", f"localhost:{port}")
