"""Delimiters of any height: the first form that is tall enough, or one that is put together from pieces."""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.text.maths.symbols import DELIMITERS
from tikzgen.text.maths.tree import Glyph
from tikzgen.text.metrics.boxes import EMPTY, Box, beside, blank, stacked_down
from tikzgen.text.metrics.maths_fonts import SCRIPT, TEXT, MathsFonts, character
from tikzgen.text.metrics.tables import Face

__all__ = ["NULL_DELIMITER", "delimiter", "fitted", "root_sign"]

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
