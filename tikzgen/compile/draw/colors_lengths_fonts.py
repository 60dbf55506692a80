"""Values of keys: lengths, colors and fonts, with the macros of the file replaced."""

from __future__ import annotations

import re
from functools import lru_cache

from tikzgen.compile.draw.arithmetic import evaluate
from tikzgen.compile.draw.canvas import Canvas
from tikzgen.compile.draw.state import Rgb, State
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.text.metrics import BASELINES, FONTS, LATEX_SIZES, SIZES, LabelFont

_DOCUMENT = LabelFont(family="serif", size=10)
_SWITCH = re.compile(r"\\fontsize\s*\{([\d.]+)\}\s*\{([\d.]+)\}|\\([A-Za-z]+)\s*")


def select_fonts(state: State) -> tuple[LabelFont, float]:
    """Return the font at the start of a node's label, and its baseline distance in pt."""
    return _read_fonts(state.node_font, state.font)


@lru_cache(maxsize=4096)
def _read_fonts(*sources: str) -> tuple[LabelFont, float]:
    font, baseline = _DOCUMENT, BASELINES[10]
    for source in sources:
        font, baseline = _switch_font(source, font, baseline)
    return font, baseline


def _switch_font(source: str, font: LabelFont, baseline: float) -> tuple[LabelFont, float]:
    at = 0
    while at < len(source):
        found = _SWITCH.match(source, at)
        if found is None:
            raise Unsupported(f"the font {source!r}")
        at = found.end()
        name = found[3]
        if found[1]:
            size, baseline = float(found[1]), float(found[2])
            if size not in LATEX_SIZES:
                raise Unsupported(f"a font of {found[1]} pt")
            font = font.with_size(size)
        elif name in SIZES:
            font, baseline = font.with_size(SIZES[name]), BASELINES[SIZES[name]]
        elif name in FONTS and FONTS[name][1]:
            font = font.with_style(FONTS[name][0])
        elif name != "selectfont":
            raise Unsupported(f"\\{name} in a font")
    return font, baseline


def number(canvas: Canvas, text: str) -> tuple[float, bool]:
    """Return a value, lengths in pt, and whether it contains a unit."""
    return evaluate(canvas.expand(text))


def read_length(canvas: Canvas, text: str, state: State | None = None, *, inside: bool = False) -> float:
    """Return a length in pt; a number without a unit is in pt.

    em and ex refer to `node font`, or `inside` of a label to its `font`.
    """
    text = canvas.expand(text)
    if state is not None and ("em" in text or "ex" in text):
        font = (select_fonts(state) if inside else _read_fonts(state.node_font))[0]
        face = font.face
        return evaluate(text, face.read_parameter(6), face.read_parameter(5))[0]
    return evaluate(text)[0]


def color(canvas: Canvas, text: str, state: State) -> Rgb:
    """Return a color, mixed as in xcolor: red!75!ink."""
    text = canvas.expand(text).strip()
    if text == ".":
        return state.color
    if text not in canvas.mixed:
        canvas.mixed[text] = _mix_color(canvas, text)
    return canvas.mixed[text]


def _mix_color(canvas: Canvas, text: str) -> Rgb:
    names = [part.strip() for part in text.split("!")]
    mixed = _color_of_name(canvas, names[0])
    for at in range(1, len(names), 2):
        if not re.fullmatch(r"\d+(\.\d+)?", names[at]):
            raise Unsupported(f"the colour {text!r}")
        share = min(float(names[at]), 100.0) / 100
        other = _color_of_name(canvas, names[at + 1]) if at + 1 < len(names) else (1.0, 1.0, 1.0)
        mixed = (
            mixed[0] * share + other[0] * (1 - share),
            mixed[1] * share + other[1] * (1 - share),
            mixed[2] * share + other[2] * (1 - share),
        )
    return mixed


def _color_of_name(canvas: Canvas, name: str) -> Rgb:
    found = canvas.colors.get(name)
    if found is None:
        raise Unsupported(f"the colour {name!r}")
    return found
