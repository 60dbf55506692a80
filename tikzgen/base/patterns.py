"""Regular expressions compiled at first use: one run uses less than half of them."""

from __future__ import annotations

import re
from typing import Any, cast


def pattern_of(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return an object with the methods of a compiled pattern; the functions of `re` do not accept it."""
    return cast("re.Pattern[str]", _Pattern(source, flags))


class _Pattern:
    def __init__(self, source: str, flags: int) -> None:
        self._source = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._source), name)
        setattr(self, name, found)  # later uses find the attribute directly
        return found
