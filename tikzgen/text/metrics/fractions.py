"""Fractions and roots: rules 11 and 15 of The TeXbook's Appendix G."""

from __future__ import annotations

from tikzgen.text.maths.tree import Fraction, Radical
from tikzgen.text.metrics.boxes import Bar, Box, Placed, beside, blank
from tikzgen.text.metrics.maths_fonts import DISPLAY, SCRIPTSCRIPT, TEXT, MathsFonts, cramped, denominator, numerator
from tikzgen.text.metrics.stretching import delimiter, root_sign

__all__ = ["fraction", "radical"]


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
    parts += [((width - over.width) / 2, up, over), ((width - under.width) / 2, -down, under)]
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
