"""Names and texts that go on where the last one stopped: w3, w4 and Worker 3, Worker 4."""

from __future__ import annotations

import re
from typing import Any

from tikzgen.text import Tex

__all__ = ["next_id", "renumbered"]

_NUMBERED = re.compile(r"(.*?)([0-9]+)")
_DIGITS = re.compile(r"[0-9]+")


def next_id(ids: list[str]) -> str:
    """The id that goes on where the last one stopped: w3 → w4."""
    match = _NUMBERED.fullmatch(ids[-1])
    stem, number = (match[1], int(match[2])) if match else (ids[-1], 1)
    while f"{stem}{number}" in ids or (number == 1 and not match):
        number += 1
    return f"{stem}{number}"


def renumbered(text: Any, old: str, new: str) -> Any:
    """A text whose one number is set forward by as much as the id's."""
    before, after = _NUMBERED.fullmatch(old), _NUMBERED.fullmatch(new)
    if not (before and after and isinstance(text, str)) or isinstance(text, Tex) or len(_DIGITS.findall(text)) != 1:
        return text
    return _DIGITS.sub(lambda digits: str(int(digits[0]) + int(after[2]) - int(before[2])), text)
