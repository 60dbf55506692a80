"""Scripts, limits, fractions, roots and extensible delimiters.

The source is The TeXbook, Appendix G, rules 11, 13a, 15 and 18.
"""

from __future__ import annotations

from collections.abc import Iterator

from tikzgen.text.maths.formula_parts import (
    Fraction,
    Glyph,
    Radical,
    RowPart,
    RulePart,
    Scripts,
    StackPart,
    alone_in,
    without_braces,
)
from tikzgen.text.maths.maths_commands import DELIMITERS
from tikzgen.text.metrics.boxes import EMPTY, Placed, RuleBox, TextBox, join_boxes, make_blank, stacked_down
from tikzgen.text.metrics.fonts import Face
from tikzgen.text.metrics.maths_fonts import (
    DISPLAY,
    SCRIPT,
    SCRIPTSCRIPT,
    TEXT,
    MathsFonts,
    cramp_style,
    find_denominator_style,
    find_numerator_style,
    find_subscript_style,
    find_superscript_style,
    set_character,
)

SCRIPT_SPACE_PT = 0.5  # pt, LaTeX's \scriptspace


def attach(fonts: MathsFonts, base: TextBox, node: Scripts, style: int, *, plain: bool) -> TextBox:
    """Set scripts after the box of their base; `plain` if the base is one character."""
    up, down = (0.0, 0.0) if plain else _script_shifts(fonts, base, style)
    sup = _set_script(fonts, node.sup, find_superscript_style(style))
    sub = _set_script(fonts, node.sub, find_subscript_style(style))
    font = fonts.find_symbol_face(style)
    x_height = font.read_parameter(5)
    if sup:
        least = font.read_parameter(15 if style % 2 else 13 if style < TEXT else 14)
        up = max(up, least, sup.depth + x_height / 4)
    if sub:
        down = max(down, font.read_parameter(17 if sup else 16))
        if not sup:
            down = max(down, sub.height - 0.8 * x_height)
    if sup and sub:
        missing = 4 * fonts.find_rule_thickness(style) - ((up - sup.depth) - (sub.height - down))
        if missing > 0:
            down += missing
            lift = max(0.0, 0.8 * x_height - (up - sup.depth))
            up, down = up + lift, down - lift
    parts: list[Placed] = [(0.0, 0.0, base)]
    width, height, depth = base.width, base.height, base.depth
    if sup:
        parts.append((base.width + base.italic, up, sup))
        width, height = max(width, base.width + base.italic + sup.width), max(height, sup.height + up)
        depth = max(depth, sup.depth - up)
    if sub:
        parts.append((base.width, -down, sub))
        width, depth = max(width, base.width + sub.width), max(depth, sub.depth + down)
        height = max(height, sub.height - down)
    return TextBox(width, height, depth, 0.0, tuple(parts))


def _script_shifts(fonts: MathsFonts, base: TextBox, style: int) -> tuple[float, float]:
    small = fonts.find_symbol_face(find_superscript_style(style))
    return base.height - small.read_parameter(18), base.depth + small.read_parameter(19)


def _set_script(fonts: MathsFonts, row: RowPart | None, style: int) -> TextBox | None:
    if row is None:
        return None
    alone = without_braces(row)  # TeX extends a line that is alone in a script by the script space
    box = fonts.set_rule(alone, style, SCRIPT_SPACE_PT) if isinstance(alone, RulePart) else fonts.set_inside(row, style)
    return TextBox(box.width + SCRIPT_SPACE_PT, box.height, box.depth, 0.0, ((0.0, 0.0, box),))


