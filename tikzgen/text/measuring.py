"""How large a text will be, without TeX: exact for text and formulas, a little generous for all else.

`Margin` says how exact, and how generous: the tests hold every text of every example to it, in all three engines."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import Record
from tikzgen.plane.units import PT_PER_CM
from tikzgen.text.metrics.boxes import BASELINES, LINE_SKIP, Box, Font
from tikzgen.text.metrics.lines import lines_of
from tikzgen.text.metrics.tables import LATEX_SIZES
from tikzgen.text.metrics.text_commands import GROWN
from tikzgen.text.setting import TextUnset, set_lines
from tikzgen.text.typesetting import typeset

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
