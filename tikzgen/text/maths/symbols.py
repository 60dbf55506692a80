"""The symbols of maths: those on the keyboard, those that LaTeX declares, those it composes, and those that grow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tikzgen.base.record import Record
from tikzgen.text.maths.tree import Dots, Flat, Glyph, Kind, Row, Space

CHARS: Mapping[str, Glyph] = {
    "+": Glyph("operators", 0x2B, "bin"),
    "-": Glyph("symbols", 0x00, "bin"),
    "*": Glyph("symbols", 0x03, "bin"),
    "/": Glyph("letters", 0x3D),
    "=": Glyph("operators", 0x3D, "rel"),
    "<": Glyph("letters", 0x3C, "rel"),
    ">": Glyph("letters", 0x3E, "rel"),
    ":": Glyph("operators", 0x3A, "rel"),
    "(": Glyph("operators", 0x28, "open"),
    ")": Glyph("operators", 0x29, "close"),
    "[": Glyph("operators", 0x5B, "open"),
    "]": Glyph("operators", 0x5D, "close"),
    "|": Glyph("symbols", 0x6A),
    ",": Glyph("letters", 0x3B, "punct"),
    ".": Glyph("letters", 0x3A),
    ";": Glyph("operators", 0x3B, "punct"),
    "!": Glyph("operators", 0x21, "close"),
    "?": Glyph("operators", 0x3F, "close"),
    "@": Glyph("operators", 0x40),
    r"\#": Glyph("operators", 0x23),
    r"\$": Glyph("operators", 0x24),
    r"\%": Glyph("operators", 0x25),
    r"\&": Glyph("operators", 0x26),
    r"\_": Glyph("operators", 0x2D),  # a rule of about this width
    r"\{": Glyph("symbols", 0x66, "open"),
    r"\}": Glyph("symbols", 0x67, "close"),
    r"\|": Glyph("symbols", 0x6B),
}

_EQUALS, _LEFT, _RIGHT = CHARS["="], Glyph("symbols", 0x20, "rel"), Glyph("symbols", 0x21, "rel")
_MINUS = Flat((Glyph("symbols", 0x00),))
_LEFT2, _RIGHT2 = Glyph("symbols", 0x28, "rel"), Glyph("symbols", 0x29, "rel")
_MAPS, _JOIN, _THICK = Glyph("symbols", 0x37, "rel"), Space(-3), Space(5)
_NOT_EQUAL = Row((Glyph("symbols", 0x36, "rel"), _EQUALS), "rel")
_DOT, _MIDDLE_DOT = Glyph("letters", 0x3A, "punct"), Glyph("symbols", 0x01, "punct")

# What LaTeX builds from other symbols: their parts, or the class and what it is as wide as.
COMPOSED: Mapping[str, Row | Glyph | Dots | tuple[Kind, str]] = {
    "neq": _NOT_EQUAL,
    "ne": _NOT_EQUAL,
    "mapsto": Row((_MAPS, _RIGHT), "rel"),
    "longmapsto": Row((_MAPS, _MINUS, _JOIN, _RIGHT), "rel"),
    "longrightarrow": Row((_MINUS, _JOIN, _RIGHT), "rel"),
    "longleftarrow": Row((_LEFT, _JOIN, _MINUS), "rel"),
    "longleftrightarrow": Row((_LEFT, _JOIN, _RIGHT), "rel"),
    "Longrightarrow": Row((_EQUALS, _JOIN, _RIGHT2), "rel"),
    "Longleftarrow": Row((_LEFT2, _JOIN, _EQUALS), "rel"),
    "Longleftrightarrow": Row((_LEFT2, _JOIN, _RIGHT2), "rel"),
    "iff": Row((_THICK, _LEFT2, _JOIN, _RIGHT2, _THICK), "rel"),
    "implies": Row((_THICK, _EQUALS, _JOIN, _RIGHT2, _THICK), "rel"),
    "impliedby": Row((_THICK, _LEFT2, _JOIN, _EQUALS, _THICK), "rel"),
    "hookrightarrow": Row((Glyph("letters", 0x2C, "rel"), _JOIN, _RIGHT), "rel"),
    "hookleftarrow": Row((_LEFT, _JOIN, Glyph("letters", 0x2D, "rel")), "rel"),
    "models": Row((Glyph("symbols", 0x6A, "rel"), _JOIN, _EQUALS), "rel"),
    "hbar": Row((Glyph("operators", 0x16), Space(-9), Glyph("letters", 0x68)), like="amsmath"),
    "cdots": Row((_MIDDLE_DOT,) * 3, "inner"),
    "ldots": Row((_DOT,) * 3, "inner"),
    "dots": Row((_DOT,) * 3, "inner", like="amsmath"),
    "int": Glyph("largesymbols", 0x52, "op"),
    "oint": Glyph("largesymbols", 0x48, "op"),
    "notin": ("rel", r"{\in}\!\!\!/"),
    "cong": ("rel", r"\simeq"),
    "doteq": ("rel", r"\stackrel{.}{=}"),
    "rightleftharpoons": ("rel", r"\rightharpoonup"),
    "bowtie": ("rel", r"\triangleright\!\triangleleft"),
    "angle": ("ord", r"\triangle"),
    "surd": ("ord", r"{\times}|"),
    "ddots": Dots(3.0, 1.0, "inner"),
    "vdots": Dots(4.0, 0.0),
    "bmod": ("ord", r"\;\mathrm{mod}\;"),
    "iint": ("op", r"\intop\!\intop"),
    "iiint": ("op", r"\intop\!\intop\!\intop"),
    "checkmark": ("ord", r"\square"),
    "yen": ("ord", r"\square"),
    "dashrightarrow": ("rel", r"\rightarrow\!-"),
    "dashleftarrow": ("rel", r"\leftarrow\!-"),
}
COMPOSED_PACKAGES = {
    **dict.fromkeys(["iint", "iiint", "implies", "impliedby"], "amsmath"),
    **dict.fromkeys(["checkmark", "yen", "dashrightarrow", "dashleftarrow"], "amssymb"),
}


@cache
def symbols() -> Mapping[str, tuple[Glyph, str, bool]]:
    """Every declared symbol: its character, its package, and whether a maths alphabet changes it (`\\Gamma`)."""
    tables = json.loads((Path(__file__).parents[1] / "data" / "symbols.json").read_text("ascii"))
    found: dict[str, tuple[Glyph, str, bool]] = {}
    for package, table in tables.items():
        for name, (kind, font, code) in table.items():
            varies = kind == "alpha"
            glyph = Glyph(font, code, "ord" if varies else kind, limits=kind == "op")
            found.setdefault(name, (glyph, package, varies))
    return found


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
"""The brackets that `\\left`, `\\big` and their like can make larger."""
