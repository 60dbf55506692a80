"""Regular expressions of a description, compiled by RE2, which matches in linear time.

Python's own engine tries every way to match, and an expression such as `(a|a)+$` has exponentially many.
"""

from __future__ import annotations

from typing import Any

from tikzgen.base.errors import TikzgenError, quote


def compile_pattern(spelt: str, field: str, *, ignore_case: bool = False) -> Any:
    """Compile an expression of a field with RE2. Raise `TikzgenError` if it is invalid."""
    try:
        import re2  # type: ignore[import-untyped]  # few figures have patterns of their own
    except ImportError:
        message = f"{field}: regular expressions are matched by google-re2"
        raise TikzgenError(message, hint="pip install google-re2") from None
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
