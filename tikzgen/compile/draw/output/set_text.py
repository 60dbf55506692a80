"""Labels set once for all of their uses: their size, characters and SVG."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from operator import itemgetter

from tikzgen.base.record import Record, WithCache
from tikzgen.compile.draw.output.letters import text_of_ink
from tikzgen.compile.draw.output.load_outlines import STEMS, UNDRAWN, outline_of, read_font_outlines
from tikzgen.compile.draw.output.numerals import escape, format_scale, format_svg_point, number
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.text import TextUnset, lines_upon, set_lines, set_paragraph
from tikzgen.text.metrics import LabelFont, RuleBox, Sign, TextBox, is_cjk_font, join_boxes, list_ink, make_blank

Ink = tuple[float, float, Sign | RuleBox]
"""A character or a rule, with its position."""


class TypesetText(WithCache, Record):
    """A label that is set: its box, its ink, and its number of lines."""

    box: TextBox
    ink: tuple[Ink, ...]
    lines: int = 1

    @cached_property
    def ideographs(self) -> tuple[Sign, ...]:
        """Its Chinese characters, in order."""
        return tuple(part for _, _, part in self.ink if isinstance(part, Sign) and is_cjk_font(part.font))

    @cached_property
    def svg(self) -> tuple[str, Mapping[str, str]]:
        """SVG of its ink and of invisible text to search and copy, and the outlines it uses, by name.

        A name begins with a placeholder for the prefix of the picture.
        """
        used: dict[str, str] = {}
        seen = [_spell_ink(each, used) for each in self.ink]
        return "".join([*seen, *_selectable_lines(self.ink)]), used


@lru_cache(maxsize=8192)
def set_text(
    text: str,
    font: LabelFont,
    baseline: float,
    scaled: bool,
    width: float | None = None,
    *,
    trim: bool,
    margin: str = "",
) -> TypesetText:
    """Set a label in centered lines, wrapped if there is a width (pt).

    `margin` adds space on the left or the right; it is empty for both sides. `trim` removes the spaces at the ends of
    lines, as TikZ does except in a single aligned line. Raise `Unsupported` for a label that needs TeX.
    """
    try:
        if width is None:
            lines = set_lines(text, font, scaled, trim) if text else (make_blank(0.0),)
            box = lines_upon(lines, baseline)
        else:
            lines = set_paragraph(text, font, baseline, width, scaled)
            if margin:
                ends = [(make_blank(width - line.width), line) for line in lines]
                lines = tuple(join_boxes(end if margin == "left" else end[::-1]) for end in ends)
            box = lines_upon(lines, baseline)
            box = TextBox(width, box.height, box.depth, 0.0, (((width - box.width) / 2, 0.0, box),))
            box = box.raise_by(lines[0].height - box.height)  # aligned at the baseline of the first line
    except TextUnset as error:
        raise Unsupported(f"the text {error}") from None
    drawn = tuple(list_ink(box))
    signs = [part for _, _, part in drawn if isinstance(part, Sign) and not is_cjk_font(part.font)]
    if any(sign.font in UNDRAWN for sign in signs):
        raise Unsupported(f"the text {text}, which has italic letters of 17 pt or more,")
    for sign in signs:
        if sign.char not in read_font_outlines(sign.font):
            raise Unsupported(f"the text {text}, with character {ord(sign.char)} of {sign.font},")
    return TypesetText(box, drawn, len(lines))


def _spell_ink(each: Ink, used: dict[str, str]) -> str:
    x, y, part = each
    if isinstance(part, RuleBox):
        corners = [(x, y), (x + part.width, y), (x + part.width, y + part.height), (x, y + part.height)]
        return f'<path d="M{"L".join(map(format_svg_point, corners))}Z"/>'
    place = f'x="{number(x)}" y="{number(0.0 - y)}"'
    stem = part.font.rstrip("0123456789")
    name = f"\x01{STEMS.get(stem, stem)}{part.font[len(stem) :]}-{ord(part.char):x}-{number(part.size)}"
    share = format_scale(part.size / 1000)
    used[name] = f'<path id="{name}" transform="scale({share} -{share})" d="{outline_of(part.font, part.char)}"/>'
    return f'<use href="#{name}" {place}/>'


def _selectable_lines(ink: tuple[Ink, ...]) -> list[str]:
    """Return the lines of a label as invisible text of the same width, for selecting and searching."""
    lines: dict[float, list[tuple[float, float, Sign]]] = {}
    for x, y, part in ink:
        if isinstance(part, Sign):
            near = next((line for line in lines if abs(line - y) < 0.6 * part.size), y)
            lines.setdefault(near, []).append((x, y, part))
    found = []
    for y, signs in lines.items():
        text = escape(text_of_ink(signs))
        if text.strip():
            left, size = min(x for x, _, _ in signs), max(sign.size for _, _, sign in signs)
            end, _, last = max(signs, key=itemgetter(0))
            wide = end - left + (1.0 if is_cjk_font(last.font) else 0.5) * size
            found.append(
                f'<text x="{number(left)}" y="{number(0.0 - y)}" font-size="{number(size)}" fill-opacity="0" '
                f'textLength="{number(wide)}" lengthAdjust="spacingAndGlyphs">{text}</text>'
            )
    return found
