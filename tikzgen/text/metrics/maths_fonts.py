"""Fonts of a formula, and TeX's eight styles: display to scriptscript, each cramped or not.

Numbers and names follow The TeXbook, Appendix G: a cramped style is odd, and raises superscripts less.
"""

from __future__ import annotations

from collections.abc import Callable

from tikzgen.text.maths.formula_parts import FormulaPart, Glyph, RowPart, RulePart
from tikzgen.text.metrics.boxes import Sign, TextBox
from tikzgen.text.metrics.fonts import Face, LabelFont, load_face, script_sizes

DISPLAY = 0
TEXT = 2
SCRIPT = 4
SCRIPTSCRIPT = 6
_SHAPES = {
    "operators": "serif",
    "mathrm": "serif",
    "operatorname": "serif",
    "mathbf": "serif bold",
    "mathit": "serif italic",
    "mathsf": "sans",
    "mathtt": "mono",
    "mathnormal": "letters",
    "mathcal": "symbols",
    "mathbb": "AMSb",
    "mathfrak": "fraktur",
}
_BOLDER = {
    "serif": "serif bold",
    "serif italic": "serif bold italic",
    "sans": "sans bold",
    "letters": "bold letters",
    "symbols": "bold symbols",
}
LARGE_SIZE = 10.0  # pt


def cramp_style(style: int) -> int:
    return style | 1


def find_superscript_style(style: int) -> int:
    return 2 * (style // 4) + SCRIPT + style % 2


def find_subscript_style(style: int) -> int:
    return 2 * (style // 4) + SCRIPT + 1


def find_numerator_style(style: int) -> int:
    return style + 2 - 2 * (style // 6)


def find_denominator_style(style: int) -> int:
    return 2 * (style // 2) + 1 + 2 - 2 * (style // 6)


class MathsFonts:
    """Fonts and sizes for the parts of a formula in text of one font; `words` sets its text parts.

    Large symbols scale with the text if `scaled`, as with AMS packages; otherwise their size is fixed. They are not
    bold, even if all other parts are `bold`.
    """

    def __init__(
        self, font: LabelFont, *, scaled: bool, words: Callable[[str, LabelFont], TextBox], bold: bool = False
    ) -> None:
        self.font = font
        self.scaled = scaled
        self.words = words
        self.bold = bold
        self.sizes = (font.size, *script_sizes(font.size))

    def find_size(self, style: int) -> float:
        return self.sizes[max(0, style // 2 - 1)]

    def find_symbol_face(self, style: int) -> Face:
        return self.face_of("symbols", style)

    def find_large_face(self, style: int) -> Face:
        return (
            load_face("largesymbols", self.find_size(style))
            if self.scaled
            else load_face("fixed largesymbols", LARGE_SIZE)
        )

    def find_face(self, glyph: Glyph, style: int) -> Face:
        if glyph.font == "largesymbols":
            return self.find_large_face(style)
        return self.face_of(_SHAPES.get(glyph.font, glyph.font), style)

    def face_of(self, shape: str, style: int) -> Face:
        return load_face(_BOLDER.get(shape, shape) if self.bold else shape, self.find_size(style))

    def find_axis_height(self, style: int) -> float:
        return self.find_symbol_face(style).read_parameter(22)

    def find_rule_thickness(self, style: int) -> float:
        """Return the thickness of rules, in pt."""
        return self.find_large_face(style).read_parameter(8)

    def convert_mu(self, count: float, style: int) -> float:
        return count / 18 * self.find_symbol_face(style).read_parameter(6)

    def center_on_axis(self, box: TextBox, style: int) -> TextBox:
        """Center a box on the axis of the fraction bar."""
        return box.raise_by(self.find_axis_height(style) + box.total / 2 - box.height)

    def set_glyph(self, glyph: Glyph, style: int) -> TextBox:
        used, char = self.find_face(glyph, style), chr(glyph.code)
        if glyph.kind == "op" and style < TEXT:
            char = used.metrics.larger.get(char, char)
        box = set_character(used, char)
        if self.bold and glyph.font == "mathfrak":  # the bold letters are not measured
            box = TextBox(box.width, box.height, box.depth, box.italic)
        return self.center_on_axis(box, style) if glyph.kind == "op" else box

    def set_row(self, items: tuple[FormulaPart, ...], style: int) -> TextBox:
        """Set a list of parts; the width includes the italic correction of the last one."""
        raise NotImplementedError

    def set_rule(self, node: RulePart, style: int, more: float = 0.0) -> TextBox:
        """Set a body with a line over or under it, `more` pt wider than the body."""
        raise NotImplementedError

    def set_inside(self, row: RowPart, style: int) -> TextBox:
        return self.set_row(row.items, style)


def set_character(used: Face, char: str) -> TextBox:
    """Return the box of one character; `italic` is its italic correction."""
    metrics, size = used.metrics, used.size
    return TextBox(
        metrics.widths.get(char, 0.0) * size,
        metrics.heights.get(char, 0.0) * size,
        metrics.depths.get(char, 0.0) * size,
        metrics.italics.get(char, 0.0) * size,
        ((0.0, 0.0, Sign(metrics.name, char, size)),),
    )
