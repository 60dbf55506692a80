"""The brackets that `\\left`, `\\big` and their like can make larger."""

from __future__ import annotations

from collections.abc import Mapping

from tikzgen.base.record import Record
from tikzgen.text.maths.symbols import CHARS
from tikzgen.text.maths.tree import Glyph

__all__ = ["DELIMITERS", "Delimiter"]


class Delimiter(Record):
    """A bracket: its usual character, and where its larger forms begin in the extension font."""

    small: Glyph
    large: int


def _delimiters() -> dict[str, Delimiter]:
    table = {
        "(": (CHARS["("], 0x00),
        ")": (CHARS[")"], 0x01),
        "[": (CHARS["["], 0x02),
        "]": (CHARS["]"], 0x03),
        "<": (Glyph("symbols", 0x68, "open"), 0x0A),
        ">": (Glyph("symbols", 0x69, "close"), 0x0B),
        "/": (Glyph("operators", 0x2F), 0x0E),
        "|": (CHARS["|"], 0x0C),
        r"\|": (CHARS[r"\|"], 0x0D),
        r"\{": (CHARS[r"\{"], 0x08),
        r"\}": (CHARS[r"\}"], 0x09),
        r"\vert": (CHARS["|"], 0x0C),
        r"\Vert": (CHARS[r"\|"], 0x0D),
        r"\lbrace": (CHARS[r"\{"], 0x08),
        r"\rbrace": (CHARS[r"\}"], 0x09),
        r"\langle": (Glyph("symbols", 0x68, "open"), 0x0A),
        r"\rangle": (Glyph("symbols", 0x69, "close"), 0x0B),
        r"\lfloor": (Glyph("symbols", 0x62, "open"), 0x04),
        r"\rfloor": (Glyph("symbols", 0x63, "close"), 0x05),
        r"\lceil": (Glyph("symbols", 0x64, "open"), 0x06),
        r"\rceil": (Glyph("symbols", 0x65, "close"), 0x07),
        r"\uparrow": (Glyph("symbols", 0x22, "rel"), 0x78),
        r"\downarrow": (Glyph("symbols", 0x23, "rel"), 0x79),
        r"\updownarrow": (Glyph("symbols", 0x6C, "rel"), 0x3F),
        r"\Uparrow": (Glyph("symbols", 0x2A, "rel"), 0x7E),
        r"\Downarrow": (Glyph("symbols", 0x2B, "rel"), 0x7F),
        r"\Updownarrow": (Glyph("symbols", 0x6D, "rel"), 0x77),
        r"\backslash": (Glyph("symbols", 0x6E), 0x0F),
    }
    return {name: Delimiter(small, large) for name, (small, large) in table.items()}


DELIMITERS: Mapping[str, Delimiter] = _delimiters()
