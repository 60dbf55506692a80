r"""Math commands of plain labels: symbols, delimiters, commands with arguments, and spaces.

The tables include the package that each command needs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tikzgen.base.record import Record
from tikzgen.text.maths.formula_parts import DotsPart, Flat, Glyph, Kind, RowPart, Space, StyleName

_DATA = Path(__file__).parents[1] / "data"
_TABLES: Mapping[str, Mapping[str, list[str]]] = json.loads((_DATA / "maths.json").read_text("ascii"))


def _make_glyph(font: str, code: str, kind: Kind) -> Glyph:
    return Glyph(font, int(code, 16), kind)


CHARS: Mapping[str, Glyph] = {sign: _make_glyph(*told) for sign, told in _TABLES["chars"].items()}  # type: ignore[arg-type]
"""Glyph of each character, also after a backslash. An underscore is a rule; its glyph here has about the same width."""

_EQUALS_SIGN = CHARS["="]
_LEFT_ARROW = Glyph("symbols", 0x20, "rel")
_RIGHT_ARROW = Glyph("symbols", 0x21, "rel")
_MINUS = Flat((Glyph("symbols", 0x00),))
_LEFT2 = Glyph("symbols", 0x28, "rel")
_RIGHT2 = Glyph("symbols", 0x29, "rel")
_MAPS = Glyph("symbols", 0x37, "rel")
_JOIN = Space(-3)
_THICK_SPACE = Space(5)
_NOT_EQUAL = RowPart((Glyph("symbols", 0x36, "rel"), _EQUALS_SIGN), "rel")
_DOT = Glyph("letters", 0x3A, "punct")
_MIDDLE_DOT = Glyph("symbols", 0x01, "punct")

# Commands that LaTeX builds from other symbols: their parts, or the kind and TeX of the same width.
COMPOSED_COMMANDS: Mapping[str, RowPart | Glyph | DotsPart | tuple[Kind, str]] = {
    "neq": _NOT_EQUAL,
    "ne": _NOT_EQUAL,
    "mapsto": RowPart((_MAPS, _RIGHT_ARROW), "rel"),
    "longmapsto": RowPart((_MAPS, _MINUS, _JOIN, _RIGHT_ARROW), "rel"),
    "longrightarrow": RowPart((_MINUS, _JOIN, _RIGHT_ARROW), "rel"),
    "longleftarrow": RowPart((_LEFT_ARROW, _JOIN, _MINUS), "rel"),
    "longleftrightarrow": RowPart((_LEFT_ARROW, _JOIN, _RIGHT_ARROW), "rel"),
    "Longrightarrow": RowPart((_EQUALS_SIGN, _JOIN, _RIGHT2), "rel"),
    "Longleftarrow": RowPart((_LEFT2, _JOIN, _EQUALS_SIGN), "rel"),
    "Longleftrightarrow": RowPart((_LEFT2, _JOIN, _RIGHT2), "rel"),
    "iff": RowPart((_THICK_SPACE, _LEFT2, _JOIN, _RIGHT2, _THICK_SPACE), "rel"),
    "implies": RowPart((_THICK_SPACE, _EQUALS_SIGN, _JOIN, _RIGHT2, _THICK_SPACE), "rel"),
    "impliedby": RowPart((_THICK_SPACE, _LEFT2, _JOIN, _EQUALS_SIGN, _THICK_SPACE), "rel"),
    "hookrightarrow": RowPart((Glyph("letters", 0x2C, "rel"), _JOIN, _RIGHT_ARROW), "rel"),
    "hookleftarrow": RowPart((_LEFT_ARROW, _JOIN, Glyph("letters", 0x2D, "rel")), "rel"),
    "models": RowPart((Glyph("symbols", 0x6A, "rel"), _JOIN, _EQUALS_SIGN), "rel"),
    "hbar": RowPart((Glyph("operators", 0x16), Space(-9), Glyph("letters", 0x68)), like="amsmath"),
    "cdots": RowPart((_MIDDLE_DOT,) * 3, "inner"),
    "ldots": RowPart((_DOT,) * 3, "inner"),
    "dots": RowPart((_DOT,) * 3, "inner", like="amsmath"),
    "int": Glyph("largesymbols", 0x52, "op"),
    "oint": Glyph("largesymbols", 0x48, "op"),
    "notin": ("rel", r"{\in}\!\!\!/"),
    "cong": ("rel", r"\simeq"),
    "doteq": ("rel", r"\stackrel{.}{=}"),
    "rightleftharpoons": ("rel", r"\rightharpoonup"),
    "bowtie": ("rel", r"\triangleright\!\triangleleft"),
    "angle": ("ord", r"\triangle"),
    "surd": ("ord", r"{\times}|"),
    "ddots": DotsPart(3.0, 1.0, "inner"),
    "vdots": DotsPart(4.0, 0.0),
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
def load_symbols() -> Mapping[str, tuple[Glyph, str, bool]]:
    r"""Return each symbol: its character, its package, and whether a math alphabet changes it (`\\Gamma`)."""
    tables = json.loads((_DATA / "symbols.json").read_text("ascii"))
    found: dict[str, tuple[Glyph, str, bool]] = {}
    for package, table in tables.items():
        for name, (kind, font, code) in table.items():
            varies = kind == "alpha"
            glyph = Glyph(font, code, "ord" if varies else kind, limits=kind == "op")
            found.setdefault(name, (glyph, package, varies))
    return found


class Delimiter(Record):
    """Delimiter: its usual character, and the start of its larger forms in the extension font."""

    small: Glyph
    large: int


DELIMITERS: Mapping[str, Delimiter] = {
    name: Delimiter(_make_glyph(*small), int(large, 16))  # type: ignore[arg-type]
    for name, (*small, large) in _TABLES["delimiters"].items()
}
r"""Delimiters that `\left`, `\big` and similar commands enlarge."""

# Names in upright letters; True if scripts are above and below in displays.
_LOGS = "arccos arcsin arctan arg cos cosh cot coth csc deg dim exp hom ker lg ln log sec sin sinh tan tanh"
_LIMITS = "det gcd inf lim liminf limsup max min Pr sup"
OPERATORS: Mapping[str, bool] = dict.fromkeys(_LOGS.split(), False) | dict.fromkeys(_LIMITS.split(), True)


class Alphabet(Record):
    """Math alphabet; `covers` lists its characters ("" for all letters and digits)."""

    package: str = ""
    covers: str = ""


_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHABETS: Mapping[str, Alphabet] = {
    **dict.fromkeys(["mathbf", "mathrm", "mathit", "mathsf", "mathtt", "mathnormal"], Alphabet()),
    "mathcal": Alphabet(covers=_CAPITALS),
    "mathbb": Alphabet("amssymb", _CAPITALS),
    "mathfrak": Alphabet("amssymb", _CAPITALS + _CAPITALS.lower() + "0123456789"),
    "operatorname": Alphabet("amsmath", _CAPITALS + _CAPITALS.lower() + "0123456789"),
    "boldsymbol": Alphabet("amsmath"),
    "bm": Alphabet("bm"),
}

_MARKS = "hat:5e bar:16 tilde:7e dot:5f ddot:7f acute:13 grave:12 check:14 breve:15 mathring:17"
ACCENTS: Mapping[str, tuple[str, int]] = {
    **{name: ("operators", int(code, 16)) for name, code in (mark.split(":") for mark in _MARKS.split())},
    "vec": ("letters", 0x7E),
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

_STYLES: tuple[StyleName, ...] = ("display", "text", "script", "scriptscript")
STYLES: Mapping[str, StyleName] = {f"{name}style": name for name in _STYLES}
BIGS = {"big": 8.5, "Big": 11.5, "bigg": 14.5, "Bigg": 17.5}  # heights in pt, also of \bigl, \bigr and \bigm
TEXTS = {"text": "", "textrm": "serif", "textsf": "sans", "texttt": "mono", "textbf": "bold", "textit": "italic"}
PHANTOMS = {"phantom": (True, True), "hphantom": (True, False), "vphantom": (False, True)}
STACKS = {"overset": "amsmath", "underset": "amsmath", "stackrel": ""}
STRUCTURES = dict.fromkeys(["frac", "sqrt", "left", "right", "middle", "limits", "nolimits"], "")
STRUCTURES |= dict.fromkeys(["dfrac", "tfrac", "binom", "operatorname"], "amsmath")


@cache
def _map_command_packages() -> Mapping[str, str]:
    """Return the package of each command, without its backslash; "" if it needs none."""
    found = {name: package for name, (_, package, _) in load_symbols().items()}
    found |= {name: COMPOSED_PACKAGES.get(name, "") for name in COMPOSED_COMMANDS}
    found |= dict.fromkeys(OPERATORS, "") | {name: alphabet.package for name, alphabet in ALPHABETS.items()}
    found |= {name: "" for table in (ACCENTS, RULES, STYLES) for name in table}
    found |= STACKS | STRUCTURES | dict.fromkeys(BIGS, "") | dict.fromkeys(TEXTS, "amsmath")
    found |= {stem + side: "" for stem in BIGS for side in "lrm"}
    return found | {name[1:]: "" for name in SPACES if name[0] == "\\"}


def package_of(name: str) -> str | None:
    """Return the package of a math command: "" if it needs none, None if it is unknown."""
    return _map_command_packages().get(name)


def command_names() -> Iterable[str]:
    """Return the names of all commands, without their backslashes."""
    return _map_command_packages()
