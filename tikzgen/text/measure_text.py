"""How large a text will be, without TeX: exact for text and formulas, a little generous for all else.

`Margin` says how exact, and how generous: the tests hold every text of every example to it, in all three engines."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.plane.units import PT_PER_CM
from tikzgen.text.characters import TextRefused
from tikzgen.text.maths.parser import parse
from tikzgen.text.metrics.boxes import LINE_SKIP, Box, beside
from tikzgen.text.metrics.fonts import BASELINES, LATEX_SIZES, Font
from tikzgen.text.metrics.formulas import set_formula
from tikzgen.text.metrics.raw_tex_boxes import loose, rare
from tikzgen.text.metrics.read_running_text import Reader
from tikzgen.text.metrics.text_commands import GROWN
from tikzgen.text.set_like_tex import TextUnset, set_lines
from tikzgen.text.text_to_tex import typeset

_VARYING = pattern_of(rf"\\(?:_|(?:{'|'.join(map(re.escape, (*GROWN, 'middle')))})(?![A-Za-z]))")
_MARGIN, _SLACK = 1.03, 0.4  # an estimate is this much larger than its parts: ratio, and pt


class Margin:
    """How far a measure may lie from what TeX sets.

    Where a measure is `exact`, pdfLaTeX sets the text within `exact` pt of it. XeLaTeX and LuaLaTeX take Latin Modern
    fonts, which set it wider by no more than `width` (a share) plus `exact`, and higher and deeper by no more than
    `height` (in em). Where it is not, no engine sets the text larger than it, and it is at most `ratio` times what
    TeX sets plus `slack` pt; for what the engines set differently (gaps beside Chinese, underscores), `varying` times
    that plus `slack`. Of raw TeX it is no more than a good guess.
    """

    exact = 0.01
    width = 0.0025
    height = 0.04
    ratio = 1.25
    varying = 1.5
    slack = 1.1


class Extent(Record):
    """Sizes in cm; `height` goes up from the first line's baseline, `depth` down to the end of the last line.

    `exact` holds in pdfLaTeX; anything else is an estimate with a margin, never too small.
    """

    width: float
    height: float
    depth: float
    exact: bool = True


@lru_cache(maxsize=32768, typed=True)
def measure(text: str, font: Font) -> Extent:
    """The size of a text or raw `Tex` in a font; raises `TextRefused` as `typeset` does."""
    typed = typeset(text)
    known = None if typed.cjk or font.size not in LATEX_SIZES else _set(typed.source, font, bool(typed.packages))
    lines, exact = known or lines_of(typed.source, font)
    exact = exact and font.size in LATEX_SIZES
    ratio, slack = (1.0, 0.0) if known or exact else (_MARGIN, _SLACK)
    baseline = BASELINES.get(font.size, 1.2 * font.size)
    height = lines[0].height
    depth = lines[0].depth
    for above, line in pairwise(lines):
        touching = above.depth + line.height
        step = baseline if touching <= baseline else touching + LINE_SKIP
        depth += step - above.depth + line.depth
    width = max(line.width for line in lines)
    return Extent(
        (width * ratio + slack * (width > 0)) / PT_PER_CM,
        (height * ratio + slack * (height > 0)) / PT_PER_CM,
        (depth * ratio + slack * (height > 0)) / PT_PER_CM,
        exact,
    )


def _set(source: str, font: Font, ams: bool) -> tuple[tuple[Box, ...], bool] | None:
    """The boxes of a text's lines as pdfTeX sets them, and whether these are sure: AMS packages make some signs larger,
    and other labels, or the paper, may load them. Nothing where each engine has gaps or characters of its own.
    """
    if _VARYING.search(source):
        return None
    try:
        plain, scaled = (set_lines(source, font, scaled) for scaled in (ams, True))
    except TextUnset:
        return None
    sizes = [[(line.width, line.height, line.depth) for line in lines] for lines in (plain, scaled)]
    if sizes[0] == sizes[1]:
        return plain, True
    return tuple(Box(*map(max, *sides)) for sides in zip(*sizes, strict=True)), False


_OVER, _UNDER = pattern_of(r"\\(?:overbrace|x\w+arrow)"), re.compile(r"\\(?:underbrace|x\w+arrow\[)")
_BESIDE_MIDDLE = 0.17  # em that LuaTeX sets before it
_TALL = 1.8  # em that these add above and below


@lru_cache(maxsize=32768)
def lines_of(source: str, font: Font) -> tuple[tuple[Box, ...], bool]:
    """The boxes of the lines of some TeX text, and whether they are exact."""
    reader = _Reader(source, font)
    lines = reader.read()
    return lines, reader.exact


def width_of(source: str, font: Font) -> Box:
    """The box of some TeX text that is one line."""
    return beside(lines_of(source, font)[0])


class _Reader(Reader):
    def other(self, name: str) -> None:
        rare(self, name)

    def lines_of(self, source: str, font: Font) -> tuple[Box, ...]:
        return lines_of(source, font)[0]

    def formula_box(self, inner: str) -> Box:
        """The box of a formula without its dollars; of raw TeX that the parser does not know, a guess."""
        if r"\begin" in inner:
            return loose(self, inner)
        try:
            formula = parse(inner, trusted=True)
        except TextRefused:
            return loose(self, inner)
        fixed, scaled = (set_formula(formula, self.font, scaled=scaled, words=width_of) for scaled in (False, True))
        above, below = (_TALL * self.font.size * (sign.search(inner) is not None) for sign in (_OVER, _UNDER))
        wide = max(fixed.width, scaled.width) + inner.count(r"\middle") * _BESIDE_MIDDLE * self.font.size
        height, depth = max(fixed.height, scaled.height), max(fixed.depth, scaled.depth)
        return Box(wide, height + above, depth + below, scaled.italic)
