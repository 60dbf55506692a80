"""Boxes of formulas and their parts, by the rules of The TeXbook, Appendix G."""

from __future__ import annotations

from collections.abc import Callable

from tikzgen.base.record import replace
from tikzgen.text.maths.formula_parts import (
    Accent,
    Big,
    Bold,
    DotsPart,
    Fence,
    Flat,
    FormulaPart,
    Fraction,
    Glyph,
    Hidden,
    Kind,
    Radical,
    RowPart,
    RulePart,
    Scripts,
    Space,
    StackPart,
    StyleChange,
    WordsPart,
    all_in,
    alone_in,
    find_spacing_mu,
    kind_of,
    settle_signs,
)
from tikzgen.text.maths.parser import Formula
from tikzgen.text.metrics.boxes import EMPTY, RuleBox, TextBox, join_boxes, keep_size, make_blank
from tikzgen.text.metrics.fonts import LabelFont
from tikzgen.text.metrics.maths_fonts import DISPLAY, SCRIPT, SCRIPTSCRIPT, TEXT, MathsFonts, cramp_style, set_character
from tikzgen.text.metrics.scripts_and_fractions import (
    attach,
    fit_delimiter,
    set_fraction,
    set_limits,
    set_radical,
    set_stack,
    takes_limits,
)

_UPRIGHT_DOTS_PT = 6.0  # pt above the highest of three dots
_DIAGONAL_DOTS_PT = 7.0  # pt
_STYLES = {"display": DISPLAY, "text": TEXT, "script": SCRIPT, "scriptscript": SCRIPTSCRIPT}
_SKEW = {
    "letters": "\x7f",
    "bold letters": "\x7f",
    "symbols": "0",
    "bold symbols": "0",
    "mathnormal": "\x7f",
    "mathcal": "0",
}
_WIDE_EM = 1.9  # em
_SMALLEST_BIG_PT = 8.5  # pt: height of \big
_BIG_STEP_PT = 3.0  # pt: step to the next larger command


def set_formula(
    formula: Formula, font: LabelFont, *, scaled: bool, words: Callable[[str, LabelFont], TextBox]
) -> TextBox:
    """Return the box of a formula in text with `font`; `words` sets its text parts."""
    return _Setter(font, scaled=scaled, words=words).set_row(formula.row.items, TEXT)