def set_limits(fonts: MathsFonts, base: TextBox, sup: RowPart | None, sub: RowPart | None, style: int) -> TextBox:
    """Set one row above and one below a base; an italic correction shifts them apart."""
    over = fonts.set_inside(sup, find_superscript_style(style)) if sup else None
    under = fonts.set_inside(sub, find_subscript_style(style)) if sub else None
    lean, whole = base.italic / 2, base.width + base.italic
    width = max(whole, *(part.width for part in (over, under, make_blank(0.0)) if part))
    height, depth = base.height, base.depth
    parts: list[Placed] = [((width - whole) / 2, 0.0, base)]
    large = fonts.find_large_face(style)
    if over:
        clear = max(large.read_parameter(9), large.read_parameter(11) - over.depth)
        parts.append(((width - over.width) / 2 + lean, height + clear + over.depth, over))
        height += clear + over.total + large.read_parameter(13)
    if under:
        clear = max(large.read_parameter(10), large.read_parameter(12) - under.height)
        parts.append(((width - under.width) / 2 - lean, -depth - clear - under.height, under))
        depth += clear + under.total + large.read_parameter(13)
    return TextBox(width, height, depth, 0.0, tuple(parts))


def set_stack(fonts: MathsFonts, node: StackPart, style: int) -> TextBox:
    r"""Set `\overset`, `\underset` or `\stackrel`, which centers a single character like an operator."""
    alone = alone_in(node.base) if node.kind == "rel" else None
    base = (
        fonts.set_inside(node.base, style)
        if alone is None
        else fonts.center_on_axis(fonts.set_glyph(alone, style), style)
    )
    return set_limits(fonts, base, node.over, node.under, style)


def takes_limits(node: Scripts, style: int) -> bool:
    """Return whether scripts are above and below."""
    if node.limits is not None:
        return node.limits
    return style // 2 * 2 == DISPLAY and isinstance(node.base, Glyph | RowPart) and node.base.limits


NULL_DELIMITER_PT = 1.2  # pt, LaTeX's \nulldelimiterspace
_SHORTFALL_PT = 5.0  # pt: a delimiter may be this much shorter than its contents
_DELIMITER_FACTOR = 901  # thousandths of the height that a delimiter covers, TeX's \delimiterfactor
_ROOT = Glyph("symbols", 0x70)
_PIECE_LIMIT = 10_000


def fit_delimiter(fonts: MathsFonts, name: str, body: TextBox, style: int, empty: float = NULL_DELIMITER_PT) -> TextBox:
    r"""Build a delimiter as large as its body requires, by the rules of `\left`."""
    if not name:
        return make_blank(empty)
    axis = fonts.find_axis_height(style)
    reach = max(body.height - axis, body.depth + axis)
    share = int(reach * 65536) // 500 * _DELIMITER_FACTOR / 65536  # TeX's rounding: it decides between two sizes
    return set_delimiter(fonts, name, max(share, 2 * reach - _SHORTFALL_PT), style)


def set_delimiter(fonts: MathsFonts, name: str, need: float, style: int) -> TextBox:
    """Return the first form of a delimiter that is `need` pt high, centered on the axis."""
    if not name:
        return make_blank(NULL_DELIMITER_PT)
    found = DELIMITERS[name]
    return fonts.center_on_axis(_choose_delimiter_form(fonts, found.small, chr(found.large), need, style), style)


def _choose_delimiter_form(fonts: MathsFonts, small: Glyph, large: str, need: float, style: int) -> TextBox:
    best = EMPTY
    for used, char in _list_delimiter_forms(fonts, small, large, style):
        if char in used.metrics.extensible:
            return _build_delimiter(used, used.metrics.extensible[char], need)
        box = join_boxes([set_character(used, char)])
        if box.total > best.total:
            best = box
        if box.total >= need:
            break
    return best


