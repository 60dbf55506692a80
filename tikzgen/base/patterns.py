"""Regular expressions that are compiled when they are first used: more than half of them are not, in one run."""

from __future__ import annotations

import re
from typing import Any, cast


def pattern_of(source: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, as far as its methods go; the functions of `re` do not take it."""
    return cast("re.Pattern[str]", _Pattern(source, flags))


class _Pattern:
    def __init__(self, source: str, flags: int) -> None:
        self._source = source, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._source), name)
        setattr(self, name, found)  # the next time it is at hand
        return found