class _Setter(MathsFonts):
    """Setter of formulas for one surrounding font."""

    def set_row(self, items: tuple[FormulaPart, ...], style: int) -> TextBox:
        """Set parts side by side with the space that their kinds require."""
        items = self.join_ligatures(items, style)
        kinds = settle_signs([kind_of(item) for item in items])
        boxes: list[TextBox] = []
        before: Kind | None = None
        for at, (item, kind) in enumerate(zip(items, kinds, strict=True)):
            if isinstance(item, StyleChange):
                style = _STYLES[item.name]
                continue
            if kind is not None:
                if before is not None:
                    boxes.append(
                        make_blank(self.convert_mu(find_spacing_mu(before, kind, small=style >= SCRIPT), style))
                    )
                before = kind
            box = self.set_node(item, style)
            if kind == "ord" and at + 1 < len(items):
                box = self.kern_before(item, box, items[at + 1], style)
            boxes.append(box)
        return join_boxes(boxes)

    def join_ligatures(self, items: tuple[FormulaPart, ...], style: int) -> tuple[FormulaPart, ...]:
        """Join adjacent ordinary characters to ligatures of their font."""
        found: list[FormulaPart] = []
        for item in items:
            last = alone_in(found[-1]) if found else None
            this = alone_in(item)
            if last and this and last.font == this.font and last.kind == this.kind == "ord":
                joins = self.find_face(last, style).metrics.ligatures
                if (char := joins.get(chr(last.code) + chr(this.code))) is not None:
                    found[-1] = replace(last, code=ord(char))
                    continue
            found.append(item)
        return tuple(found)

    def kern_before(self, item: FormulaPart, box: TextBox, following: FormulaPart, style: int) -> TextBox:
        """Add the kern before a character of the same font; no italic correction within words."""
        left, right = alone_in(item), alone_in(following.base if isinstance(following, Scripts) else following)
        if left is None or right is None or left.font != right.font:
            return box
        used = self.find_face(left, style)
        italic = 0.0 if used.read_parameter(2) else box.italic  # a font for words has spaces
        kern = used.metrics.kerns.get(chr(left.code) + chr(right.code), 0.0) * used.size
        return join_boxes([replace(box, italic=italic), make_blank(kern)])

    def set_node(self, node: FormulaPart, style: int) -> TextBox:
        if (alone := alone_in(node)) is not None:
            return self.set_glyph(alone, style)
        match node:
            case RowPart():
                box = self.set_row(node.items, style)
                known = node.like == "" or (node.like == "amsmath" and not self.scaled)
                return box if known else TextBox(box.width, box.height, box.depth)
            case Space():
                if node.amsmath and not self.scaled:
                    return EMPTY
                return make_blank(node.em * self.font.face.read_parameter(6) + self.convert_mu(node.mu, style))
            case Scripts():
                return self.set_scripts(node, style)
            case Fraction():
                return set_fraction(self, node, style)
            case Radical():
                return set_radical(self, node, style)
            case Accent():
                return self.set_accent(node, style)
            case RulePart():
                return self.set_rule(node, style)
            case StackPart():
                return set_stack(self, node, style)
            case Fence():
                return self.set_fence(node, style)
            case Big():
                return self.set_big_delimiter(node)
            case Flat():
                return replace(self.set_row(node.items, style), height=0.0, depth=0.0)
            case Hidden():
                inner = self.set_inside(node.body, style - style % 2)
                return keep_size(inner, across=node.across, upright=node.upright)
            case Bold():
                bold = _Setter(self.font, scaled=self.scaled, words=self.words, bold=True)
                return bold.set_inside(node.body, style - style % 2)
            case DotsPart():
                return self.set_dots(node, style)
            case WordsPart():
                font = self.font.with_style(node.style)
                return self.words(node.source, font.with_size(self.find_size(style)) if node.shrinks else font)
        return EMPTY  # a change of style has no size

    def set_dots(self, dots: DotsPart, style: int) -> TextBox:
        dot, aside = self.words(".", self.font), self.convert_mu(dots.apart, style)
        step = dot.width + 2 * aside if aside else 0.0
        lowest = 1.0 if aside else 0.0
        places = [(aside + step * at, lowest + dots.down * (2 - at), dot) for at in range(3)]
        height = (_DIAGONAL_DOTS_PT if aside else _UPRIGHT_DOTS_PT) + 2 * dots.down + lowest + dot.height
        return TextBox(2 * step + dot.width + 2 * aside, height, 0.0, 0.0, tuple(places))

    def set_scripts(self, node: Scripts, style: int) -> TextBox:
        base, inner = alone_in(node.base), node.base
        if isinstance(inner, RowPart) and inner.kind == "ord" and len(inner.items) == 1:
            inner = inner.items[0]
        if isinstance(inner, Accent) and alone_in(inner.body) is not None:
            return self.set_accent(inner, style, node)
        box = self.set_node(node.base, style) if base is None else self.set_glyph(base, style)
        if takes_limits(node, style):
            return set_limits(self, box, node.sup, node.sub, style)
        return attach(self, box, node, style, plain=base is not None and base.kind != "op")

    def set_accent(self, node: Accent, style: int, scripted: Scripts | None = None) -> TextBox:
        """Set a mark above its body; the scripts of a single character are below the mark."""
        body = self.set_inside(node.body, cramp_style(style))
        width, height = body.width, body.height
        used, char = self.find_face(node.glyph, style), chr(node.glyph.code)
        while (wider := used.metrics.larger.get(char)) and join_boxes([set_character(used, wider)]).width <= width:
            char = wider
        skew = 0.0
        if (alone := alone_in(node.body)) is not None:
            face = self.find_face(alone, style)
            skew = face.metrics.kerns.get(chr(alone.code) + _SKEW.get(alone.font, "\0"), 0.0) * face.size
            if scripted is not None:
                body = self.set_scripts(replace(scripted, base=alone), style)
        up = height - min(height, used.read_parameter(5))
        mark = join_boxes([set_character(used, char)])
        if node.glyph.font == "largesymbols":  # AMS fonts have wider marks
            known = not self.scaled or width <= _WIDE_EM * self.font.face.read_parameter(6)
        else:  # AMS moves marks over other marks
            known = not self.scaled or not any(isinstance(each, Accent) for each in all_in(node.body))
        parts = ((0.0, 0.0, body), (skew + (width - mark.width) / 2, up, mark)) if known else None
        return TextBox(body.width, max(body.height, mark.height + up), body.depth, 0.0, parts)

    def set_rule(self, node: RulePart, style: int, more: float = 0.0) -> TextBox:
        """Set a line over or under its body, `more` pt wider than the body."""
        inner = self.set_inside(node.body, cramp_style(style) if node.over else style)
        thick = self.find_rule_thickness(style)
        y = inner.height + 3 * thick if node.over else -inner.depth - 4 * thick
        over, under = (5 * thick, 0.0) if node.over else (0.0, 5 * thick)
        parts = ((0.0, 0.0, inner), (0.0, y, RuleBox(inner.width + more, thick)))
        return TextBox(inner.width, inner.height + over, inner.depth + under, 0.0, parts)

    def set_fence(self, node: Fence, style: int) -> TextBox:
        bodies = [self.set_row(body.items, style) for body in node.bodies]
        tallest = join_boxes(bodies)
        parts: list[TextBox] = []
        for name, body, row in zip(node.delimiters, [*bodies, EMPTY], [*node.bodies, RowPart(())], strict=True):
            parts += [fit_delimiter(self, name, tallest, style), body]
            last = next((kind for item in reversed(row.items) if (kind := kind_of(item))), None)
            if last is not None:  # punctuation keeps its space before a delimiter
                parts.append(make_blank(self.convert_mu(find_spacing_mu(last, "close", small=style >= SCRIPT), style)))
        return join_boxes(parts)

    def set_big_delimiter(self, node: Big) -> TextBox:
        """Set a delimiter of fixed height, which LaTeX sets in the size of the text in any context."""
        if self.scaled:
            paren = set_character(self.find_face(Glyph("operators", 0x28), TEXT), "(")
            step = 1 + round((node.height - _SMALLEST_BIG_PT) / _BIG_STEP_PT) / 2
            body = self.center_on_axis(TextBox(0.0, 1.2 * step * paren.total, 0.0, 0.0, ()), TEXT)
        else:
            body = TextBox(0.0, node.height, 0.0, 0.0, ())
        return join_boxes([fit_delimiter(self, node.delimiter, body, TEXT, empty=0.0), body])