def _list_delimiter_forms(fonts: MathsFonts, small: Glyph, large: str, style: int) -> Iterator[tuple[Face, str]]:
    """Yield the forms of a delimiter: small characters, then large ones, each from script to text size."""
    styles = range(max(style, TEXT) // 2 * 2, TEXT - 1, -2) if style >= SCRIPT else (TEXT,)
    for at in styles:
        yield fonts.find_face(small, at), chr(small.code)
    for at in styles:
        used, char = fonts.find_large_face(at), large
        yield used, char
        while (char := used.metrics.larger.get(char, "")) and char:
            yield used, char


def _build_delimiter(used: Face, pieces: str, need: float) -> TextBox:
    """Stack the pieces of a delimiter and repeat the extensible one as needed."""
    top, middle, bottom, again = (None if char == "\0" else join_boxes([set_character(used, char)]) for char in pieces)
    assert again is not None  # every recipe has a repeated piece
    total = sum(piece.total for piece in (top, middle, bottom) if piece)
    times = 0
    step = again.total * (2 if middle else 1)
    while total < need and step > 0 and times < _PIECE_LIMIT:
        total += step
        times += 1
    runs = [again] * times
    pieces_down = [top, *runs, middle, *(runs if middle else ()), bottom]
    return stacked_down([piece for piece in pieces_down if piece], again.width)


def set_fraction(fonts: MathsFonts, node: Fraction, style: int) -> TextBox:
    """Set a fraction, with a bar or with fences."""
    style = {"display": DISPLAY, "text": TEXT}[node.style] if node.style else style
    over, under = (
        fonts.set_inside(node.over, find_numerator_style(style)),
        fonts.set_inside(node.under, find_denominator_style(style)),
    )
    font, axis, thick = fonts.find_symbol_face(style), fonts.find_axis_height(style), fonts.find_rule_thickness(style)
    big = style < TEXT
    up = font.read_parameter(8 if big else 9 if node.bar else 10)
    down = font.read_parameter(11 if big else 12)
    width = max(over.width, under.width)
    parts: list[Placed] = []
    if node.bar:
        clear = thick * (3 if big else 1)
        up = max(up, axis + thick / 2 + clear + over.depth)
        down = max(down, clear - (axis - thick / 2) + under.height)
        parts.append((0.0, axis - thick / 2, RuleBox(width, thick)))
    else:
        missing = thick * (7 if big else 3) - ((up - over.depth) - (under.height - down))
        up, down = up + max(0.0, missing / 2), down + max(0.0, missing / 2)
    parts = [((width - over.width) / 2, up, over), *parts, ((width - under.width) / 2, -down, under)]
    box = TextBox(width, up + over.height, down + under.depth, 0.0, tuple(parts))
    need = font.read_parameter(20 if big else 21)
    return join_boxes(
        [set_delimiter(fonts, node.fences[0], need, style), box, set_delimiter(fonts, node.fences[1], need, style)]
    )


def set_radical(fonts: MathsFonts, node: Radical, style: int) -> TextBox:
    """Set a root, with its index if present."""
    if node.index is not None:
        style = style // 2 * 2  # LaTeX sets it in a separate formula
    body = fonts.set_inside(node.body, cramp_style(style))
    thick = fonts.find_rule_thickness(style)
    clear = thick + abs(fonts.find_symbol_face(style).read_parameter(5) if style < TEXT else thick) / 4
    sign = _choose_delimiter_form(fonts, _ROOT, "\x70", body.total + clear + thick, style)
    spare = sign.depth - (body.total + clear)
    if spare > 0:
        clear += spare / 2
    rule = sign.height  # the height of a root character equals the thickness of its rule
    covered = TextBox(
        body.width,
        body.height + clear + 2 * rule,
        body.depth,
        0.0,
        ((0.0, 0.0, body), (0.0, body.height + clear, RuleBox(body.width, rule))),
    )
    root = join_boxes([sign.raise_by(body.height + clear), covered])
    if node.index is None:
        return root
    index = fonts.set_inside(node.index, SCRIPTSCRIPT).raise_by(0.6 * (root.height - root.depth))
    return join_boxes([make_blank(fonts.convert_mu(5, style)), index, make_blank(-fonts.convert_mu(10, style)), root])
