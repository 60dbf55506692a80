"""TeX commands of running text that the measurement knows, and a reader for their arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import PT_PER_BP, PT_PER_CM, PT_PER_IN
from tikzgen.text.metrics.fonts import LabelFont

TOKEN = pattern_of(
    r"\\\\\*?(?:\[[^\]]*\])?(?:\{\})?\s*"  # line break, with ignored whitespace after it
    r"|\\(?P<word>[A-Za-z]+)\s*|\\(?P<sign>.)|(?P<blank>\s+)|(?P<run>[!-#'-[\]^_`a-z@|]+)|(?P<other>.)",
    re.DOTALL,
)
_OPTION = pattern_of(r"\s*\[([^\]]*)\]")
_LENGTH = pattern_of(r"\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*(em|ex|pt|bp|pc|mm|cm|in)\s*")


class Cursor:
    """Position in TeX source, which advances with each read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    @property
    def remainder(self) -> str:
        """Source after the position."""
        return self.source[self.at :]

    def read_argument(self) -> str:
        """Read the next argument: a group without its braces, a command, or a character."""
        while self.source.startswith(" ", self.at):
            self.at += 1
        match = TOKEN.match(self.source, self.at)
        if match is None:
            return ""
        begin = self.at
        if match["other"] != "{":
            self.at = begin + 1 if match["run"] else match.end()
            return self.source[begin : self.at]
        depth = 0
        while match is not None:
            depth += {"{": 1, "}": -1}.get(match["other"] or "", 0)
            self.at = match.end()
            if depth == 0:
                break
            match = TOKEN.match(self.source, self.at)
        return self.source[begin + 1 : self.at - 1]

    def read_option(self) -> str | None:
        """Read the next argument in brackets; None if it is missing."""
        match = _OPTION.match(self.source, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[1]

    def skip_options(self) -> None:
        """Skip all arguments in brackets."""
        while self.read_option() is not None:
            pass

    def bare_length(self) -> str:
        """Read a length without braces; empty if it is missing."""
        match = _LENGTH.match(self.source, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]


def convert_to_points(length: str, font: LabelFont) -> float | None:
    """Return a length in pt, in a font; None for a length that only TeX knows."""
    found = _LENGTH.fullmatch(length)
    if found is None:
        return None
    unit = {"em": font.face.read_parameter(6), "ex": font.face.read_parameter(5)}
    return float(found[1]) * (unit.get(found[2]) or DIMENSION[found[2]])


def _parse_pairs(table: str) -> dict[str, str]:
    """Return a mapping from entries `key:value`."""
    return dict(entry.split(":") for entry in table.split())


_TABLES: Mapping[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "text_commands.json").read_text("ascii"))

SYMBOLS: Mapping[str, tuple[str, str]] = {name: (font, char) for name, (font, char) in _TABLES["symbols"].items()}
"""Commands for one character: its font ("" for the font of the text) and its code. If pdfLaTeX's fonts lack a
character, the table has a substitute of the same width; `GROWN_ACCENTS` lists the exceptions."""

# Accents above, with their codes in OT1 fonts; the base keeps its width.
ACCENTS: Mapping[str, str] = dict(zip("`'vu=r", map(chr, range(0x12, 0x18)), strict=True)) | {
    "^": "\x5e",
    ".": "\x5f",
    "H": "\x7d",
    "~": "\x7e",
    '"': "\x7f",
}
ACCENTS_BELOW = frozenset({*"cdbk", "textcommabelow"})  # accents below

GROWN_ACCENTS: Mapping[str, tuple[float, float, float]] = {
    name: (x, y, z) for name, (x, y, z) in _TABLES["grown"].items()
}
"""Additional sizes of characters in XeLaTeX's and LuaLaTeX's Latin Modern fonts, and in T1 fonts of a paper.

They are relative to pdfLaTeX's OT1 fonts, and also apply to characters that pdfLaTeX borrows from T1 fonts. Each
value is the maximum additional width, height and depth in em, for sizes from 6 to 12 pt, sans and serif, medium and
bold."""
KERNS: Mapping[str, float] = {  # in em of the text; they are kept at line ends
    ",": 1 / 6,
    "thinspace": 1 / 6,
    ";": 5 / 18,
    ":": 4 / 18,
    "!": -1 / 6,
    "enspace": 0.5,
}
SKIPS: Mapping[str, float] = {"quad": 1.0, "qquad": 2.0}
_FOR_AN_ARGUMENT = """textbf:bold textit:italic textsl:italic emph:italic textrm:serif textsf:sans texttt:mono
textup:upright textmd:medium textnormal:medium"""
_FOR_THE_GROUP = """bfseries:bold itshape:italic slshape:italic em:italic rmfamily:serif sffamily:sans ttfamily:mono
upshape:upright mdseries:medium"""
FONTS: Mapping[str, tuple[str, bool]] = {  # style, and whether it applies to the end of the group
    name: (style, lasts)
    for table, lasts in ((_FOR_AN_ARGUMENT, False), (_FOR_THE_GROUP, True))
    for name, style in _parse_pairs(table).items()
}
SIZES: Mapping[str, float] = _TABLES["sizes"]
DIMENSION: Mapping[str, float] = {  # pt
    "pt": 1.0,
    "bp": PT_PER_BP,
    "pc": 12.0,
    "mm": PT_PER_CM / 10,
    "cm": PT_PER_CM,
    "in": PT_PER_IN,
}
