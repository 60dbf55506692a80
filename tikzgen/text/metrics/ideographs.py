"""Chinese characters: the boxes that CJKutf8's gbsn fonts give them; the viewer's own font shows them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tikzgen.text.metrics.boxes import Box, Sign

__all__ = ["BOLD_SHIFT", "ideograph"]

BOLD_SHIFT = 0.015
"""em between the three copies of a character that are a bold one."""


@cache
def _pages() -> Mapping[str, Any]:
    """For each 256 characters: the heights and the depths in them, and for each character the places of its own."""
    pages: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "ideographs.json").read_text("ascii"))
    return pages


def ideograph(char: str, size: float, *, bold: bool = False) -> Box | None:
    """The box of a character at a size in pt; None where the fonts lack it. A bold one is the same one thrice."""
    page = _pages().get(f"{ord(char) >> 8:02x}")
    if page is None:
        return None
    at = 2 * (ord(char) & 255)
    code = page["chars"][at : at + 2]
    if code == "..":
        return None
    height, depth = page["heights"][int(code[0], 16)], page["depths"][int(code[1], 16)]
    unit = size / (1 << 20)
    shifts = (0.0, BOLD_SHIFT * size, 2 * BOLD_SHIFT * size) if bold else (0.0,)
    parts = tuple((shift, 0.0, Sign("", char, size)) for shift in shifts)
    return Box(size + shifts[-1], height * unit, depth * unit, 0.0, parts)
