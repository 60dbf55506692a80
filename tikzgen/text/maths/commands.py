r"""The maths that a plain text may contain: a closed table, each entry with the package it needs.

Symbols that LaTeX declares one by one (`\alpha`, `\leq` ...) come from `data/symbols.json`; this module holds what has
arguments or a definition of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from tikzgen.text.maths.tree import Glyph, Kind, Space

__all__ = [
    "ACCENTS",
    "ALPHABETS",
    "BIGS",
    "CHARS",
    "COMPOSED",
    "DELIMITERS",
    "OPERATORS",
    "RULES",
    "SPACES",
    "STACKS",
    "STRUCTURES",
    "STYLES",
    "TALL",
    "TEXTS",
    "Alphabet",
    "Delimiter",
    "package_of",
    "symbols",
]

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
    "notin": ("rel", r"\not\in"),
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
    "surd": ("ord", r"\times"),
    "cdots": ("inner", r"{\cdotp}{\cdotp}{\cdotp}"),
    "ldots": ("inner", r"...\,"),
    "dots": ("inner", r"...\,"),
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
    "dashrightarrow": ("rel", r"\rightarrow\!-"),
    "dashleftarrow": ("rel", r"\leftarrow\!-"),
}
_COMPOSED_PACKAGES = {
    **dict.fromkeys(["iint", "iiint", "implies", "impliedby"], "amsmath"),
    **dict.fromkeys(["checkmark", "dashrightarrow", "dashleftarrow"], "amssymb"),
}
TALL: Mapping[str, float] = {"vdots": 15.5, "ddots": 8.5}  # composed symbols of a fixed height, in pt

# Names set in roman letters; True where scripts go above and below in displays.
_LOGS = "arccos arcsin arctan arg cos cosh cot coth csc deg dim exp hom ker lg ln log sec sin sinh tan tanh"
_LIMITS = "det gcd inf lim liminf limsup max min Pr sup"
OPERATORS: Mapping[str, bool] = dict.fromkeys(_LOGS.split(), False) | dict.fromkeys(_LIMITS.split(), True)


@dataclass(frozen=True, slots=True)
class Alphabet:
    """A font for letters; `covers` says which characters it has ("" for all letters and digits)."""

    package: str = ""
    covers: str = ""


_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHABETS: Mapping[str, Alphabet] = {
    "mathbf": Alphabet(),
    "mathrm": Alphabet(),
    "mathit": Alphabet(),
    "mathsf": Alphabet(),
    "mathtt": Alphabet(),
    "mathnormal": Alphabet(),
    "mathcal": Alphabet(covers=_CAPITALS),
    "mathbb": Alphabet("amssymb", _CAPITALS),
    "mathfrak": Alphabet("amssymb", _CAPITALS + _CAPITALS.lower() + "0123456789"),
    "boldsymbol": Alphabet("amsmath"),
    "bm": Alphabet("bm"),
}

ACCENTS: Mapping[str, tuple[str, int]] = {
    "hat": ("operators", 0x5E),
    "bar": ("operators", 0x16),
    "tilde": ("operators", 0x7E),
    "vec": ("letters", 0x7E),
    "dot": ("operators", 0x5F),
    "ddot": ("operators", 0x7F),
    "acute": ("operators", 0x13),
    "grave": ("operators", 0x12),
    "check": ("operators", 0x14),
    "breve": ("operators", 0x15),
    "mathring": ("operators", 0x17),
    "widehat": ("largesymbols", 0x62),
    "widetilde": ("largesymbols", 0x65),
}

RULES: Mapping[str, bool] = {"overline": True, "underline": False}  # True: over the body

SPACES: Mapping[str, Space] = {
    r"\,": Space(3),
    r"\:": Space(4),
    r"\>": Space(4),
    r"\;": Space(5),
    r"\!": Space(-3),
    r"\ ": Space(em=1 / 3),
    "~": Space(em=1 / 3),
    r"\quad": Space(em=1),
    r"\qquad": Space(em=2),
    r"\enspace": Space(em=0.5),
    r"\thinspace": Space(3),
}

STYLES: Mapping[str, Literal["display", "text", "script", "scriptscript"]] = {
    "displaystyle": "display",
    "textstyle": "text",
    "scriptstyle": "script",
    "scriptscriptstyle": "scriptscript",
}
BIGS = {"big": 8.5, "Big": 11.5, "bigg": 14.5, "Bigg": 17.5}  # heights in pt; \bigl, \bigr and \bigm follow from them
TEXTS = {"text": "", "textrm": "serif", "textsf": "sans", "texttt": "mono", "textbf": "bold", "textit": "italic"}
STACKS = {"overset": "amsmath", "underset": "amsmath", "stackrel": ""}
STRUCTURES: Mapping[str, str] = {
    "frac": "",
    "dfrac": "amsmath",
    "tfrac": "amsmath",
    "binom": "amsmath",
    "sqrt": "",
    "left": "",
    "right": "",
    "middle": "",
    "operatorname": "amsmath",
    "limits": "",
    "nolimits": "",
}


@dataclass(frozen=True, slots=True)
class Delimiter:
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


@cache
def symbols() -> Mapping[str, tuple[Glyph, str, bool]]:
    """Every declared symbol: its character, its package, and whether a maths alphabet changes it (`\\Gamma`)."""
    tables = json.loads(files("tikzgen.text").joinpath("data/symbols.json").read_text("ascii"))
    found: dict[str, tuple[Glyph, str, bool]] = {}
    for package, table in tables.items():
        for name, (kind, font, code) in table.items():
            varies = kind == "alpha"
            glyph = Glyph(font, code, "ord" if varies else kind, limits=kind == "op")
            found.setdefault(name, (glyph, package, varies))
    return found


def package_of(name: str) -> str | None:
    """The package of a maths command, "" if it needs none, None if the table does not have it."""
    if name in TEXTS:
        return "amsmath"
    for packages in (STACKS, STRUCTURES):
        if name in packages:
            return packages[name]
    if name in ALPHABETS:
        return ALPHABETS[name].package
    if name in COMPOSED:
        return _COMPOSED_PACKAGES.get(name, "")
    stem = name[:-1] if name[-1:] in "lrm" else name
    if stem in BIGS or "\\" + name in SPACES:
        return ""
    if any(name in table for table in (OPERATORS, ACCENTS, RULES, STYLES)):
        return ""
    entry = symbols().get(name)
    return None if entry is None else entry[1]
