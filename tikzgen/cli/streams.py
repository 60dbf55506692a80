"""What is printed is UTF-8, whatever the locale: figures and JSON are, and names of files come out as they are."""

from __future__ import annotations

import codecs
import sys
from io import TextIOWrapper

__all__ = ["print_utf8"]

_ERRORS = "tikzgen.names"


def print_utf8() -> None:
    """Have this process print so.

    Where the locale's encoding is ASCII, or a name is none, Python reads the bytes of a name as surrogates: those that
    are UTF-8 together come out as the character again, and any other as an escape (`\\udcff`), which JSON knows, too.
    """
    codecs.register_error(_ERRORS, _spelt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=_ERRORS)


def _spelt(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    surrogates = error.object[error.start : error.end]
    try:
        name = surrogates.encode("utf-8", "surrogateescape")
        name.decode("utf-8")
    except UnicodeError:
        return "".join(f"\\u{ord(each):04x}" for each in surrogates), error.end
    return name, error.end
