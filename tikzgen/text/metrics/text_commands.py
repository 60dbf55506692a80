"""The TeX commands of running text that the measurer knows, and how their arguments are read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tikzgen.base.patterns import pattern_of
from tikzgen.plane.units import PT_PER_BP, PT_PER_CM, PT_PER_IN
from tikzgen.text.metrics.fonts import Font

TOKEN = pattern_of(
    r"\\\\\*?(?:\[[^\]]*\])?(?:\{\})?\s*"  # a line break, behind which blanks are nothing
    r"|\\(?P<word>[A-Za-z]+)\s*|\\(?P<sign>.)|(?P<blank>\s+)|(?P<run>[!-#'-[\]^_`a-z@|]+)|(?P<other>.)",
    re.DOTALL,
)
_OPTION = pattern_of(r"\s*\[([^\]]*)\]")
_LENGTH = pattern_of(r"\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*(em|ex|pt|bp|pc|mm|cm|in)\s*")


class Cursor:
    """A place in TeX text, which moves over what is read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    @property
    def remainder(self) -> str:
        """What was not read yet."""
        return self.source[self.at :]

    def argument(self) -> str:
        """The next argument: a group without its braces, a command, or a character."""
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

    def option(self) -> str | None:
        """The next argument in brackets, None where there is none."""
        match = _OPTION.match(self.source, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[1]

    def options(self) -> None:
        """Pass over all arguments in brackets."""
        while self.option() is not None:
            pass

    def bare_length(self) -> str:
        """A length that stands without braces; empty where there is none."""
        match = _LENGTH.match(self.source, self.at)
        if match is None:
            return ""
        self.at = match.end()
        return match[0]


def points(length: str, font: Font) -> float | None:
    """A length in pt, in a font; None for one that only TeX knows."""
    found = _LENGTH.fullmatch(length)
    if found is None:
        return None
    unit = {"em": font.face.parameter(6), "ex": font.face.parameter(5)}
    return float(found[1]) * (unit.get(found[2]) or DIMENSION[found[2]])


def _pairs(table: str) -> dict[str, str]:
    """Names with what stands behind their colons."""
    return dict(entry.split(":") for entry in table.split())


_AS_WIDE_AS = """dj:d DJ:D dh:o DH:D th:p TH:P ng:n NG:N texteuro:0 textsterling:0 textcurrency:0 textcent:c
textbrokenbar:l textperthousand:% textnumero:N"""  # but for what GROWN adds

# Commands that stand for one character: its font ("" for that of the text) and code.
SYMBOLS: Mapping[str, tuple[str, str]] = {
    **{char: ("", char) for char in "#%&lL"},
    "$": ("upright", "$"),
    "{": ("symbols", "\x66"),
    "}": ("symbols", "\x67"),
    "textbackslash": ("symbols", "\x6e"),
    "textbar": ("symbols", "\x6a"),
    "textless": ("letters", "<"),
    "textgreater": ("letters", ">"),
    "textasciicircum": ("", "^"),
    "textquotedblright": ("", '"'),
    "textquoteleft": ("", "`"),
    **{name: ("", chr(code)) for code, name in enumerate(["ss", "ae", "oe", "o", "AE", "OE", "O"], 0x19)},
    "i": ("", "\x10"),
    "j": ("", "\x11"),
    **{name: ("", char) for name, char in _pairs(_AS_WIDE_AS).items()},
}

# Accents above, with their codes in OT1 fonts; the base keeps its width.
ACCENTS: Mapping[str, str] = dict(zip("`'vu=r", map(chr, range(0x12, 0x18)), strict=True)) | {
    "^": "\x5e",
    ".": "\x5f",
    "H": "\x7d",
    "~": "\x7e",
    '"': "\x7f",
}
BELOW = frozenset({*"cdbk", "textcommabelow"})  # accents below

# What XeLaTeX's and LuaLaTeX's Latin Modern fonts (and T1 fonts in a paper) have larger than pdfLaTeX's OT1 fonts: how
# much wider, higher and deeper at most, in em, over sizes of 6 to 12 pt, sans and serif, medium and bold.
GROWN: Mapping[str, tuple[float, float, float]] = {
    "l": (0.126, 0, 0),
    "L": (0.092, 0, 0),
    "textless": (0.133, 0.061, 0.06),
    "textgreater": (0.133, 0.061, 0.06),
    "textbackslash": (0.076, 0, 0),
    "{": (0.076, 0, 0),
    "}": (0.076, 0, 0),
    "textbar": (0.042, 0, 0),
    "textasciicircum": (0.068, 0.051, 0),
    "v": (0, 0.08, 0.012),
    "c": (0, 0.022, 0.144),
    # what Latin Modern lends pdfLaTeX, too
    "k": (0, 0.015, 0.04),
    "dj": (0, 0.007, 0),
    "DJ": (0, 0.015, 0),
    "dh": (0, 0.306, 0),
    "DH": (0, 0.015, 0),
    "th": (0, 0.259, 0),
    "TH": (0, 0.015, 0),
    "ng": (0, 0.014, 0.223),
    "NG": (0, 0.015, 0),
    "texteuro": (0.155, 0.056, 0.01),
    "textsterling": (0.336, 0.062, 0.037),
    "textcurrency": (0.376, 0.01, 0.08),
    "textcent": (0, 0.096, 0.101),
    "textbrokenbar": (0.065, 0.076, 0.251),
    "textperthousand": (0.372, 0.014, 0.003),
    "textnumero": (0.233, 0.021, 0),
    "textcommabelow": (0, 0.02, 0.144),
}
KERNS: Mapping[str, float] = {  # in em of the text; they stay at the ends of lines
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
FONTS: Mapping[str, tuple[str, bool]] = {  # what changes, and whether it holds to the end of the group
    name: (style, lasts)
    for table, lasts in ((_FOR_AN_ARGUMENT, False), (_FOR_THE_GROUP, True))
    for name, style in _pairs(table).items()
}
SIZES: Mapping[str, float] = {
    "tiny": 5,
    "scriptsize": 7,
    "footnotesize": 8,
    "small": 9,
    "normalsize": 10,
    "large": 12,
    "Large": 14.4,
    "LARGE": 17.28,
    "huge": 20.74,
    "Huge": 24.88,
}
DIMENSION: Mapping[str, float] = {  # pt
    "pt": 1.0,
    "bp": PT_PER_BP,
    "pc": 12.0,
    "mm": PT_PER_CM / 10,
    "cm": PT_PER_CM,
    "in": PT_PER_IN,
}
