"""Fonts of LaTeX's defaults: font of a label, font files by size, and character metrics."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from tikzgen.base.defaults import FONT_SIZE_PT
from tikzgen.base.record import Record, replace

LATEX_SIZES = (5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 10.95, 12.0, 14.4, 17.28, 20.74, 24.88)  # pt

BASELINES = {5: 6, 6: 7, 7: 8, 8: 9.5, 9: 11, 10: 12, 10.95: 13.6, 12: 14, 14.4: 18, 17.28: 22, 20.74: 25, 24.88: 30}
"""Distances of baselines at the font sizes of LaTeX's 10 pt and 11 pt classes, in pt."""

# Font files with the maximum size of their use, as in LaTeX's ot1cmss.fd and similar files.
_SHAPES = {
    "sans": "cmss8:8 cmss9:9 cmss10:10.95 cmss12:14.4 cmss17",
    "sans italic": "cmssi8:8 cmssi9:9 cmssi10:10.95 cmssi12:14.4 cmssi17",
    "sans bold": "cmssbx10",
    "sans bold italic": "cmssbx10",
    "serif": "cmr5:5 cmr6:6 cmr7:7 cmr8:8 cmr9:9 cmr10:10.95 cmr12:14.4 cmr17",
    "serif italic": "cmti7:7 cmti8:8 cmti9:9 cmti10:10.95 cmti12",
    "serif bold": "cmbx5:5 cmbx6:6 cmbx7:7 cmbx8:8 cmbx9:9 cmbx10:10.95 cmbx12",
    "serif bold italic": "cmbxti10",
    "mono": "cmtt8:8 cmtt9:9 cmtt10:10.95 cmtt12",
    "mono italic": "cmitt10",
    "mono bold": "cmtt8:8 cmtt9:9 cmtt10:10.95 cmtt12",
    "mono bold italic": "cmitt10",
    "letters": "cmmi5:5 cmmi6:6 cmmi7:7 cmmi8:8 cmmi9:9 cmmi10:10.95 cmmi12",
    "bold letters": "cmmib5:5 cmmib6:6 cmmib7:7 cmmib8:8 cmmib9:9 cmmib10",
    "symbols": "cmsy5:5 cmsy6:6 cmsy7:7 cmsy8:8 cmsy9:9 cmsy10",
    "largesymbols": "cmex7:7 cmex8:8 cmex9:9 cmex10",
    "fixed largesymbols": "cmex10",
    "bold symbols": "cmbsy5:5 cmbsy6:6 cmbsy7:7 cmbsy8:8 cmbsy9:9 cmbsy10",
    "AMSa": "msam5:5 msam7:7 msam10",
    "AMSb": "msbm5:5 msbm7:7 msbm10",
    "fraktur": "eufm5:5 eufm7:7 eufm10",
}
_SCRIPTS = {8.0: (6.0, 5.0), 9.0: (6.0, 5.0), 10.0: (7.0, 5.0), 10.95: (8.0, 6.0), 12.0: (8.0, 6.0), 14.4: (10.0, 7.0)}
_SCRIPTS |= {17.28: (12.0, 10.0), 20.74: (14.4, 12.0), 24.88: (20.74, 17.28)}


class FontMetrics(Record):
    r"""Metrics of one font file, compared by identity; lengths are fractions of the font size.

    `extensible` has the pieces of extensible delimiters: top, middle, bottom ("\\0" if missing), and the repeated
    piece.
    """

    name: str
    widths: Mapping[str, float]
    heights: Mapping[str, float]
    depths: Mapping[str, float]
    italics: Mapping[str, float]
    kerns: Mapping[str, float]
    ligatures: Mapping[str, str]
    larger: Mapping[str, str]
    extensible: Mapping[str, str]
    parameters: tuple[float, ...]

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class Face(Record):
    """Font at a size in pt."""

    metrics: FontMetrics
    size: float

    def read_parameter(self, number: int) -> float:
        r"""Return TeX's `\fontdimen` of that number, in pt."""
        return self.metrics.parameters[number - 1] * self.size


@lru_cache(maxsize=256)
def load_face(shape: str, size: float) -> Face:
    """Return LaTeX's font for a shape ("sans bold", "letters" ...) at a size."""
    listed = min(LATEX_SIZES, key=lambda known: abs(known - size))
    for entry in _SHAPES[shape].split():
        name, _, most = entry.partition(":")
        if not most or listed <= float(most):
            break
    return Face(_load(name), size)


class LabelFont(Record):
    """Font of a label; `size` in pt."""

    family: Literal["sans", "serif", "mono"] = "sans"
    bold: bool = False
    italic: bool = False
    size: float = FONT_SIZE_PT

    @property
    def face(self) -> Face:
        """Font file and size."""
        return load_face(self.family + " bold" * self.bold + " italic" * self.italic, self.size)

    def with_style(self, style: str) -> LabelFont:
        """Return the font after a change such as "bold", "upright" or "mono"."""
        match style:
            case "bold" | "medium":
                return replace(self, bold=style == "bold")
            case "italic" | "upright":
                return replace(self, italic=style == "italic")
            case "sans" | "serif" | "mono":
                return replace(self, family=style)
        return self

    def with_size(self, size: float) -> LabelFont:
        """Return the same font in another size."""
        return replace(self, size=size)


CJK_FONTS: Mapping[str, str] = {"sans": "cjk-sans", "serif": "cjk-serif", "mono": "cjk-sans"}
"""Font of Chinese characters, by family. Every character is 1 em wide; bold characters use the regular font."""


def is_cjk_font(font: str) -> bool:
    """Return whether a font is for Chinese characters."""
    return font.startswith("cjk-")


def lean_of(font: str, char: str) -> float:
    """Return the italic correction of a character of a font file, as a fraction of the size."""
    return 0.0 if is_cjk_font(font) else _load(font).italics.get(char, 0.0)


def width_of_sign(font: str, char: str) -> float:
    """Return the width of a character of a font file, as a fraction of the size."""
    return 1.0 if is_cjk_font(font) else _load(font).widths.get(char, 0.0)


def script_sizes(size: float) -> tuple[float, float]:
    """Return the sizes of first-level and second-level scripts in math of this size."""
    listed = min(LATEX_SIZES, key=lambda known: abs(known - size))
    if listed < 8:
        return (5.0, 5.0) if size >= 5 else (size, size)
    return _SCRIPTS[listed]


@cache
def _load_font_tables() -> dict[str, str]:
    """Return the unparsed table of each font: a figure needs only a few."""
    text = (Path(__file__).parents[1] / "data" / "fonts.json").read_text("ascii")
    rows = (line.partition(": ") for line in text.splitlines() if line.startswith('"'))
    return {name.strip('"'): table.rstrip(",") for name, _, table in rows}


@cache
def _load(name: str) -> FontMetrics:
    table: dict[str, Any] = json.loads(_load_font_tables()[name])

    def expand_entries(key: str, length: int = 1) -> dict[str, float]:
        return {
            chars[at : at + length]: fixed / (1 << 20)
            for fixed, chars in table[key]
            for at in range(0, len(chars), length)
        }

    return FontMetrics(
        name=name,
        widths=expand_entries("widths"),
        heights=expand_entries("heights"),
        depths=expand_entries("depths"),
        italics=expand_entries("italics"),
        kerns=expand_entries("kerns", 2),
        ligatures={pair: chr(code) for pair, code in table["ligatures"].items()},
        larger={char: chr(code) for char, code in table.get("larger", {}).items()},
        extensible=table.get("extensible", {}),
        parameters=tuple(fixed / (1 << 20) for fixed in table["parameters"]),
    )
