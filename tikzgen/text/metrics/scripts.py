"""Scripts beside a base, limits above and below, the space between parts: The TeXbook, Appendix G, rules 13a and 18."""

from __future__ import annotations

from itertools import pairwise

from tikzgen.text.maths.formula_parts import (
    Big,
    Bold,
    Dots,
    Fence,
    Flat,
    Glyph,
    Kind,
    Node,
    Row,
    Rule,
    Scripts,
    Space,
    Stack,
    Style,
    alone_in,
    unbraced,
)
from tikzgen.text.metrics.boxes import Box, Placed, blank
from tikzgen.text.metrics.maths_fonts import DISPLAY, TEXT, MathsFonts, subscript, superscript

# The TeXbook, page 170: thin, medium and thick spaces; capitals vanish in scripts.
_KINDS: tuple[Kind, ...] = ("ord", "op", "bin", "rel", "open", "close", "punct", "inner")
_SPACING = {
    "ord": "0 1 M T 0 0 0 N",
    "op": "1 1 0 T 0 0 0 N",
    "bin": "M M 0 0 M 0 0 M",
    "rel": "T T 0 0 T 0 0 T",
    "open": "0 0 0 0 0 0 0 0",
    "close": "0 1 M T 0 0 0 N",
    "punct": "N N 0 N N N N N",
    "inner": "N 1 M T N 0 N N",
}
_MU = {"0": 0, "1": 3, "N": 3, "M": 4, "T": 5}


def gap(left: Kind, right: Kind, *, small: bool) -> int:
    """The space in mu between two kinds of parts; `small` in scripts."""
    sign = _SPACING[left].split()[_KINDS.index(right)]
    return 0 if small and sign != "1" else _MU[sign]


def kind_of(node: Node) -> Kind | None:
    """How neighbours treat a part; None for what they look through."""
    match node:
        case Space() | Style():
            return None
        case Scripts():
            return kind_of(node.base)
        case Stack():
            return node.kind or _kind_of_all(node.base.items)
        case Dots() | Glyph() | Row() | Flat() | Big():
            return node.kind
        case Fence():
            return "inner"
        case Bold():
            return _kind_of_all(node.body.items)
    return "ord"


def _kind_of_all(items: tuple[Node, ...]) -> Kind:
    r"""How neighbours treat parts in a box: `\binrel@` of amsbsy asks for the space at both ends."""
    small, told = False, []
    for item in items:
        small = item.name.startswith("script") if isinstance(item, Style) else small
        if (kind := kind_of(item)) is not None:
            told.append((kind, small))
    spaces = [_medium_or_thick(each) for each in (told, [("ord", False), *told, ("ord", small)])]
    return "bin" if spaces[1] < spaces[0] else "rel" if spaces[1] > spaces[0] else "ord"


def _medium_or_thick(told: list[tuple[Kind, bool]]) -> int:
    """How many thick spaces there are between parts, less the medium ones; each with whether it is in scripts."""
    kinds = pairwise(settled([kind for kind, _ in told]))
    asked = [
        gap(one, other, small=small) for (one, other), (_, small) in zip(kinds, told[1:], strict=False) if one and other
    ]
    return asked.count(_MU["T"]) - asked.count(_MU["M"])


def settled(kinds: list[Kind | None]) -> list[Kind | None]:
    """Binary signs with nothing to bind become ordinary, as the minus in `-1`."""
    result = list(kinds)
    before: int | None = None
    for index, kind in enumerate(kinds):
        if kind is None:
            continue
        last = result[before] if before is not None else None
        if kind == "bin" and last in (None, "bin", "op", "rel", "open", "punct"):
            result[index] = "ord"
        elif kind in ("rel", "close", "punct") and last == "bin" and before is not None:
            result[before] = "ord"
        before = index
    if before is not None and result[before] == "bin":
        result[before] = "ord"
    return result


SCRIPT_SPACE = 0.5  # pt, LaTeX's \scriptspace


def attach(fonts: MathsFonts, base: Box, node: Scripts, style: int, *, plain: bool) -> Box:
    """Scripts beside the box of their base; `plain` where that is one character."""
    up, down = (0.0, 0.0) if plain else _dropped(fonts, base, style)
    sup = _script(fonts, node.sup, superscript(style))
    sub = _script(fonts, node.sub, subscript(style))
    font = fonts.symbols(style)
    x_height = font.parameter(5)
    if sup:
        least = font.parameter(15 if style % 2 else 13 if style < TEXT else 14)
        up = max(up, least, sup.depth + x_height / 4)
    if sub:
        down = max(down, font.parameter(17 if sup else 16))
        if not sup:
            down = max(down, sub.height - 0.8 * x_height)
    if sup and sub:
        missing = 4 * fonts.thickness(style) - ((up - sup.depth) - (sub.height - down))
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
    return Box(width, height, depth, 0.0, tuple(parts))


def _dropped(fonts: MathsFonts, base: Box, style: int) -> tuple[float, float]:
    small = fonts.symbols(superscript(style))
    return base.height - small.parameter(18), base.depth + small.parameter(19)


def _script(fonts: MathsFonts, row: Row | None, style: int) -> Box | None:
    if row is None:
        return None
    alone = unbraced(row)  # of a line's own box TeX makes a wider one, and so the line is longer
    box = fonts.rule(alone, style, SCRIPT_SPACE) if isinstance(alone, Rule) else fonts.inside(row, style)
    return Box(box.width + SCRIPT_SPACE, box.height, box.depth, 0.0, ((0.0, 0.0, box),))


def limits(fonts: MathsFonts, base: Box, sup: Row | None, sub: Row | None, style: int) -> Box:
    """One row above and one below a base; what leans moves them apart."""
    over = fonts.inside(sup, superscript(style)) if sup else None
    under = fonts.inside(sub, subscript(style)) if sub else None
    lean, whole = base.italic / 2, base.width + base.italic
    width = max(whole, *(part.width for part in (over, under, blank(0.0)) if part))
    height, depth = base.height, base.depth
    parts: list[Placed] = [((width - whole) / 2, 0.0, base)]
    large = fonts.large(style)
    if over:
        clear = max(large.parameter(9), large.parameter(11) - over.depth)
        parts.append(((width - over.width) / 2 + lean, height + clear + over.depth, over))
        height += clear + over.total + large.parameter(13)
    if under:
        clear = max(large.parameter(10), large.parameter(12) - under.height)
        parts.append(((width - under.width) / 2 - lean, -depth - clear - under.height, under))
        depth += clear + under.total + large.parameter(13)
    return Box(width, height, depth, 0.0, tuple(parts))


def stack(fonts: MathsFonts, node: Stack, style: int) -> Box:
    r"""`\overset`, `\underset` and `\stackrel`; the last centres one ordinary character as it does operators."""
    alone = alone_in(node.base) if node.kind == "rel" else None
    base = fonts.inside(node.base, style) if alone is None else fonts.centred(fonts.glyph(alone, style), style)
    return limits(fonts, base, node.over, node.under, style)


def takes_limits(node: Scripts, style: int) -> bool:
    """Whether scripts go above and below."""
    if node.limits is not None:
        return node.limits
    return style // 2 * 2 == DISPLAY and isinstance(node.base, Glyph | Row) and node.base.limits
