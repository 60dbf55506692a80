"""How large a formula will be: the rules of The TeXbook's Appendix G, without what moves less than a hair."""

from __future__ import annotations

from collections.abc import Callable

from tikzgen.text.maths.parser import Formula
from tikzgen.text.maths.symbols import DELIMITERS
from tikzgen.text.maths.tree import (
    Accent,
    Big,
    Fence,
    Fraction,
    Glyph,
    Kind,
    Node,
    Radical,
    Row,
    Rule,
    Scripts,
    Space,
    Stack,
    Strut,
    Style,
    Words,
)
from tikzgen.text.metrics.boxes import EMPTY, Box, Font, beside
from tikzgen.text.metrics.spacing import gap, kind_of, settled
from tikzgen.text.metrics.tables import Face, face, script_sizes

__all__ = ["measure_formula"]

_DISPLAY, _TEXT, _SCRIPT, _SCRIPTSCRIPT = range(4)
_STYLES = {"display": _DISPLAY, "text": _TEXT, "script": _SCRIPT, "scriptscript": _SCRIPTSCRIPT}
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
_LARGE_SIZE = 10.0  # pt
_SCRIPT_SPACE, _NULL_DELIMITER = 0.5, 1.2  # pt, LaTeX's \scriptspace and \nulldelimiterspace
_SHORTFALL, _FACTOR = 5.0, 0.901  # a delimiter may be this much (pt, ratio) shorter than what it encloses


def measure_formula(formula: Formula, font: Font, width_of: Callable[[str, Font], Box]) -> Box:
    """The box of a formula inside text that is set in `font`; `width_of` measures the words in it."""
    box = _Setter(font, face("largesymbols", font.size), width_of).row(formula.row.items, _TEXT)
    if not formula.packages:  # then it depends on the other labels, and on the paper
        fixed = _Setter(font, face("fixed largesymbols", _LARGE_SIZE), width_of).row(formula.row.items, _TEXT)
        box = Box(max(box.width, fixed.width), max(box.height, fixed.height), max(box.depth, fixed.depth))
    return box


