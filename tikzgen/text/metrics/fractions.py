"""Fractions and roots, and delimiters of any height: rules 11 and 15 of The TeXbook's Appendix G."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.text.maths.formula_parts import Fraction, Glyph, Radical
from tikzgen.text.maths.maths_commands import DELIMITERS
from tikzgen.text.metrics.boxes import EMPTY, Bar, Box, Placed, beside, blank, stacked_down
from tikzgen.text.metrics.fonts import Face
from tikzgen.text.metrics.maths_fonts import (
    DISPLAY,
    SCRIPT,
    SCRIPTSCRIPT,
    TEXT,
    MathsFonts,
    character,
    cramped,
    denominator,
    numerator,
)

NULL_DELIMITER = 1.2  # pt, LaTeX's \nulldelimiterspace
_SHORTFALL, _FACTOR = 5.0, 901  # a delimiter may be this much (pt, thousandths) shorter than what it encloses
_ROOT = Glyph("symbols", 0x70)
_MOST_PIECES = 10_000


def fitted(fonts: MathsFonts, name: str, body: Box, style: int, empty: float = NULL_DELIMITER) -> Box:
    r"""A delimiter as large as its body asks for, by the rules of `\left`."""
    if not name:
        return blank(empty)
    axis = fonts.axis(style)
    reach = max(body.height - axis, body.depth + axis)
    share = int(reach * 65536) // 500 * _FACTOR / 65536  # TeX's own rounding: it decides between two sizes
    return delimiter(fonts, name, max(share, 2 * reach - _SHORTFALL), style)


def delimiter(fonts: MathsFonts, name: str, need: float, style: int) -> Box:
    """The first form of a delimiter that is `need` pt high, centred on the axis."""
    if not name:
        return blank(NULL_DELIMITER)
    found = DELIMITERS[name]
    return fonts.centred(_tall(fonts, found.small, chr(found.large), need, style), style)


def root_sign(fonts: MathsFonts, need: float, style: int) -> Box:
    """The sign of a root that is `need` pt high; its height is the thickness of the rule that it carries."""
    return _tall(fonts, _ROOT, "\x70", need, style)


def _tall(fonts: MathsFonts, small: Glyph, large: str, need: float, style: int) -> Box:
    best = EMPTY
    for used, char in _forms(fonts, small, large, style):
        if char in used.metrics.extensible:
            return _built(used, used.metrics.extensible[char], need)
        box = beside([character(used, char)])
        if box.total > best.total:
            best = box
        if box.total >= need:
            break
    return best


def _forms(fonts: MathsFonts, small: Glyph, large: str, style: int) -> Iterator[tuple[Face, str]]:
    """The forms of a delimiter: those of a script, then those of the text around it; the large ones after the small."""
    styles = range(max(style, TEXT) // 2 * 2, TEXT - 1, -2) if style >= SCRIPT else (TEXT,)
    for at in styles:
        yield fonts.face(small, at), chr(small.code)
    for at in styles:
        used, char = fonts.large(at), large
        yield used, char
        while (char := used.metrics.larger.get(char, "")) and char:
            yield used, char


def _built(used: Face, pieces: str, need: float) -> Box:
    """Pieces one above the other: the repeated one as often as it takes."""
    top, middle, bottom, again = (None if char == "\0" else beside([character(used, char)]) for char in pieces)
    assert again is not None  # every recipe has one
    total = sum(piece.total for piece in (top, middle, bottom) if piece)
    times = 0
    step = again.total * (2 if middle else 1)
    while total < need and step > 0 and times < _MOST_PIECES:
        total += step
        times += 1
    runs = [again] * times
    pieces_down = [top, *runs, middle, *(runs if middle else ()), bottom]
    return stacked_down([piece for piece in pieces_down if piece], again.width)


def fraction(fonts: MathsFonts, node: Fraction, style: int) -> Box:
    """One row over another, with a bar between or fences around."""
    style = {"display": DISPLAY, "text": TEXT}[node.style] if node.style else style
    over, under = fonts.inside(node.over, numerator(style)), fonts.inside(node.under, denominator(style))
    font, axis, thick = fonts.symbols(style), fonts.axis(style), fonts.thickness(style)
    big = style < TEXT
    up = font.parameter(8 if big else 9 if node.bar else 10)
    down = font.parameter(11 if big else 12)
    width = max(over.width, under.width)
    parts: list[Placed] = []
    if node.bar:
        clear = thick * (3 if big else 1)
        up = max(up, axis + thick / 2 + clear + over.depth)
        down = max(down, clear - (axis - thick / 2) + under.height)
        parts.append((0.0, axis - thick / 2, Bar(width, thick)))
    else:
        missing = thick * (7 if big else 3) - ((up - over.depth) - (under.height - down))
        up, down = up + max(0.0, missing / 2), down + max(0.0, missing / 2)
    parts = [((width - over.width) / 2, up, over), *parts, ((width - under.width) / 2, -down, under)]
    box = Box(width, up + over.height, down + under.depth, 0.0, tuple(parts))
    need = font.parameter(20 if big else 21)
    return beside([delimiter(fonts, node.fences[0], need, style), box, delimiter(fonts, node.fences[1], need, style)])


def radical(fonts: MathsFonts, node: Radical, style: int) -> Box:
    """A root, with its index where it has one."""
    if node.index is not None:
        style = style // 2 * 2  # LaTeX sets it in a formula of its own
    body = fonts.inside(node.body, cramped(style))
    thick = fonts.thickness(style)
    clear = thick + abs(fonts.symbols(style).parameter(5) if style < TEXT else thick) / 4
    sign = root_sign(fonts, body.total + clear + thick, style)
    spare = sign.depth - (body.total + clear)
    if spare > 0:
        clear += spare / 2
    rule = sign.height
    covered = Box(
        body.width,
        body.height + clear + 2 * rule,
        body.depth,
        0.0,
        ((0.0, 0.0, body), (0.0, body.height + clear, Bar(body.width, rule))),
    )
    root = beside([sign.raised(body.height + clear), covered])
    if node.index is None:
        return root
    index = fonts.inside(node.index, SCRIPTSCRIPT).raised(0.6 * (root.height - root.depth))
    return beside([blank(fonts.mu(5, style)), index, blank(-fonts.mu(10, style)), root])
