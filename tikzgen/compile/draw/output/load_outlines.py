"""Outlines of characters, one file per font, read at first use. Made by `python tools/outlines.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tikzgen.base.plane import Point
from tikzgen.compile.draw.output.cjk_outlines import cjk_outline
from tikzgen.text.metrics import is_cjk_font

# The names of the fonts are reserved (LICENSES/AMSFonts-OFL-1.1.txt), so derived files have other names.
STEMS: Mapping[str, str] = {
    "cmss": "sans",
    "cmssi": "sans-slanted",
    "cmssbx": "sans-bold",
    "cmr": "roman",
    "cmbx": "roman-bold",
    "cmti": "roman-italic",
    "cmbxti": "roman-bold-italic",
    "cmtt": "typewriter",
    "cmitt": "typewriter-italic",
    "cmmi": "letters",
    "cmmib": "letters-bold",
    "cmsy": "signs",
    "cmbsy": "signs-bold",
    "cmex": "large",
    "msam": "more-signs",
    "msbm": "blackboard",
    "eufm": "fraktur",
}
UNDRAWN = frozenset({"cmssi17"})
"""Fonts with metrics but without outlines, because outlines are large and the fonts rare: oblique sans serif of 17 pt
and more."""

_FONT = re.compile(r"([a-z]+)(\d+)")
_STEP = re.compile(r"([mlcz])([^mlcz]*)")
_NUMBER = re.compile(r"-?[\d.]+")


def place_of(font: str) -> Path:
    """Return the file with the outlines of a font of TeX."""
    found = _FONT.fullmatch(font)
    assert found is not None  # a font of the tables of `text`
    return Path(__file__).parent / "outlines" / f"{STEMS[found[1]]}{found[2]}.json"


@cache
def read_font_outlines(font: str) -> Mapping[str, str]:
    """Return the path of each character, as SVG path data in thousandths of the font's size, y up."""
    found: dict[str, str] = json.loads(place_of(font).read_text("ascii"))
    return found


def outline_of(font: str, char: str) -> str:
    """Return the path of a character, in the form of `read_font_outlines`; raise `LookupError` if no font has it."""
    if not is_cjk_font(font):
        return read_font_outlines(font)[char]
    found = cjk_outline(font, char)
    if found is None:
        raise LookupError(f"no font has {char}")
    return found.path


def path_of(font: str, char: str) -> Iterator[tuple[str, list[Point]]]:
    """Yield the steps of a character's path with absolute points; the data has relative ones."""
    x = y = 0.0
    begin = (x, y)
    for kind, numbers in _STEP.findall(outline_of(font, char)):
        values = [float(each) for each in _NUMBER.findall(numbers)]
        points = [(x + a, y + b) for a, b in zip(values[::2], values[1::2], strict=True)]
        x, y = points[-1] if points else begin
        begin = (x, y) if kind == "m" else begin
        yield kind, points
