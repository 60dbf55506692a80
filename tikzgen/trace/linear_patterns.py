"""Regular expressions of a description, compiled by RE2, which matches in linear time.

Python's own engine tries every way to match, and an expression such as `(a|a)+$` has exponentially many. Without RE2,
which has no wheels for musl, it matches expressions with few repetitions of single characters.
"""

from __future__ import annotations

import re
from typing import Any

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.extras import how_to_install
from tikzgen.base.patterns import pattern_of

_PLAIN = pattern_of(
    r"""(?:(?:[^][\\.^$|*+?(){}]|\\[dDwWsSbB]|\\[^\w\s]|\.|\[\^?[\w./: -]+\])[*+?]?   # a character, once or repeated
      | [|^$] | \((?:\?:|\?P<[A-Za-z]\w{0,30}>)?(?![?*+]) | \)(?![*+?{]) )*""",
    re.VERBOSE,
)
_REPETITION = pattern_of(r"(?<!\\)[*+?](?![:P])")
_MAX_REPETITION_COUNT = 2
"""Maximum number of repetitions for Python's engine: the time grows with the cube of the length of a name."""


def compile_pattern(spelt: str, field: str, *, ignore_case: bool = False) -> Any:
    """Compile an expression of a field with RE2, else with Python. Raise `TikzgenError` if it is invalid."""
    try:
        import re2  # type: ignore[import-untyped]  # few figures have patterns of their own
    except ImportError:
        return _compile_plain(spelt, field, ignore_case)
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    try:
        return re2.compile(spelt, options)
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        message = f"{field}: {quote(spelt)} is not a regular expression: {said}"
        hint = "without (?=…), (?!…) and back references" if "(?" in said or "escape" in said else "as in flash|fmha"
        raise TikzgenError(message, hint=hint) from None


def _compile_plain(spelt: str, field: str, ignore_case: bool) -> Any:
    """Compile an expression with Python's engine if its time of matching is bounded."""
    if not _PLAIN.fullmatch(spelt) or len(_REPETITION.findall(spelt)) > _MAX_REPETITION_COUNT:
        raise TikzgenError(f"{field}: {quote(spelt)} needs google-re2", hint=how_to_install("patterns"))
    try:
        return re.compile(spelt, re.ASCII | (re.IGNORECASE if ignore_case else 0))
    except re.error as error:
        message = f"{field}: {quote(spelt)} is not a regular expression: {error}"
        raise TikzgenError(message, hint="as in flash|fmha") from None
