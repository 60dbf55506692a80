"""Boxes of Chinese characters: as wide as the type size, with the heights and depths of the fonts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tikzgen.text.metrics.boxes import Sign, TextBox
from tikzgen.text.metrics.fonts import CJK_FONTS, LabelFont


@cache
def _load_ideograph_pages() -> Mapping[str, Any]:
    """Return, per page of 256 characters, the distinct heights and depths, and their index per character."""
    pages: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "ideographs.json").read_text("ascii"))
    return pages


def measure_ideograph(char: str, font: LabelFont) -> TextBox | None:
    """Return the box of a Chinese character for this font; None if the fonts lack it."""
    page = _load_ideograph_pages().get(f"{ord(char) >> 8:02x}")
    if page is None:
        return None
    at = 2 * (ord(char) & 255)
    code = page["chars"][at : at + 2]
    if code == "..":
        return None
    height, depth = page["heights"][int(code[0], 16)], page["depths"][int(code[1], 16)]
    unit, sign = font.size / (1 << 20), Sign(CJK_FONTS[font.family], char, font.size)
    return TextBox(font.size, height * unit, depth * unit, 0.0, ((0.0, 0.0, sign),))
