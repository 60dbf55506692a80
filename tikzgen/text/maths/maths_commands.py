r"""The maths that a plain text may contain: a closed table, each entry with the package it needs.

Symbols (`\alpha`, `\leq` ...) are in `symbols`, brackets in `delimiters`; here is what has arguments, and spaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from tikzgen.base.record import Record
from tikzgen.text.maths.symbols import COMPOSED, COMPOSED_PACKAGES, symbols
from tikzgen.text.maths.tree import Space

# Names set in roman letters; True where scripts go above and below in displays.
_LOGS = "arccos arcsin arctan arg cos cosh cot coth csc deg dim exp hom ker lg ln log sec sin sinh tan tanh"
_LIMITS = "det gcd inf lim liminf limsup max min Pr sup"
OPERATORS: Mapping[str, bool] = dict.fromkeys(_LOGS.split(), False) | dict.fromkeys(_LIMITS.split(), True)


class Alphabet(Record):
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
    "operatorname": Alphabet("amsmath", _CAPITALS + _CAPITALS.lower() + "0123456789"),
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
PHANTOMS = {"phantom": (True, True), "hphantom": (True, False), "vphantom": (False, True)}
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
        return COMPOSED_PACKAGES.get(name, "")
    stem = name[:-1] if name[-1:] in "lrm" else name
    if stem in BIGS or "\\" + name in SPACES:
        return ""
    if any(name in table for table in (OPERATORS, ACCENTS, RULES, STYLES)):
        return ""
    entry = symbols().get(name)
    return None if entry is None else entry[1]


def known() -> Iterator[str]:
    """The names of all commands, without their backslashes."""
    tables = (symbols(), COMPOSED, OPERATORS, ALPHABETS, ACCENTS, RULES, STYLES, STACKS, STRUCTURES, BIGS, TEXTS)
    for table in tables:
        yield from table
    yield from (stem + side for stem in BIGS for side in "lrm")
    yield from (name[1:] for name in SPACES if name[0] == "\\")