class _Setter:
    """Sets formulas for one surrounding font."""

    def __init__(self, font: Font, large: Face, width_of: Callable[[str, Font], Box]) -> None:
        """Large symbols come from `large`: AMS packages make them follow the size of the text, LaTeX does not."""
        self.font = font
        self.width_of = width_of
        self.sizes = (font.size, font.size, *script_sizes(font.size))
        self.large = large
        self.thickness = self.large.parameter(8)

    # -- fonts -------------------------------------------------------------------------------------------------

    def symbols(self, style: int) -> Face:
        return face("symbols", self.sizes[style])

    def axis(self, style: int) -> float:
        return self.symbols(style).parameter(22)

    def face(self, glyph: Glyph, style: int) -> Face:
        if glyph.font == "largesymbols":
            return self.large
        return face(_SHAPES.get(glyph.font, glyph.font), self.sizes[style])

    # -- rows --------------------------------------------------------------------------------------------------

    def row(self, items: tuple[Node, ...], style: int) -> Box:
        """Parts side by side with the space that their kinds ask for."""
        kinds = settled([kind_of(item) for item in items])
        boxes: list[Box] = []
        before: Kind | None = None
        for item, kind in zip(items, kinds, strict=True):
            if isinstance(item, Style):
                style = _STYLES[item.name]
                continue
            if kind is not None:
                if before is not None:
                    boxes.append(self.mu(gap(before, kind, small=style >= _SCRIPT), style))
                before = kind
            boxes.append(self.node(item, style))
        return beside(boxes)

    def mu(self, count: float, style: int) -> Box:
        return Box(count / 18 * self.symbols(style).parameter(6), 0, 0)

    def node(self, node: Node, style: int) -> Box:
        match node:
            case Glyph():
                return self.glyph(node, style)
            case Row():
                return self.row(node.items, style)
            case Space():
                quad = self.font.face.parameter(6)
                return Box(node.em * quad + self.mu(node.mu, style).width, 0, 0)
            case Scripts():
                return self.scripts(node, style)
            case Fraction():
                return self.fraction(node, style)
            case Radical():
                return self.radical(node, style)
            case Accent():
                return self.accent(node, style)
            case Rule():
                inner = self.row(node.body.items, style)
                extra = 5 * self.thickness
                over, under = (extra, 0.0) if node.over else (0.0, extra)
                return Box(inner.width, inner.height + over, inner.depth + under)
            case Stack():
                above = self.row(node.over.items, _smaller(style)) if node.over else None
                below = self.row(node.under.items, _smaller(style)) if node.under else None
                return self.limits(self.row(node.base.items, style), above, below)
            case Fence():
                return self.fence(node, style)
            case Big():
                body = Box(0, node.height * self.large.size / _LARGE_SIZE, 0)
                return beside([self.fitted(node.delimiter, body, style), body])
            case Strut():
                return Box(0, node.height * max(1.0, self.font.size / _LARGE_SIZE), 0)
            case Words():
                return self.words(node, style)
        return EMPTY  # a change of style has no size

    # -- parts -------------------------------------------------------------------------------------------------

    def glyph(self, glyph: Glyph, style: int) -> Box:
        used, char = self.face(glyph, style), chr(glyph.code)
        if glyph.kind == "op" and style == _DISPLAY:
            char = used.metrics.larger.get(char, char)
        box = _char(used, char)
        return self.centred(box, style) if glyph.kind == "op" else box

    def centred(self, box: Box, style: int) -> Box:
        """Moved so that the middle is on the axis of the fraction bar."""
        return box.raised(self.axis(style) + box.total / 2 - box.height)

    def scripts(self, node: Scripts, style: int) -> Box:
        base = self.node(node.base, style)
        small = _smaller(style)
        sup = self.row(node.sup.items, small) if node.sup else None
        sub = self.row(node.sub.items, small) if node.sub else None
        limits = node.limits
        if limits is None:
            limits = style == _DISPLAY and isinstance(node.base, Glyph | Row) and node.base.limits
        if limits:
            return self.limits(base, sup, sub)
        font, tiny = self.symbols(style), self.symbols(small)
        plain = isinstance(node.base, Glyph) and node.base.kind != "op"
        up = 0.0 if plain else base.height - tiny.parameter(18)
        down = 0.0 if plain else base.depth + tiny.parameter(19)
        x_height = font.parameter(5)
        if sup:
            up = max(up, font.parameter(13 if style == _DISPLAY else 14), sup.depth + x_height / 4)
        if sub:
            least = font.parameter(17 if sup else 16)
            down = max(down, least, 0 if sup else sub.height - 0.8 * x_height)
        if sup and sub:
            missing = 4 * self.thickness - ((up - sup.depth) - (sub.height - down))
            if missing > 0:
                lift = max(0.0, 0.8 * x_height - (up - sup.depth))
                up, down = up + lift, down + missing - lift
        wide = max((sup.width + base.italic) if sup else 0, sub.width if sub else 0) + _SCRIPT_SPACE
        if not sub:
            wide = max(wide, base.italic + (sup.width if sup else 0) + _SCRIPT_SPACE)
        heights = [base.height, *((sup.height + up,) if sup else ())]
        depths = [base.depth, *((sub.depth + down,) if sub else ())]
        return Box(base.width + wide, max(heights), max(depths))

    def limits(self, base: Box, over: Box | None, under: Box | None) -> Box:
        """One box above and one below another, at the distances of a large operator's limits."""
        height, depth = base.height, base.depth
        large = self.large
        if over:
            height += max(large.parameter(9), large.parameter(11) - over.depth) + over.total + large.parameter(13)
        if under:
            depth += max(large.parameter(10), large.parameter(12) - under.height) + under.total + large.parameter(13)
        widths = [base.width + base.italic, *(part.width for part in (over, under) if part)]
        return Box(max(widths), height, depth)

    def fraction(self, node: Fraction, style: int) -> Box:
        style = _STYLES[node.style] if node.style else style
        inner = _TEXT if style == _DISPLAY else _smaller(style)
        over, under = self.row(node.over.items, inner), self.row(node.under.items, inner)
        font, axis = self.symbols(style), self.axis(style)
        big = style == _DISPLAY
        up = font.parameter(8 if big else 9 if node.bar else 10)
        down = font.parameter(11 if big else 12)
        clear = self.thickness * (3 if big else 1) + self.thickness / 2
        if node.bar:
            up = max(up, axis + clear + over.depth)
            down = max(down, clear - axis + under.height)
        else:
            least = self.thickness * (7 if big else 3)
            apart = max(0.0, least - ((up - over.depth) - (under.height - down))) / 2
            up, down = up + apart, down + apart
        box = Box(max(over.width, under.width), up + over.height, down + under.depth)
        if not any(node.fences):
            return Box(box.width + 2 * _NULL_DELIMITER, box.height, box.depth)
        need = font.parameter(20 if big else 21)
        sides = [self.delimiter(name, max(need, 0), style) for name in node.fences]
        return beside([sides[0], box, sides[1]])

    def radical(self, node: Radical, style: int) -> Box:
        body = self.row(node.body.items, style)
        grown = self.symbols(style).parameter(5) if style == _DISPLAY else self.thickness
        clear = self.thickness + abs(grown) / 4
        sign = self.delimiter(r"\surd", body.total + clear + self.thickness, style)
        spare = max(0.0, sign.total - self.thickness - body.total - clear) / 2
        height = body.height + clear + spare + 2 * self.thickness
        box = Box(sign.width + body.width, height, max(body.depth, sign.total - height + self.thickness))
        if node.index is None:
            return box
        index = self.row(node.index.items, _SCRIPTSCRIPT)
        width = box.width + max(0.0, index.width - self.mu(5, style).width)
        return Box(width, max(box.height, 0.6 * (box.height - box.depth) + index.height), box.depth)

    def accent(self, node: Accent, style: int) -> Box:
        body = self.row(node.body.items, style)
        used, char = self.face(node.glyph, style), chr(node.glyph.code)
        while (wider := used.metrics.larger.get(char)) and _char(used, wider).width <= body.width:
            char = wider
        mark = _char(used, char)
        return Box(body.width, body.height + max(0.0, mark.height - min(body.height, used.parameter(5))), body.depth)

    def words(self, node: Words, style: int) -> Box:
        font = self.font.styled(node.style)
        return self.width_of(node.source, font.at(self.sizes[style]) if node.shrinks else font)

    # -- delimiters --------------------------------------------------------------------------------------------

    def fence(self, node: Fence, style: int) -> Box:
        bodies = [self.row(body.items, style) for body in node.bodies]
        tallest = beside(bodies)
        parts: list[Box] = []
        for place, (name, body) in enumerate(zip(node.delimiters, [*bodies, EMPTY], strict=True)):
            # beside a delimiter in the middle, LuaTeX sets spaces that the other engines do not
            spaced = 0 < place < len(bodies) and style < _SCRIPT
            parts += [self.fitted(name, tallest, style, empty=_NULL_DELIMITER), self.mu(3 * spaced, style), body]
        return beside(parts)

    def fitted(self, name: str, body: Box, style: int, empty: float = 0.0) -> Box:
        """A delimiter as large as its body asks for."""
        if not name:
            return Box(empty, 0, 0)
        axis = self.axis(style)
        reach = max(body.height - axis, body.depth + axis)
        return self.delimiter(name, max(2 * reach * _FACTOR, 2 * reach - _SHORTFALL), style)

    def delimiter(self, name: str, need: float, style: int) -> Box:
        """The first form of a delimiter that is `need` pt high, centred on the axis."""
        if name == r"\surd":
            small, large = Glyph("symbols", 0x70), "\x70"
        else:
            small, large = DELIMITERS[name].small, chr(DELIMITERS[name].large)
        box = _char(self.face(small, style), chr(small.code))
        char: str | None = large
        while box.total < need and char is not None:
            box = _char(self.large, char)
            if char in self.large.metrics.extensible:
                piece = _char(self.large, self.large.metrics.extensible[char])
                box = Box(max(box.width, piece.width), max(need, 3 * piece.total), 0, 0)
                break
            char = self.large.metrics.larger.get(char)
        return self.centred(box, style)


def _char(used: Face, char: str) -> Box:
    metrics, size = used.metrics, used.size
    return Box(
        metrics.widths.get(char, 0.0) * size,
        metrics.heights.get(char, 0.0) * size,
        metrics.depths.get(char, 0.0) * size,
        metrics.italics.get(char, 0.0) * size,
    )


def _smaller(style: int) -> int:
    return _SCRIPT if style < _SCRIPT else _SCRIPTSCRIPT
