"""The symbols of maths: those on the keyboard, those that LaTeX declares, those it composes, and those that grow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tikzgen.base.record import Record
from tikzgen.text.maths.tree import Glyph, Kind

__all__ = ["CHARS", "COMPOSED", "COMPOSED_PACKAGES", "DELIMITERS", "TALL", "Delimiter", "symbols"]

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

# What LaTeX builds from other symbols: the class, and what it is as wide as.
COMPOSED: Mapping[str, tuple[Kind, str]] = {
    "neq": ("rel", r"\not="),
    "ne": ("rel", r"\not="),
    "notin": ("rel", r"{\in}\!\!\!/"),
    "cong": ("rel", r"\simeq"),
    "doteq": ("rel", r"\stackrel{.}{=}"),
    "rightleftharpoons": ("rel", r"\rightharpoonup"),
    "mapsto": ("rel", r"\rightarrow"),
    "longmapsto": ("rel", r"\leftarrow\!\rightarrow"),
    "longrightarrow": ("rel", r"-\!\rightarrow"),
    "longleftarrow": ("rel", r"\leftarrow\!-"),
    "longleftrightarrow": ("rel", r"\leftarrow\!\rightarrow"),
    "Longrightarrow": ("rel", r"=\!\Rightarrow"),
    "Longleftarrow": ("rel", r"\Leftarrow\!="),
    "Longleftrightarrow": ("rel", r"\Leftarrow\!\Rightarrow"),
    "iff": ("rel", r"\;\Leftarrow\!\Rightarrow\;"),
    "hookrightarrow": ("rel", r"\lhook\!\rightarrow"),
    "hookleftarrow": ("rel", r"\leftarrow\!\rhook"),
    "bowtie": ("rel", r"\triangleright\!\triangleleft"),
    "models": ("rel", r"|\!="),
    "hbar": ("ord", "h"),
    "angle": ("ord", r"\triangle"),
    "surd": ("ord", r"{\times}|"),
    "cdots": ("inner", r"{\cdotp}\,{\cdotp}\,{\cdotp}"),
    "ldots": ("inner", r".\,.\,."),
    "dots": ("inner", r".\,.\,."),
    "ddots": ("inner", r"....."),
    "vdots": ("ord", r"."),
    "bmod": ("ord", r"\;\mathrm{mod}\;"),
    "int": ("op", r"\intop"),
    "oint": ("op", r"\ointop"),
    "iint": ("op", r"\intop\!\intop"),
    "iiint": ("op", r"\intop\!\intop\!\intop"),
    "implies": ("rel", r"\;=\!\Rightarrow\;"),
    "impliedby": ("rel", r"\;\Leftarrow\!=\;"),
    "checkmark": ("ord", r"\square"),
    "yen": ("ord", r"\square"),
    "dashrightarrow": ("rel", r"\rightarrow\!-"),
    "dashleftarrow": ("rel", r"\leftarrow\!-"),
}
COMPOSED_PACKAGES = {
    **dict.fromkeys(["iint", "iiint", "implies", "impliedby"], "amsmath"),
    **dict.fromkeys(["checkmark", "yen", "dashrightarrow", "dashleftarrow"], "amssymb"),
}
TALL: Mapping[str, float] = {"vdots": 15.5, "ddots": 8.5}  # composed symbols of a fixed height, in pt


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
